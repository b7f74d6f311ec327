"""Changes to content, as values: files and API requests alike become changes before anything is stored.

A change names its entry and carries what is to be kept. `None` in a patch means "leave it as it is".
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, TypeAlias

from msgspec import Struct, field

from sitecms.content.addresses import OwnAddresses
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.status import Status, Version
from sitecms.content.term import Term


class Origin(StrEnum):
    """The origin of an entry's last change: a file of the site folder, or a request."""

    FILE = "file"
    API = "api"


class Times(Struct, frozen=True):
    """Times that an author set by hand; sitecms sets those that are None."""

    created_at: datetime | None = None
    updated_at: datetime | None = None
    published_at: datetime | None = None
    scheduled_at: datetime | None = None


class PostChange(Struct, frozen=True):
    """A post to create or change. `id` names the post; without it, or with one that no post has, a new one is made.

    `author` is a slug or email ("" means the site's owner), `categories` and `tags` are names, or terms
    with the slug that they get if they are new (missing terms are created). `body` is sanitised HTML, `markdown` the
    text that it was rendered from (None: it came as HTML), `translation_of` the slug of the post this is a variant of.
    `fields` are clean (content.validation); those of a file are as it has them until it is stored, since references are
    looked up then.
    """

    kind: ClassVar[EntryKind] = EntryKind.POST
    locale: str
    slug: str
    title: str
    status: Status
    id: int | None = None
    translation_of: str = ""
    author: str = ""
    categories: tuple[str | Term, ...] = ()
    tags: tuple[str | Term, ...] = ()
    featured_image: str = ""
    featured_image_alt: str = ""
    body: str = ""
    summary: str = ""
    seo_title: str = ""
    meta_description: str = ""
    aliases: tuple[str, ...] = ()
    path: str = ""
    guid: str = ""
    markdown: str | None = None
    times: Times = field(default_factory=Times)
    fields: Fields = field(default_factory=dict)

    @property
    def addresses(self) -> OwnAddresses:
        """Its own path, former addresses and id in feeds."""
        paths = {self.locale: self.path} if self.path else {}
        return OwnAddresses(paths, {self.locale: self.aliases} if self.aliases else {}, self.guid)


def change_of_post(post: Entry) -> PostChange:
    """Return the change that stores a post as it is, times included."""
    return PostChange(
        locale=post.locale,
        slug=post.slug,
        title=post.title,
        status=post.status,
        id=post.id,
        author=post.author.slug,
        categories=tuple(term.name for term in post.categories),
        tags=tuple(term.name for term in post.tags),
        featured_image=post.featured_image,
        featured_image_alt=post.featured_image_alt,
        body=post.body,
        summary=post.summary,
        seo_title=post.seo_title,
        meta_description=post.meta_description,
        aliases=post.aliases,
        path=post.path,
        guid=post.guid,
        times=Times(post.created_at, post.updated_at, post.published_at, post.scheduled_at),
        fields=post.fields,
    )


class VersionChange(Struct, frozen=True):
    """One version of a page or item in one locale; `fields` are clean (content.validation)."""

    locale: str
    version: Version
    status: Status
    fields: Fields
    times: Times = field(default_factory=Times)


def change_of_version(entry: Entry) -> VersionChange:
    """Return the change that stores a version as it is, times included."""
    times = Times(entry.created_at, entry.updated_at, entry.published_at, entry.scheduled_at)
    return VersionChange(entry.locale, entry.version, entry.status, entry.fields, times)


class PageChange(Struct, frozen=True):
    """A page with all its versions: those not listed are removed. `page_type` is None for a Single Page.

    `titles` are those of locales that have a title of their own. `title` None: title and titles stay as stored;
    `addresses` likewise.
    """

    kind: ClassVar[EntryKind] = EntryKind.PAGE
    id: int
    page_type: str | None
    slug: str
    title: str | None
    versions: tuple[VersionChange, ...]
    addresses: OwnAddresses | None = None
    titles: Mapping[str, str] = field(default_factory=dict)


class ItemChange(Struct, frozen=True):
    """An item with all its versions: those not listed are removed. `addresses` as of a page."""

    kind: ClassVar[EntryKind] = EntryKind.ITEM
    id: int
    collection: str
    versions: tuple[VersionChange, ...]
    addresses: OwnAddresses | None = None


def change_of_versions(entry: Entry, versions: tuple[VersionChange, ...]) -> PageChange | ItemChange:
    """Return the change that gives the page or item of a version these versions; its names and addresses stay."""
    if KINDS[entry.kind].has_slug:
        return PageChange(entry.id, entry.type or None, entry.slug, None, versions)
    return ItemChange(entry.id, entry.type, versions)


EntryChange: TypeAlias = PostChange | PageChange | ItemChange
"""A change of an entry of any kind."""


class Applied(Struct, frozen=True):
    """The effect of a change. `replaced` maps each field that had another value to its old value, shortened."""

    id: int
    created: bool
    replaced: Mapping[str, str] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """True if the change had an effect in the store."""
        return self.created or bool(self.replaced)
