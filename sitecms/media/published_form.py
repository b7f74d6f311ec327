"""Published form of a media file: the bytes that readers get, and their description."""

import hashlib
from datetime import datetime

from sitecms.content.media import MediaFile
from sitecms.errors import InvalidMedia
from sitecms.media.decoding.file_types import identify
from sitecms.media.metadata import strip_metadata

_DIGITS = 32


def published(data: bytes, original_name: str, created_at: datetime) -> tuple[MediaFile, bytes]:
    """Return the file without metadata, and its description. Equal bytes give equal results.

    Raises InvalidMedia for what `decoding.file_types.identify` refuses, and for a file whose metadata cannot be
    removed.
    """
    content_type = identify(data, original_name).content_type
    try:
        stripped = strip_metadata(data, content_type)
    except InvalidMedia as error:
        raise InvalidMedia(f"{original_name[:100]}: {error}") from error
    identified = identify(stripped, original_name)
    media = MediaFile(
        name=f"{hashlib.sha256(stripped).hexdigest()[:_DIGITS]}.{identified.extension}",
        original_name=original_name,
        content_type=identified.content_type,
        size_bytes=len(stripped),
        created_at=created_at,
        width=identified.width,
        height=identified.height,
    )
    return media, stripped
