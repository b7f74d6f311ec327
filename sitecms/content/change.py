"""Changes to content, as values: files and API requests alike become changes before anything is stored.

A change names its entry and carries what is to be kept. `None` in a patch means "leave it as it is".
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct, field

from sitecms.content.addresses import OwnAddresses
from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.status import Status, Version
from sitecms.content.term import Term

if TYPE_CHECKING:
    from sitecms.content.text.removed_markup import Dropped

ENTRY_IDS = "ids"
"""The key in the payload of a creation of items that holds the ids of all of them."""
NAMES_REMOTE_MEDIA = "names_remote_media"
SCHEMA_DIGEST = "schema_digest"
CHANGE_KIND = "change_kind"
"""Keys in the payload of a write: true if remote media may have to be fetched when it is applied; the schema at its
acceptance; its kind in the history of the entry, if what it does is not enough to say it (`content.revision`)."""
MAX_WARNINGS = 20


class Origin(StrEnum):
    """The origin of an entry's last change: a file of the site folder, or a request."""

    FILE = "file"
    API = "api"


class EntryKind(StrEnum):
    """The kinds of entry a change may name."""

    POST = "post"
    PAGE = "page"
    ITEM = "item"


class Times(Struct, frozen=True):
    """Times that an author set by hand; sitecms sets those that are None."""

    created_at: datetime | None = None
    updated_at: datetime | None = None
    published_at: datetime | None = None
    scheduled_at: datetime | None = None


class PostChange(Struct, frozen=True):
    """A post to create or change. `id` names the post to change; without it a new post is made.

    `author` is a slug or email ("" means the site's owner), `categories` and `tags` are names, or terms
    with the slug that they get if they are new (missing terms are created). `body` is sanitised HTML, `markdown` the
    text that it was rendered from (None: it came as HTML), `translation_of` the slug of the post this is a variant of.
    `adopt` is for files alone: a file with it may replace a post that it was not loaded into before. `fields` are clean
    (content.validation); those of a file are as it has them until it is stored, since references are looked up then.
    """

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
    adopt: bool = False
    fields: Fields = field(default_factory=dict)


def change_of_post(post: Post) -> PostChange:
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


def change_of_version(entry: Page | Item) -> VersionChange:
    """Return the change that stores a version as it is, times included."""
    times = Times(entry.created_at, entry.updated_at, entry.published_at, entry.scheduled_at)
    return VersionChange(entry.locale, entry.version, entry.status, entry.fields, times)


class PageChange(Struct, frozen=True):
    """A page with all its versions: those not listed are removed. `page_type` is None for a Single Page.

    `titles` are those of locales that have a title of their own. `title` None: title and titles stay as stored;
    `addresses` likewise.
    """

    id: int
    page_type: str | None
    slug: str
    title: str | None
    versions: tuple[VersionChange, ...]
    addresses: OwnAddresses | None = None
    titles: Mapping[str, str] = field(default_factory=dict)


class ItemChange(Struct, frozen=True):
    """An item with all its versions: those not listed are removed. `addresses` as of a page."""

    id: int
    collection: str
    versions: tuple[VersionChange, ...]
    addresses: OwnAddresses | None = None


class Applied(Struct, frozen=True):
    """The effect of a change. `replaced` maps each field that had another value to its old value, shortened."""

    id: int
    created: bool
    replaced: Mapping[str, str] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """True if the change had an effect in the store."""
        return self.created or bool(self.replaced)


class Operation(StrEnum):
    """The operation that a write requests."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"


class WriteStatus(StrEnum):
    """Status of a write: `accepted` until it is applied, rejected by a check, or failed permanently."""

    ACCEPTED = "accepted"
    APPLIED = "applied"
    REJECTED = "rejected"
    FAILED = "failed"


class WriteWarning(Struct, frozen=True):
    """One kind of markup that was removed from a field: `snippet` begins the first of the `count` places."""

    field: str
    message: str
    snippet: str
    count: int = 1


class WriteWarnings(Struct, frozen=True):
    """The first MAX_WARNINGS warnings of a write, and the number of further ones."""

    shown: tuple[WriteWarning, ...] = ()
    left_out: int = 0


def write_warnings(dropped: Iterable[tuple[str, "Dropped"]]) -> WriteWarnings:
    """Return the warnings about markup that was removed from each field."""
    warnings = [WriteWarning(field, each.message, each.snippet, each.count) for field, each in dropped]
    return WriteWarnings(tuple(warnings[:MAX_WARNINGS]), len(warnings[MAX_WARNINGS:]))


class Write(Struct, frozen=True):
    """One accepted write, as it is stored.

    `sequence` is the order of acceptance, in which writes with one `entry_key` are applied. `entry_id` is assigned at
    acceptance; a creation of several items has that of the first. `payload` is plain data, checked
    by the action that accepted it. `errors` maps fields to messages for a write that was rejected or failed.
    `warnings` name markup that was removed from its HTML; they are shown once the write is applied. `failing_since` is
    when a remote file of an open write could not be fetched for the first time.
    """

    id: str
    sequence: int
    kind: EntryKind
    operation: Operation
    entry_key: str
    entry_id: int
    payload: Mapping[str, FieldValue]
    status: WriteStatus
    attempt: int
    errors: Mapping[str, list[str]]
    accepted_at: datetime
    finished_at: datetime | None = None
    token_id: int | None = None
    warnings: WriteWarnings = WriteWarnings()
    user_id: int | None = None
    failing_since: datetime | None = None

    @property
    def entry_ids(self) -> tuple[int, ...]:
        """The ids of all entries that the write creates or changes."""
        ids = self.payload.get(ENTRY_IDS)
        return tuple(int(str(entry_id)) for entry_id in ids) if isinstance(ids, list) else (self.entry_id,)


class IdempotencyKey(Struct, frozen=True):
    """The name that a client gave a request, and the request's digest: a request sent twice has one effect."""

    name: str
    digest: str
