"""Types of media files, determined from their bytes; of texts, tables and archives also from their names.

These have no bytes that only they begin with, so they are taken from the site folder alone, where files have names.
"""

import re
import struct
import warnings
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import Struct

from sitecms import svg
from sitecms.content.media import CONTENT_TYPES
from sitecms.errors import InvalidMedia
from sitecms.media.decoding.cut_off import CUT_OFF, padded
from sitecms.stripping import without_broken_chunks

if TYPE_CHECKING:
    from PIL import Image


_CAPTIONS = re.compile(rb"(?:\xef\xbb\xbf)?WEBVTT(?:[ \t\r\n]|\Z)")
_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")
_EBML = b"\x1a\x45\xdf\xa3"
_VIDEO_BRANDS = frozenset(
    {b"isom", b"iso2", b"iso4", b"iso5", b"iso6", b"mp41", b"mp42", b"avc1", b"dash", b"M4V ", b"M4VH", b"MSNV"}
)
_AUDIO_BRANDS = frozenset({b"M4A ", b"M4B "})
_VIDEO_STREAMS = (b"\x80theora", b"BBCD\x00")
_AUDIO_STREAMS = (b"\x01vorbis", b"OpusHead", b"\x7fFLAC", b"Speex   ")
MAX_PIXELS = 50_000_000
_ORIENTATION = 0x0112  # EXIF tag; 5 to 8 lie on their side
_FORMATS = {
    "JPEG": ("image/jpeg", "jpg"),
    "MPO": ("image/jpeg", "jpg"),  # a JPEG with further pictures behind it, as phones write them
    "PNG": ("image/png", "png"),
    "WEBP": ("image/webp", "webp"),
    "GIF": ("image/gif", "gif"),
    "AVIF": ("image/avif", "avif"),
}
_HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"})
_MAX_BRANDS = 32
TOO_LARGE = f"the image has more than {MAX_PIXELS // 1_000_000} megapixels"
BROKEN = (  # what Pillow's readers let out where bytes make no sense
    OSError, EOFError, SyntaxError, ValueError, TypeError, LookupError, ArithmeticError, RuntimeError, struct.error,
)  # fmt: skip
_QUIET = Lock()  # the list of warning filters, set aside while Pillow warns of broken metadata, is the process's
OPENED = ("JPEG", "PNG", "WEBP", "GIF", "AVIF")


def recognise(data: bytes, original_name: str) -> tuple[str, str] | None:
    """Return content type and extension of a file that is no picture: sound, film, captions, a document to download.

    Return None for anything else.
    """
    if _CAPTIONS.match(data):
        return "text/vtt", "vtt"
    if data.startswith(b"%PDF-"):
        return "application/pdf", "pdf"
    if data.startswith(b"OggS"):
        return _ogg(data)
    if data[4:8] == b"ftyp":
        return _mp4(data[8:12])
    if data.startswith(_EBML) and b"\x42\x82\x84webm" in data[:128]:  # element DocType, four bytes, "webm"
        return "video/webm", "webm"
    if data.startswith(b"ID3") or (original_name.lower().endswith(".mp3") and _is_layer_three(data[:4])):
        return "audio/mpeg", "mp3"
    return _document(data, original_name)


def _document(data: bytes, original_name: str) -> tuple[str, str] | None:
    """Return content type and extension of a text, a table or an archive that is named as one."""
    extension = original_name.lower().rpartition(".")[2]
    if extension == "zip":
        return ("application/zip", "zip") if data.startswith(_ARCHIVES) else None
    if extension not in ("txt", "csv") or b"\0" in data:
        return None
    try:
        data.decode()
    except UnicodeDecodeError:
        raise InvalidMedia("the text is not in UTF-8; save it so") from None
    return CONTENT_TYPES[extension], extension


def _ogg(data: bytes) -> tuple[str, str] | None:
    head = data[:1024]  # the first page of each stream names its codec
    if any(mark in head for mark in _VIDEO_STREAMS):
        return "video/ogg", "ogv"
    return ("audio/ogg", "ogg") if any(mark in head for mark in _AUDIO_STREAMS) else None


def _mp4(brand: bytes) -> tuple[str, str] | None:
    if brand in _AUDIO_BRANDS:
        return "audio/mp4", "m4a"
    return ("video/mp4", "mp4") if brand in _VIDEO_BRANDS else None


def _is_layer_three(header: bytes) -> bool:
    """Return True for a valid MPEG audio frame header of layer III (ISO 11172-3, 2.4.1.3)."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE6 != 0xE2:
        return False
    version, bitrate, rate = header[1] >> 3 & 3, header[2] >> 4, header[2] >> 2 & 3
    return version != 1 and 0 < bitrate < 15 and rate != 3


def is_heic(data: bytes) -> bool:
    """Return whether a file is a HEIC picture: its box of brands (ISO 14496-12, 4.3) names HEVC, and not AVIF first."""
    if data[4:8] != b"ftyp":
        return False
    end = min(int.from_bytes(data[:4]), 16 + 4 * _MAX_BRANDS)
    brands = [data[8:12], *(data[start : start + 4] for start in range(16, end, 4))]
    return brands[0] != b"avif" and any(brand in _HEIC_BRANDS for brand in brands)


class Identified(Struct, frozen=True):
    """Type and extension of a file; width and height in pixels as displayed, for images."""

    content_type: str
    extension: str
    width: int | None = None
    height: int | None = None


def identify(data: bytes, original_name: str) -> Identified:
    """Identify an image, SVG, PDF, sound, video, captions, text or archive; only the header of an image is decoded.

    Raises InvalidMedia, naming the file, for everything else: an unknown or broken file, an image of more than
    MAX_PIXELS, an SVG that could run or load something.
    """
    try:
        if signature := recognise(data, original_name):
            return Identified(*signature)
        if is_heic(data):
            raise InvalidMedia(
                "HEIC pictures are taken by the studio alone, which converts them; upload it there, or save it as "
                "JPEG, PNG, WebP or AVIF"
            )
        if svg.looks_like_xml(data):
            return Identified("image/svg+xml", "svg", *svg.inspect(data))
        return _raster(data)
    except (InvalidMedia, svg.InvalidSvg) as error:
        raise InvalidMedia(f"{original_name[:100]}: {error}") from error


def _raster(data: bytes) -> Identified:
    from PIL import Image, UnidentifiedImageError

    data = without_broken_chunks(data)
    whole = padded(data)
    try:
        with _QUIET, warnings.catch_warnings(action="ignore"), Image.open(BytesIO(whole), formats=OPENED) as image:
            width, height = image.size
            if width * height > MAX_PIXELS:
                raise InvalidMedia(TOO_LARGE)
            sides = (height, width) if _orientation(image) in (5, 6, 7, 8) else (width, height)
            return Identified(*_FORMATS[image.format or ""], *sides)
    except Image.DecompressionBombError as error:
        raise InvalidMedia(TOO_LARGE) from error
    except BROKEN as error:
        if whole is not data:
            raise InvalidMedia(f"the image is broken ({CUT_OFF}); copy or save it again") from error
        if isinstance(error, UnidentifiedImageError):
            raise InvalidMedia("not a JPEG, PNG, WebP, GIF, AVIF, SVG, PDF, MP3, Ogg, MP4 or WebM file") from error
        raise InvalidMedia(f"the image is broken ({error})") from error


def _orientation(image: "Image.Image") -> int:
    """Return the EXIF orientation; 1 (upright) if the metadata are missing or broken."""
    from PIL import Image

    try:  # not the PNG reader's own getexif, which decodes the whole image
        return int(Image.Image.getexif(image).get(_ORIENTATION, 1))
    except BROKEN:
        return 1
