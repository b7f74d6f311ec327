"""Removal of metadata from the files of the library.

A published file discloses nothing about place, time, device and person. PDF, MP3, Ogg and WebM files are not changed.
"""

from sitecms.errors import InvalidMedia
from sitecms.media.decoding.cut_off import padded
from sitecms.media.decoding.file_types import identify
from sitecms.stripping import strip
from sitecms.svg import InvalidSvg, strip_drawing

_TAIL = 16


def strip_metadata(data: bytes, content_type: str) -> bytes:
    """Return the file without metadata; the same object if there is nothing to remove.

    A second call changes nothing. A picture that ends too early still does. Raises InvalidMedia for a file whose
    structure is broken.
    """
    try:
        is_drawing = content_type == "image/svg+xml"
        stripped = strip_drawing(data, _strip_embedded) if is_drawing else _strip(data, content_type)
    except InvalidSvg as error:
        raise InvalidMedia(str(error)) from error
    except ValueError as error:
        raise InvalidMedia(f"the file is broken ({error}), so its metadata cannot be removed; save it again") from error
    return data if stripped == data else stripped


def _strip(data: bytes, content_type: str) -> bytes:
    whole = padded(data)
    stripped = strip(whole, content_type)
    added = bytes(len(whole) - len(data)) if len(whole) > len(data) else b""
    if stripped.endswith(data[-_TAIL:] + added):  # else what was cut off is removed
        stripped = stripped.removesuffix(added)
    return stripped


def _strip_embedded(picture: bytes) -> bytes:
    return strip_metadata(picture, identify(picture, "a picture inside the SVG").content_type)
