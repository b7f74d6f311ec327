"""A blog post: one variant in one locale, linked to its translations by `group_id`."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar

from msgspec import Struct, field

from sitecms.content.author import Author
from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.content.term import Term

FIELDS = "fields"
"""The key of the fields that schema/post.yaml declares, in files, requests and answers."""


class Post(Struct, frozen=True):
    """A post (API reference, Blog post). `body` is sanitised HTML; media addresses are `/media/...` or remote URLs.

    `published_at` is None until the post was first published; `scheduled_at` is None unless it is scheduled.
    `aliases` are old site paths that lead here. `path` is its own path in place of the permalink, `guid` its id in
    feeds; both are "" where it has none. `reading_minutes`, `body_digest` and `body_media` (names of media
    files) are computed from the body when it is saved, so that lists and builds need not read it. `fields` are those
    that schema/post.yaml declares, stored as in `content.page.Page`. A post has no type, and its
    one version is live.
    """

    kind: ClassVar[EntryKind] = EntryKind.POST
    type: ClassVar[str] = ""
    version: ClassVar[Version] = Version.LIVE

    id: int
    group_id: int
    locale: str
    slug: str
    title: str
    status: Status
    author: Author
    created_at: datetime
    updated_at: datetime
    published_at: datetime | None = None
    scheduled_at: datetime | None = None
    categories: tuple[Term, ...] = ()
    tags: tuple[Term, ...] = ()
    featured_image: str = ""
    featured_image_alt: str = ""
    body: str = ""
    summary: str = ""
    seo_title: str = ""
    meta_description: str = ""
    aliases: tuple[str, ...] = ()
    reading_minutes: int = 1
    body_digest: str = ""
    body_media: tuple[str, ...] = ()
    path: str = ""
    guid: str = ""
    fields: Fields = field(default_factory=dict)

    @property
    def aliases_by_locale(self) -> Mapping[str, tuple[str, ...]]:
        """Former addresses by locale."""
        return {self.locale: self.aliases} if self.aliases else {}


class PostLink(Struct, frozen=True):
    """The link to a neighbouring post (API reference, Blog post)."""

    slug: str
    title: str
    featured_image: str = ""
