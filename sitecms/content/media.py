"""Files of the media library, known by the digest of their content."""

import re
from dataclasses import dataclass
from datetime import datetime

MEDIA_PREFIX = "/media/"
MEDIA_NAME = re.compile(r"/media/([0-9a-f]{32}\.[a-z0-9]{2,5})")
DERIVED_NAME = re.compile(r"/media/([0-9a-f]{32}-[0-9]{1,5}\.[a-z0-9]{2,5})")  # made from a media file, or for a page


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
