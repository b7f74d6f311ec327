"""Files of the media library, known by the digest of their content."""

import re
from dataclasses import dataclass
from datetime import datetime

MEDIA_PREFIX = "/media/"
MEDIA_NAME = re.compile(r"/media/([0-9a-f]{32}\.[a-z0-9]{2,5})")
DERIVED_NAME = re.compile(r"/media/([0-9a-f]{32}-[0-9]{1,5}\.[a-z0-9]{2,5})")  # made from a media file, or for a page

CONTENT_TYPES = {
    "avif": "image/avif",
    "gif": "image/gif",
    "jpg": "image/jpeg",
    "m4a": "audio/mp4",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "ogg": "audio/ogg",
    "ogv": "video/ogg",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "webm": "video/webm",
    "webp": "image/webp",
}

DOWNLOADED_TYPES = frozenset({"application/pdf", "application/octet-stream"})


def content_type_of(name: str) -> str:
    """Return the content type of a media file, by its extension."""
    return CONTENT_TYPES.get(name.partition(".")[2], "application/octet-stream")


def content_disposition_of(name: str) -> str:
    """Return `inline` or `attachment`: whether a browser shows or downloads a media file that is opened by itself.

    Documents are downloaded, since they may contain scripts, which would run at the site's own address.
    """
    return "attachment" if content_type_of(name) in DOWNLOADED_TYPES else "inline"


@dataclass(frozen=True, slots=True)
class MediaFile:
    """One stored file. `name` is `<32 hex digits of its SHA-256>.<extension>`; width and height in pixels."""

    name: str
    original_name: str
    content_type: str
    size_bytes: int
    created_at: datetime
    width: int | None = None
    height: int | None = None

    @property
    def url(self) -> str:
        """The root-relative address under which both the API and the built site serve it."""
        return MEDIA_PREFIX + self.name
