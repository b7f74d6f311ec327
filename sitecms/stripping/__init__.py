"""Removal of metadata from pictures, sound and video, without touching pixels, sound or video.

EXIF, XMP, IPTC, comments, embedded thumbnails, further pictures and trailing bytes are removed; the colour profile and
the orientation stay. Each module handles one file format and reads only its structure. The package imports nothing of
sitecms.
"""

import struct
from collections.abc import Callable, Mapping

from sitecms.stripping.iso_media import strip_boxes
from sitecms.stripping.pictures import strip_gif, strip_jpeg, strip_png, strip_webp, without_broken_chunks

__all__ = ["strip", "without_broken_chunks"]

_STRIPPERS: Mapping[str, Callable[[bytes], bytes]] = {
    "image/jpeg": strip_jpeg,
    "image/png": strip_png,
    "image/webp": strip_webp,
    "image/gif": strip_gif,
    "image/avif": strip_boxes,
    "video/mp4": strip_boxes,
    "audio/mp4": strip_boxes,
}


def strip(data: bytes, content_type: str) -> bytes:
    """Return the file without metadata; unchanged if it is of another type. Raises ValueError for a broken file."""
    try:
        return _STRIPPERS[content_type](data) if content_type in _STRIPPERS else data
    except (struct.error, IndexError) as error:
        raise ValueError(str(error)) from error
