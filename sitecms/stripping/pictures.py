"""JPEG, PNG, WebP and GIF files: what decoding and display need stays, everything else is removed.

The orientation is the only EXIF value that is kept, because it decides how the picture is displayed.
"""

import re
import struct
import zlib
from collections.abc import Iterator

UPRIGHT = 1
_TAG = 0x0112
_BYTE_ORDERS = {b"II": "<", b"MM": ">"}
_TYPES = {3: "H", 4: "I"}
_EXTENSION, _IMAGE, _TRAILER = 0x21, 0x2C, 0x3B
_CONTROL, _TEXT, _APPLICATION = 0xF9, 0x01, 0xFF
_APPLICATIONS = (b"NETSCAPE2.0", b"ANIMEXTS1.0", b"ICCRGBG1012")  # loops, and a colour profile
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_ANCILLARY = 0x20  # bit of the first letter of a chunk that decoding does not need
_PNG_KEPT = frozenset(
    {
        b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"acTL", b"fcTL", b"fdAT",
        b"cHRM", b"gAMA", b"sRGB", b"iCCP", b"cICP", b"mDCV", b"cLLI", b"sBIT", b"bKGD", b"pHYs",
    }
)  # fmt: skip
_PICTURE = frozenset({b"VP8 ", b"VP8L", b"ALPH"})
_WEBP_KEPT = _PICTURE | {b"VP8X", b"ICCP", b"ANIM", b"ANMF"}
_HAS_EXIF = 0x08
_DEFINED_FLAGS = 0x3E
_METADATA_FLAGS = 0x0C
_FRAME_HEADER_BYTES = 16
_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_APP0, _APP1, _APP2, _APP14 = 0xE0, 0xE1, 0xE2, 0xEE
_BARE = frozenset({0x00, 0x01, *range(0xD0, 0xD9)})  # markers without a length: stuffing, TEM, RSTn, SOI
_DECODING = frozenset({*range(0xC0, 0xD0), _SOS, 0xDB, 0xDC, 0xDD, 0xDE, 0xDF}) - {0xC8}
_EXIF = b"Exif\x00"
_JFIF_BYTES, _ADOBE_BYTES = 12, 12  # without the thumbnail, and without anything behind the fields
_END_OF_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


def orientation_of(tiff: bytes) -> int:
    """Return the orientation, 1 to 8, in EXIF data that begin with their TIFF header; 1 if there is none."""
    order = _BYTE_ORDERS.get(tiff[:2])
    if order is None:
        return UPRIGHT
    try:
        (start,) = struct.unpack_from(f"{order}I", tiff, 4)
        (count,) = struct.unpack_from(f"{order}H", tiff, start)
        for number in range(count):
            tag, kind = struct.unpack_from(f"{order}HH", tiff, start + 2 + 12 * number)
            if tag == _TAG and kind in _TYPES:
                (value,) = struct.unpack_from(order + _TYPES[kind], tiff, start + 10 + 12 * number)
                return value if 1 <= value <= 8 else UPRIGHT
    except struct.error:
        return UPRIGHT
    return UPRIGHT


def minimal_exif(orientation: int) -> bytes:
    """Return EXIF data, beginning with the TIFF header, that hold only the orientation."""
    return struct.pack(">2sHIHHHIHHI", b"MM", 42, 8, 1, _TAG, 3, 1, orientation, 0, 0)


def strip_gif(data: bytes) -> bytes:
    """Return the GIF without comments and XMP, ended by its trailer."""
    position = 13 + _table_bytes(data[10])
    kept = [data[:position]]
    control = b""
    while position < len(data) and data[position] in (_EXTENSION, _IMAGE):
        start, label = position, data[position + 1]
        if data[start] == _IMAGE:
            position = _after_blocks(data, start + 11 + _table_bytes(data[start + 9]))
            kept += (control, data[start:position])
            control = b""
            continue
        position = _after_blocks(data, start + 2)
        if label == _CONTROL:
            control = data[start:position]
        elif label == _TEXT:  # what controls a text must not come to control the next picture
            control = b""
        elif label == _APPLICATION and data[start + 3 : start + 14] in _APPLICATIONS:
            kept.append(data[start:position])
    if data[position : position + 1] == struct.pack("B", _TRAILER):
        kept.append(data[position : position + 1])
    return b"".join(kept)


def _table_bytes(flags: int) -> int:
    """Return the size of the colour table that the flags announce."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _after_blocks(data: bytes, position: int) -> int:
    """Return the offset after a sequence of sub-blocks; in a truncated file, the end of the file."""
    while position < len(data) and data[position]:
        position += 1 + data[position]
    return min(position + 1, len(data))


def strip_png(data: bytes) -> bytes:
    """Return the PNG with its colour information and orientation, and no other metadata, ended by IEND."""
    kept: list[bytes] = []
    orientation = UPRIGHT
    for kind, whole in _png_chunks(without_broken_chunks(data)):
        if kind in _PNG_KEPT:
            kept.append(whole)
        elif kind == b"eXIf":
            orientation = orientation_of(whole[8:-4])
    if orientation != UPRIGHT:
        kept.insert(1, png_chunk(b"eXIf", minimal_exif(orientation)))
    return _PNG_SIGNATURE + b"".join(kept)


def without_broken_chunks(data: bytes) -> bytes:
    """Return a PNG without the chunks that browsers leave out, as draw.io writes them; another file as it is.

    That are chunks which no decoding needs, with a wrong checksum.
    """
    if not data.startswith(_PNG_SIGNATURE):
        return data
    chunks = list(_png_chunks(data))
    sound = [whole for kind, whole in chunks if _is_sound(kind, whole)]
    return data if len(sound) == len(chunks) else _PNG_SIGNATURE + b"".join(sound)


def _is_sound(kind: bytes, whole: bytes) -> bool:
    """Return False for a wrong checksum, except in a chunk that decoding needs or that is cut off."""
    (length,) = struct.unpack_from(">I", whole)
    if not kind[0] & _ANCILLARY or len(whole) < length + 12:
        return True
    return whole[-4:] == struct.pack(">I", zlib.crc32(whole[4:-4]))


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield type and bytes of each chunk up to IEND; the last chunk of a truncated file is shorter."""
    position = len(_PNG_SIGNATURE)
    while position + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        yield kind, data[position : position + length + 12]
        position += length + 12
        if kind == b"IEND":
            return


def png_chunk(kind: bytes, payload: bytes) -> bytes:
    """Return a chunk of a PNG file: length, kind, payload and checksum."""
    return struct.pack(">I", len(payload)) + kind + payload + struct.pack(">I", zlib.crc32(kind + payload))


def strip_webp(data: bytes) -> bytes:
    """Return the WebP with its colour profile and orientation, and no other metadata."""
    (size,) = struct.unpack_from("<I", data, 4)
    chunks = list(_webp_chunks(data[: 8 + size], 12))
    orientation = next((_orientation(payload) for kind, payload in chunks if kind == b"EXIF"), UPRIGHT)
    kept = [(kind, _frame(payload) if kind == b"ANMF" else payload) for kind, payload in chunks if kind in _WEBP_KEPT]
    if kept and kept[0][0] == b"VP8X":
        exif_flag = _HAS_EXIF if orientation != UPRIGHT else 0
        flags = kept[0][1][0] & _DEFINED_FLAGS & ~_METADATA_FLAGS | exif_flag
        kept[0] = (b"VP8X", bytes((flags,)) + kept[0][1][1:10])
        if exif_flag:
            kept.append((b"EXIF", minimal_exif(orientation)))
    body = b"".join(_webp_chunk(kind, payload) for kind, payload in kept)
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def _orientation(exif: bytes) -> int:
    """Return the orientation; some programs write the prefix of JPEG files before the TIFF header."""
    return orientation_of(exif.removeprefix(b"Exif\x00\x00"))


def _frame(payload: bytes) -> bytes:
    """Return a frame of an animation without unknown chunks."""
    chunks = _webp_chunks(payload, _FRAME_HEADER_BYTES)
    return payload[:_FRAME_HEADER_BYTES] + b"".join(_webp_chunk(*each) for each in chunks if each[0] in _PICTURE)


def _webp_chunks(data: bytes, position: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield type and payload of each chunk."""
    while position + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, position)
        if position + 8 + size > len(data):
            raise ValueError("a chunk that is longer than the file")
        yield kind, data[position + 8 : position + 8 + size]
        position += 8 + size + size % 2


def _webp_chunk(kind: bytes, payload: bytes) -> bytes:
    return kind + struct.pack("<I", len(payload)) + payload + b"\x00" * (len(payload) % 2)


def strip_jpeg(data: bytes) -> bytes:
    """Return the JPEG with its colour profile and orientation, and no other metadata.

    Everything after the first picture is removed, such as the further pictures of a phone's file (MPF).
    """
    kept: list[bytes] = []
    orientation, exif_at, has_exif = UPRIGHT, 0, False
    for marker, payload, scan in _segments(data):
        if marker == _APP1 and payload.startswith(_EXIF) and not has_exif:
            orientation, has_exif = orientation_of(payload[6:]), True
        elif (wanted := _wanted(marker, payload, is_first=not kept)) is not None:
            kept.append(_segment(marker, wanted) + scan)
            exif_at = exif_at or int(marker == _APP0)
    if orientation != UPRIGHT:
        kept.insert(exif_at, _segment(_APP1, _EXIF + b"\x00" + minimal_exif(orientation)))
    return b"".join((b"\xff\xd8", *kept))


def _segments(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield marker, payload and, for a scan, the coded data after it. Bytes between segments are skipped.

    A truncated file ends without its end marker.
    """
    position = 2
    while (position := data.find(b"\xff", position)) != -1 and position + 1 < len(data):
        marker = data[position + 1]
        position += 1 if marker == 0xFF else 2  # 0xFF may be repeated before a marker
        if marker in _BARE or marker == 0xFF:
            continue
        if marker == _EOI:
            yield marker, b"", b""
            return
        (length,) = struct.unpack_from(">H", data, position)
        end = position + length
        if length < 2 or end > len(data):
            raise ValueError("a segment that is longer than the file")
        payload, scan = data[position + 2 : end], b""
        if marker == _SOS:
            found = _END_OF_SCAN.search(data, end)
            start, end = end, found.start() if found else len(data)
            scan = data[start:end]
        yield marker, payload, scan
        position = end


def _wanted(marker: int, payload: bytes, *, is_first: bool) -> bytes | None:
    """Return the part of a segment's payload that stays; None for a segment that is removed."""
    if marker in _DECODING or marker == _EOI:
        return payload
    if marker == _APP2 and payload.startswith(b"ICC_PROFILE\x00"):
        return payload
    if marker == _APP0 and is_first and payload.startswith(b"JFIF\x00") and len(payload) >= _JFIF_BYTES:
        return payload[:_JFIF_BYTES] + b"\x00\x00"
    if marker == _APP14 and payload.startswith(b"Adobe") and len(payload) >= _ADOBE_BYTES:
        return payload[:_ADOBE_BYTES]
    return None


def _segment(marker: int, payload: bytes) -> bytes:
    length = b"" if marker == _EOI else struct.pack(">H", len(payload) + 2)
    return bytes((0xFF, marker)) + length + payload
