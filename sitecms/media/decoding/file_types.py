"""Types of media files, determined from their bytes, never from their names."""

import struct
import warnings
from dataclasses import dataclass
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING

from sitecms.errors import InvalidMedia
from sitecms.media.decoding import signatures, svg

if TYPE_CHECKING:
    from PIL import Image

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
_HEIF_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"})
BROKEN = (  # what Pillow's readers let out where bytes make no sense
    OSError, EOFError, SyntaxError, ValueError, TypeError, LookupError, ArithmeticError, RuntimeError, struct.error,
)  # fmt: skip
_QUIET = Lock()  # the list of warning filters, set aside while Pillow warns of broken metadata, is the process's
OPENED = ("JPEG", "PNG", "WEBP", "GIF", "AVIF")


@dataclass(frozen=True, slots=True)
class Identified:
    """Type and extension of a file; width and height in pixels as displayed, for images."""

    content_type: str
    extension: str
    width: int | None = None
    height: int | None = None


def identify(data: bytes, original_name: str) -> Identified:
    """Identify an image, SVG, PDF, sound or video; only the header of an image is decoded.

    Raises InvalidMedia, naming the file, for everything else: an unknown or broken file, an image of more than
    MAX_PIXELS, an SVG that could run or load something.
    """
    try:
        if signature := signatures.recognise(data, original_name):
            return Identified(*signature)
        if data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS:
            raise InvalidMedia("HEIF (HEIC) pictures are not taken; save it as JPEG, PNG, WebP or AVIF")
        if svg.looks_like_xml(data):
            return Identified("image/svg+xml", "svg", *svg.inspect(data))
        return _raster(data)
    except InvalidMedia as error:
        raise InvalidMedia(f"{original_name[:100]}: {error}") from error


def _raster(data: bytes) -> Identified:
    from PIL import Image, UnidentifiedImageError

    try:
        with _QUIET, warnings.catch_warnings(action="ignore"), Image.open(BytesIO(data), formats=OPENED) as image:
            width, height = image.size
            if width * height > MAX_PIXELS:
                raise InvalidMedia(_too_large())
            sides = (height, width) if _orientation(image) in (5, 6, 7, 8) else (width, height)
            return Identified(*_FORMATS[image.format or ""], *sides)
    except Image.DecompressionBombError as error:
        raise InvalidMedia(_too_large()) from error
    except UnidentifiedImageError as error:
        raise InvalidMedia("not a JPEG, PNG, WebP, GIF, AVIF, SVG, PDF, MP3, Ogg, MP4 or WebM file") from error
    except BROKEN as error:
        raise InvalidMedia(f"the image is broken ({error})") from error


def _orientation(image: "Image.Image") -> int:
    """Return the EXIF orientation; 1 (upright) if the metadata are missing or broken."""
    from PIL import Image

    try:  # not the PNG reader's own getexif, which decodes the whole image
        return int(Image.Image.getexif(image).get(_ORIENTATION, 1))
    except BROKEN:
        return 1


def _too_large() -> str:
    return f"the image has more than {MAX_PIXELS // 1_000_000} megapixels"
