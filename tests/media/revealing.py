"""Media files that say much of their makers: each holds SECRET in every place where its format can hold metadata."""

import base64
import io
import struct
import warnings
import zlib
from typing import Any

from PIL import Image, ImageCms
from PIL.PngImagePlugin import PngInfo

from tests.support.pictures import image_bytes

SECRET = b"Secret"
LATITUDE = struct.pack(">IIIIII", 51, 1, 28, 1, 4_242_424_242, 100_000_007)
"""The coordinates as EXIF holds them: no chance puts these bytes anywhere else."""
XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/">Secret</x:xmpmeta>'


def drawn(size: tuple[int, int] = (60, 40), mode: str = "RGB") -> Image.Image:
    """Four quarters, red and green above, blue and white below."""
    image = Image.new(mode, size, "red")
    half = (size[0] // 2, size[1] // 2)
    for color, place in (("green", (half[0], 0)), ("blue", (0, half[1])), ("white", half)):
        image.paste(color, (*place, place[0] + half[0], place[1] + half[1]))
    return image


def tiff(orientation: int = 1) -> bytes:
    """EXIF from its TIFF header on: a camera, the orientation, a place, and an embedded thumbnail."""
    thumbnail = image_bytes(drawn((16, 12)), "JPEG", comment=SECRET)
    entries = 3
    after = 8 + 2 + 12 * entries + 4
    gps = after + 16
    second = gps + 2 + 12 + 4 + len(LATITUDE)
    first_ifd = struct.pack(">H", entries) + b"".join(
        (
            struct.pack(">HHII", 0x010F, 2, 14, after),
            struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0),
            struct.pack(">HHII", 0x8825, 4, 1, gps),
        )
    )
    gps_ifd = struct.pack(">HHHIII", 1, 2, 5, 3, gps + 18, 0) + LATITUDE
    thumbnail_ifd = struct.pack(">H", 2) + b"".join(
        (struct.pack(">HHII", 0x0201, 4, 1, second + 30), struct.pack(">HHII", 0x0202, 4, 1, len(thumbnail)))
    )
    head = b"MM\x00*" + struct.pack(">I", 8) + first_ifd + struct.pack(">I", second)
    return head + b"Secret camera\x00\x00\x00" + gps_ifd + thumbnail_ifd + bytes(4) + thumbnail


def profile() -> bytes:
    """A colour profile."""
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def jpeg(orientation: int = 1, size: tuple[int, int] = (60, 40), image: Image.Image | None = None) -> bytes:
    """A phone's JPEG: EXIF, XMP, IPTC, comments, a JFIF thumbnail, an MPF index, and a second picture behind it."""
    plain = image_bytes(image or drawn(size), "JPEG", quality=92, icc_profile=profile(), subsampling=0)
    jfif = plain[2 : 4 + struct.unpack_from(">H", plain, 4)[0]]
    rest = plain[2 + len(jfif) :]
    thumbnail = b"JFIF\x00" + jfif[9:16] + b"\x02\x01" + SECRET
    parts = (
        _segment(0xE0, thumbnail),
        _segment(0xE0, b"JFXX\x00\x10" + SECRET),
        _segment(0xE1, b"Exif\x00\x00" + tiff(orientation)),
        _segment(0xE1, b"http://ns.adobe.com/xap/1.0/\x00" + XMP),
        _segment(0xE2, b"MPF\x00" + tiff()),
        _segment(0xEB, b"JP" + SECRET),
        _segment(0xED, b"Photoshop 3.0\x008BIM\x04\x04\x00\x00\x00\x00\x00\x0c\x1c\x02\x5a\x00\x06Secret"),
        _segment(0xFE, SECRET),
        b"\xff\xff",
        rest,
        image_bytes(drawn((20, 10)), "JPEG", comment=SECRET),
        SECRET,
    )
    return plain[:2] + b"".join(parts)


def png(orientation: int = 1, size: tuple[int, int] = (60, 40), mode: str = "RGB", **options: Any) -> bytes:
    """A PNG with EXIF, XMP, texts of all three kinds, a time, unknown chunks, and bytes behind its end."""
    info = PngInfo()
    info.add_text("Comment", "Secret")
    info.add_text("Raw profile type iptc", "Secret", zip=True)
    info.add_itxt("XML:com.adobe.xmp", XMP.decode())
    info.add(b"tIME", SECRET + b"\x00")
    info.add(b"seCr", SECRET)
    image = drawn(size, mode)
    plain = image_bytes(
        image, "PNG", pnginfo=info, exif=tiff(orientation), icc_profile=profile(), dpi=(72, 72), **options
    )
    late = b"tEXtComment\x00Secret"
    late = struct.pack(">I", len(late) - 4) + late + struct.pack(">I", zlib.crc32(late))
    return plain[:-12] + late + plain[-12:] + SECRET


def webp(orientation: int = 1, **options: Any) -> bytes:
    """A WebP with EXIF, XMP, an unknown chunk, and bytes behind its end."""
    plain = image_bytes(
        drawn(), "WEBP", exif=tiff(orientation), xmp=XMP, icc_profile=profile(), lossless=True, **options
    )
    body = plain[12:] + b"SECR" + struct.pack("<I", 6) + SECRET
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body + SECRET


def gif(**options: Any) -> bytes:
    """A GIF with comments, XMP, a text, and bytes behind its end."""
    plain = image_bytes(drawn().quantize(8), "GIF", comment=SECRET, **options)
    magic = b"\x01" + bytes(range(255, -1, -1)) + b"\x00"
    xmp = b"\x21\xff\x0bXMP DataXMP" + XMP + magic
    text = b"\x21\xf9\x04\x00\x00\x00\x00\x00" + b"\x21\x01\x0c" + bytes(12) + b"\x06Secret\x00"
    return plain[:-1] + xmp + text + b"\x21\xfe\x06Secret\x00" + plain[-1:] + SECRET


def avif(**options: Any) -> bytes:
    """An AVIF with EXIF, XMP, a box of a stranger, and bytes behind its end."""
    plain = image_bytes(drawn(), "AVIF", exif=tiff(), xmp=XMP, icc_profile=profile(), **options)
    return plain + box(b"uuid", b"\xbe\x7a" * 8 + XMP) + SECRET


def svg() -> bytes:
    """A drawing with comments, <metadata>, a drawing program's own data, and a photo inside."""
    photo = base64.b64encode(jpeg()).decode()
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!-- Secret > -->'
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        ' xmlns:tool="https://tool.example/ns" tool:docname="/home/Secret/a.svg" width="30" height="20">'
        "<title>Töne</title><metadata><tool:who><tool:who/>Secret</tool:who></metadata>"
        "<tool:view a='Secret>'/><metadata a='Secret>'/>"
        '<rect tool:label="Secret" width="30" xlink:title="kept"  height="20" fill="navy"/>'
        f'<image width="9" height="9" href="data:image/jpeg;base64,{photo}"/></svg><!--Secret-->'
    ).encode()


def box(kind: bytes, *payload: bytes) -> bytes:
    """A box of the ISO base media file format."""
    inner = b"".join(payload)
    return struct.pack(">I4s", len(inner) + 8, kind) + inner


def mp4(brand: bytes = b"isom") -> bytes:
    """A film with a place, a description, times, a camera's name, and a track of GPS samples."""
    ftyp = box(b"ftyp", brand + bytes(4) + b"isom")
    picture_samples, gps_samples = b"picture!" * 3, b"Secret" * 4
    start = len(ftyp) + 8
    made = (
        box(b"mvhd", bytes(4) + SECRET + bytes(90)),
        _track(b"vide", start, 8, 3),
        _track(b"meta", start + len(picture_samples), 6, 4),
        box(b"udta", box(b"\xa9xyz", b"\x00\x12\x15\xc7+51.4778-000.0014Secret"), box(b"loci", SECRET)),
        box(b"meta", bytes(4) + box(b"keys", b"com.apple.quicktime.location.ISO6709" + SECRET)),
    )
    mdat = box(b"mdat", picture_samples + gps_samples)
    return ftyp + mdat + box(b"moov", *made) + box(b"uuid", b"\xbe\x7a" * 8 + XMP) + b"Secr"


def _track(handler: bytes, start: int, size: int, count: int) -> bytes:
    table = box(
        b"stbl",
        box(b"stsd", bytes(8)),
        box(b"stsc", struct.pack(">IIIII", 0, 1, 1, count, 1)),
        box(b"stsz", struct.pack(">III", 0, 0, count) + struct.pack(">I", size) * count),
        box(b"stco", struct.pack(">III", 0, 1, start)),
    )
    media = box(
        b"mdia",
        box(b"mdhd", bytes(4) + SECRET + bytes(14)),
        box(b"hdlr", bytes(8) + handler + bytes(12) + b"Secret camera\x00"),
        box(b"minf", table),
    )
    return box(b"trak", box(b"tkhd", bytes(4) + SECRET + bytes(74)), media, box(b"udta", box(b"name", SECRET)))


def _segment(marker: int, payload: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(payload) + 2) + payload


FILES = {
    "phone.jpg": jpeg(),
    "screen.png": png(),
    "photo.webp": webp(),
    "drawn.gif": gif(),
    "photo.avif": avif(),
    "map.svg": svg(),
    "film.mp4": mp4(),
    "memo.m4a": mp4(b"M4A "),
}
"""One of each kind, by the name of its file."""


def leftovers(data: bytes) -> list[str]:
    """Metadata that are still in a file, whatever its format; () for a clean one."""
    found = [mark.decode("latin-1") for mark in (SECRET, b"xmpmeta", b"8BIM", b"MPF\x00") if mark in data]
    if LATITUDE in data:
        found.append("coordinates")
    encoded_parts = data.split(b";base64,")[1:]
    found += [each for part in encoded_parts for each in leftovers(base64.b64decode(part.split(b'"')[0]))]
    with io.BytesIO(data) as file, warnings.catch_warnings(action="ignore"):
        try:
            image = Image.open(file)
        except OSError:
            return found
        with image:
            exif = dict(image.getexif())
            found += [f"EXIF {tag:#x}" for tag in exif if tag != 0x0112]
            known = {str(key): str(value) for key, value in image.info.items()}
            found += sorted(known.keys() & {"xmp", "comment", "photoshop", "mp", "Comment", "XML:com.adobe.xmp"})
            found += [key for key, value in known.items() if "Secret" in value]
    return found
