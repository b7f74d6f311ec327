"""Changes to content, as values: files and API requests alike become changes before anything is stored.

A change names its entry and carries what is to be kept. `None` in a patch means "leave it as it is".
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.content.addresses import OwnAddresses
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.status import Status, Version
from sitecms.content.term import Term


class Origin(StrEnum):
    """The origin of an entry's last change: a file of the site, a request, or a request that a file has since."""

    FILE = "file"
    API = "api"
    WRITTEN_BACK = "written back"


AS_IN_FILE = frozenset({Origin.FILE, Origin.WRITTEN_BACK})
"""The origins of entries that are as their files say."""


class Times(Struct, frozen=True):
    """Times that an author set by hand; sitecms sets those that are None."""

    created_at: datetime | None = None
    updated_at: datetime | None = None
    published_at: datetime | None = None
    scheduled_at: datetime | None = None


def publication(
    status: Status, times: Times, stored: tuple[Status, datetime | None] | None, at: datetime
) -> datetime | None:
    """Return the time of publication of what a change of that time stores; None for what was never published.

    `stored` are status and publication until now. The first publication is kept, unless the change names another time.
    A draft that is published before the time that was meant for it is published now.
    """
    was, former = stored or (None, None)
    published_at = times.published_at or former
    if status is not Status.PUBLISHED:
        return published_at
    is_early = was not in (None, Status.PUBLISHED) and published_at is not None and published_at > at
    return at if published_at is None or is_early else published_at


class VersionChange(Struct, frozen=True):
    """One version of an entry in one locale.

    `fields` are clean (content.validation); those of a post are as its file has them until it is stored, since
    references are looked up then. `author` is a slug or email ("" means the site's owner), `categories` and `tags` are
    names, or terms with the slug that they get if they are new (missing terms are created). `body` is sanitised HTML,
    `markdown` the text that it was rendered from (None: it came as HTML).
    """

    locale: str
    version: Version
    status: Status
    fields: Fields = field(default_factory=dict)
    times: Times = field(default_factory=Times)
    author: str = ""
    categories: tuple[str | Term, ...] = ()
    tags: tuple[str | Term, ...] = ()
    featured_image: str = ""
    featured_image_alt: str = ""
    summary: str = ""
    seo_title: str = ""
    meta_description: str = ""
    body: str = ""
    markdown: str | None = None


class EntryChange(Struct, frozen=True):
    """An entry with all its versions: those not listed are removed.

    `id` is 0 for an entry that gets the next one. `type` is the page type or collection. `titles` are those of locales
    that have a title of their own. `title` None: title and titles stay as stored; `addresses` likewise.
    `translation_of` is the slug of the post that a post is a variant of.
    """

    kind: EntryKind
    id: int
    type: str
    versions: tuple[VersionChange, ...]
    slug: str = ""
    title: str | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    addresses: OwnAddresses | None = None
    translation_of: str = ""

    @property
    def only(self) -> VersionChange:
        """The version of an entry of a kind that has one."""
        (version,) = self.versions
        return version

    def with_values(self, **values: Any) -> "EntryChange":
        """Return the change of an entry with one version, with other values of that."""
        return replace(self, versions=(replace(self.only, **values),))


def change_of_version(entry: Entry) -> VersionChange:
    """Return the change that stores a version as it is, times included."""
    return VersionChange(
        entry.locale,
        entry.version,
        entry.status,
        entry.fields,
        Times(entry.created_at, entry.updated_at, entry.published_at, entry.scheduled_at),
        author=entry.author.slug,
        categories=tuple(term.name for term in entry.categories),
        tags=tuple(term.name for term in entry.tags),
        featured_image=entry.featured_image,
        featured_image_alt=entry.featured_image_alt,
        summary=entry.summary,
        seo_title=entry.seo_title,
        meta_description=entry.meta_description,
        body=entry.body,
        markdown=entry.markdown,
    )


def change_of_versions(entry: Entry, versions: tuple[VersionChange, ...]) -> EntryChange:
    """Return the change that gives the entry of a version these versions; its names and addresses stay."""
    title = None if KINDS[entry.kind].has_draft_version else entry.title
    return EntryChange(entry.kind, entry.id, entry.type, versions, entry.slug, title, addresses=entry.addresses)


def change_of_entry(versions: Sequence[Entry]) -> EntryChange:
    """Return the change that stores an entry as it is, times included; the working copy of a post is no part of it."""
    own = [each for each in versions if not each.saved_by]
    return change_of_versions(own[0], tuple(map(change_of_version, own)))


class Applied(Struct, frozen=True):
    """The effect of a change. `replaced` maps each field that had another value to its old value, shortened."""

    id: int
    created: bool
    replaced: Mapping[str, str] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """True if the change had an effect in the store."""
        return self.created or bool(self.replaced)
