"""Files of the media library, known by the digest of their content."""

import re
from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

MEDIA_PREFIX = "/media/"
NO_SUCH_FILE = "There is no media file {url}."
MEDIA_NAME = re.compile(r"/media/([0-9a-f]{32}\.[a-z0-9]{2,5})")
DERIVED_NAME = re.compile(r"/media/([0-9a-f]{32}-[0-9]{1,5}\.[a-z0-9]{2,5})")  # made from a media file, or for a page
DETAILS_FILE = "content/media.yaml"
"""The file of the site folder with alternative texts, focal points and tags."""

CONTENT_TYPES = {
    "avif": "image/avif",
    "csv": "text/csv",
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
    "txt": "text/plain; charset=utf-8",
    "vtt": "text/vtt",
    "webm": "video/webm",
    "webp": "image/webp",
    "zip": "application/zip",
}

MEDIA_ENDINGS = frozenset({*CONTENT_TYPES, "jpeg"})
"""Endings of the names of media files, as people write them in small letters."""
DOWNLOADED_TYPES = frozenset({"application/pdf", "application/zip", "text/csv", "application/octet-stream"})
FOCUS_PARTS = 100
MAX_TAGS, MAX_TAG_LENGTH = 50, 60
MIDDLE = FOCUS_PARTS // 2
_FOCUS_STEP = 5


def content_type_of(name: str) -> str:
    """Return the content type of a media file, by its extension."""
    return CONTENT_TYPES.get(name.partition(".")[2], "application/octet-stream")


def content_disposition_of(name: str) -> str:
    """Return `inline` or `attachment`: whether a browser shows or downloads a media file that is opened by itself.

    Documents are downloaded, since they may contain scripts, which would run at the site's own address.
    """
    return "attachment" if content_type_of(name) in DOWNLOADED_TYPES else "inline"


class MediaDetails(Struct, frozen=True):
    """Details that people give a file: alt text, or that it needs none; focal point in percent of its sides; tags.

    `focus_x` counts from the left, `focus_y` from the top. The point stays visible where the picture is cropped. Tags
    sort the library of the studio as folders do; readers do not see them.
    """

    alt: str = ""
    is_decorative: bool = False
    focus_x: int = MIDDLE
    focus_y: int = MIDDLE
    tags: tuple[str, ...] = ()

    @property
    def is_described(self) -> bool:
        """True if there is an alt text, or none is needed."""
        return self.is_decorative or bool(self.alt)

    @property
    def focus_classes(self) -> str:
        """Classes of the stylesheets for the focal point, in steps of 5 percent; "" for the middle."""
        if self.focus_x == self.focus_y == MIDDLE:  # as nearly always
            return ""
        x, y = (_FOCUS_STEP * round(each / _FOCUS_STEP) for each in (self.focus_x, self.focus_y))
        return "" if x == y == MIDDLE else f"focus x{x} y{y}"


NO_DETAILS = MediaDetails()


def clean_tags(names: Iterable[str]) -> tuple[str, ...]:
    """Return tags in their order without needless space, each once: case does not make another tag."""
    tags: dict[str, str] = {}
    for name in names:
        if tag := " ".join(name.split()):
            tags.setdefault(tag_key(tag), tag)
    return tuple(tags.values())


def tag_key(tag: str) -> str:
    """Return the text by which tags are compared."""
    return tag.casefold()


class MediaFile(Struct, frozen=True):
    """One stored file. `name` is `<32 hex digits of its SHA-256>.<extension>`; width and height in pixels."""

    name: str
    original_name: str
    content_type: str
    size_bytes: int
    created_at: datetime
    width: int | None = None
    height: int | None = None
    details: MediaDetails = NO_DETAILS

    @property
    def url(self) -> str:
        """The root-relative address under which both the API and the built site serve it."""
        return MEDIA_PREFIX + self.name

    @property
    def is_unnamed(self) -> bool:
        """True if no other name is known than the one in the library, as a text may name a file."""
        return self.original_name == self.name
