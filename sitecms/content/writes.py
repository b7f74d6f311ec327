"""Accepted writes and their payloads: what a request asks for, from its acceptance until it is applied.

The kind of entry is a value of the write. There is one payload for each verb, not for each kind.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import asdict

from sitecms.content.kinds import EntryKind
from sitecms.content.revision import ChangeKind
from sitecms.content.status import Status
from sitecms.content.term import Term

if TYPE_CHECKING:
    from sitecms.content.text.removed_markup import Dropped

MAX_WARNINGS = 20


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


class SentEntry(Struct, frozen=True, omit_defaults=True):
    """The declared fields that a write sends for one entry, by locale: as they were sent, with clean HTML.

    The `id` of a new entry is 0 until the write is accepted.
    """

    id: int = 0
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class BuiltInFields(Struct, frozen=True, omit_defaults=True):
    """The built-in fields that a write sends for a post; those that are None were not sent.

    Categories and tags are names, or terms with a slug.
    """

    summary: str | None = None
    body: str | None = None
    seo_title: str | None = None
    meta_description: str | None = None
    featured_image: str | None = None
    featured_image_alt: str | None = None
    categories: tuple[str | Term, ...] | None = None
    tags: tuple[str | Term, ...] | None = None


NO_BUILT_IN_FIELDS = BuiltInFields()


class Save(Struct, frozen=True, omit_defaults=True, tag_field="verb", tag="save"):
    """The payload of a write that creates or changes entries.

    `slug` names the entry (a post by its new slug), `new_slug` is one that it gets. `type` is the page type ("" for
    a Single Page) or the collection, `locale` that of the request. `title`, `author` (a slug) and `status` are None
    where the entry keeps its own, `published_at` where it keeps its date of publication. With `replaces` the fields
    replace all stored ones, with `unpublishes` the live version in the locales of the write ends. A post is a copy of
    the post `copy_of`, with what was sent in its place.
    `markdown` is the text that its body was rendered from. With `ends_copy` its working copy ends, with `ends_markdown`
    the Markdown that it has.

    `schema_digest` is the content schema at acceptance. `names_remote_media` if remote files may have to be fetched.
    `warnings` were part of the acknowledgement. `change_kind` names the change in the history, if the operation and
    the status do not determine it.
    """

    slug: str = ""
    new_slug: str = ""
    type: str = ""
    locale: str = ""
    title: str | None = None
    author: str | None = None
    status: Status | None = None
    scheduled_at: datetime | None = None
    published_at: datetime | None = None
    entries: tuple[SentEntry, ...] = ()
    built_in: BuiltInFields = NO_BUILT_IN_FIELDS
    markdown: str | None = None
    replaces: bool = False
    unpublishes: bool = False
    uploads_images: bool = False
    copy_of: int | None = None
    ends_copy: bool = False
    ends_markdown: bool = False
    schema_digest: str = ""
    names_remote_media: bool = False
    warnings: Mapping[str, str] = field(default_factory=dict)
    change_kind: ChangeKind | None = None

    def sent_values(self) -> Iterator[tuple[str, str, Any]]:
        """Yield name, locale and value of each sent field: built-in ones have the locale "", terms are names."""
        named = {"title": self.title, "slug": self.new_slug or None, "author": self.author, "status": self.status}
        for name, value in {**named, **asdict(self.built_in)}.items():
            if isinstance(value, tuple):
                yield name, "", [term if isinstance(term, str) else term.name for term in value]
            elif value is not None:
                yield name, "", value
        for entry in self.entries:
            for locale, fields in entry.fields.items():
                for name, value in fields.items():
                    yield name, locale, value


class Delete(Struct, frozen=True, omit_defaults=True, tag_field="verb", tag="delete"):
    """The payload of a deletion; with a `locale`, of that of a page or item, or of the post in it."""

    slug: str = ""
    type: str = ""
    locale: str = ""


class Unreadable(Struct, frozen=True):
    """A payload that this version cannot read: its text, and why not. A write with it fails."""

    text: str
    problem: str


Payload: TypeAlias = Save | Delete | Unreadable


class Write(Struct, frozen=True):
    """One accepted write, as it is stored.

    `sequence` is the order of acceptance, in which writes with one `entry_key` are applied. `entry_id` is assigned at
    acceptance; a creation of several items has that of the first. `errors` maps fields to messages for a write that
    was rejected or failed. `warnings` name markup that was removed from its HTML; they are shown once the write is
    applied. `failing_since` is when a remote file of an open write could not be fetched for the first time.
    """

    id: str
    sequence: int
    kind: EntryKind
    operation: Operation
    entry_key: str
    entry_id: int
    payload: Payload
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
    def save(self) -> Save:
        """The payload of a write that is not a deletion and can be read."""
        if not isinstance(self.payload, Save):
            raise TypeError(f"The write {self.id} saves nothing.")
        return self.payload

    @property
    def entries(self) -> tuple[SentEntry, ...]:
        """The entries that the write creates or changes, with the fields that it sends; none if it cannot be read."""
        return self.payload.entries if isinstance(self.payload, Save) else ()

    @property
    def entry_ids(self) -> tuple[int, ...]:
        """The ids of all entries that the write creates or changes."""
        return tuple(entry.id for entry in self.entries) or (self.entry_id,)

    @property
    def slug(self) -> str | None:
        """The slug of the post or page, None of an item."""
        return None if isinstance(self.payload, Unreadable) else self.payload.slug or None

    @property
    def type(self) -> str:
        """The type of the page, the collection of the item; "" of other entries."""
        return "" if isinstance(self.payload, Unreadable) else self.payload.type


class IdempotencyKey(Struct, frozen=True):
    """The name that a client gave a request, and the request's digest: a request sent twice has one effect."""

    name: str
    digest: str
