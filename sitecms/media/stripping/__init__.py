"""Removal of metadata from media files, without touching pixels, sound or video.

A published file discloses nothing about place, time, device and person: EXIF, XMP, IPTC, comments, embedded thumbnails,
further pictures and trailing bytes are removed; the colour profile and the orientation stay. Each module handles one
file format and reads only its structure. PDF, MP3, Ogg and WebM files are not changed.
"""

import struct
from collections.abc import Callable, Mapping

from sitecms.errors import InvalidMedia
from sitecms.media.decoding.cut_off import padded
from sitecms.media.decoding.file_types import identify
from sitecms.media.stripping.iso_media import strip_boxes
from sitecms.media.stripping.pictures import strip_gif, strip_jpeg, strip_png, strip_webp
from sitecms.media.svg import strip_drawing

_TAIL = 16
_STRIPPERS: Mapping[str, Callable[[bytes], bytes]] = {
    "image/jpeg": strip_jpeg,
    "image/png": strip_png,
    "image/webp": strip_webp,
    "image/gif": strip_gif,
    "image/avif": strip_boxes,
    "video/mp4": strip_boxes,
    "audio/mp4": strip_boxes,
}


def strip_metadata(data: bytes, content_type: str) -> bytes:
    """Return the file without metadata; the same object if there is nothing to remove.

    A second call changes nothing. A picture that ends too early still does. Raises InvalidMedia for a file whose
    structure is broken.
    """
    try:
        if content_type == "image/svg+xml":
            stripped = strip_drawing(data, _strip_embedded)
        elif content_type in _STRIPPERS:
            whole = padded(data)
            stripped = _STRIPPERS[content_type](whole)
            added = bytes(len(whole) - len(data)) if len(whole) > len(data) else b""
            if stripped.endswith(data[-_TAIL:] + added):  # else what was cut off is removed
                stripped = stripped.removesuffix(added)
        else:
            return data
    except (struct.error, IndexError, ValueError) as error:
        raise InvalidMedia(f"the file is broken ({error}), so its metadata cannot be removed; save it again") from error
    return data if stripped == data else stripped


def _strip_embedded(picture: bytes) -> bytes:
    return strip_metadata(picture, identify(picture, "a picture inside the SVG").content_type)
