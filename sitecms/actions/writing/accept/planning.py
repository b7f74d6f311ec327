"""The context in which one request is planned, and its declared fields: split by locale, sanitised and checked."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.actions.writing.accept.acceptance import Body, Caller, WriteContext
from sitecms.actions.writing.accept.body_reader import BodyReader
from sitecms.actions.writing.free_addresses import PUBLIC, AddressRule
from sitecms.actions.writing.known_entries import KnownEntry
from sitecms.actions.writing.request_fields import Merged, RequestLookup, SentFields, merge_fields
from sitecms.actions.writing.request_media import AskedMedia, media_of
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.content.text.html import count_marks, sanitize, too_many_marks
from sitecms.content.text.removed_markup import Dropped, ReportDropped
from sitecms.content.validation import split_locales
from sitecms.content.writes import Operation, SentEntry
from sitecms.errors import InvalidFields
from sitecms.store.database import Session
from sitecms.store.entries.addresses import StoredAddress
from sitecms.store.entries.entry_state import written_versions
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes.writes import find_open

OCCUPIED = 'A {kind} cannot have the slug "{slug}": {occupant}.'
NO_ADDRESS = "This {kind} cannot have the address that follows from its fields: {occupant}."
NOT_ACCEPTED = 0
"""The id of an entry that is not accepted yet."""
NO_OBJECT = "Expected an object of fields."


class StudioValues(Struct, frozen=True):
    """Values of a write that forms of the studio send beside the body of a request.

    `scheduled_at` is the time to publish the entry, or its draft, at, `published_at` the date that a post is to have.
    `title` and `slug` are new names of a page, "" if it keeps them. With `unpublishes` the live version of a page or
    item ends in the locale of the write, and what it showed is a draft. `markdown` is the text that the body of a post
    was rendered from; with `ends_markdown` the post keeps none, even if the body stays the same; with `ends_copy` its
    working copy ends when the write is applied.
    """

    scheduled_at: datetime | None = None
    published_at: datetime | None = None
    title: str = ""
    slug: str = ""
    unpublishes: bool = False
    markdown: str | None = None
    ends_markdown: bool = False
    ends_copy: bool = False

    def status(self, sent: Status | None) -> Status | None:
        """Return the status of the write: a request cannot send that it is scheduled."""
        return sent if self.scheduled_at is None else Status.SCHEDULED


NO_STUDIO_VALUES = StudioValues()


class HtmlCleaner:
    """Sanitised HTML of one request: each text is sanitised once, also where the plan is repeated."""

    def __init__(self) -> None:
        self._clean: dict[str, tuple[str, tuple[Dropped, ...]]] = {}
        self._marks = 0

    def clean(self, text: str, report: ReportDropped) -> str:
        """Return clean HTML, "" if the texts together hold more than one may; report what was removed."""
        if text not in self._clean:
            self._marks += count_marks(text)
            removed: list[Dropped] = []
            clean = "" if too_many_marks(self._marks) else sanitize(text, removed.append)
            self._clean[text] = clean, tuple(removed)
        clean, dropped = self._clean[text]
        for each in dropped:
            report(each)
        return clean

    def problem(self) -> str:
        """Return what is wrong with the texts together, "" if they are fine."""
        return too_many_marks(self._marks)


class WriteRequest(Struct, frozen=True):
    """One request, from which each plan begins anew. `locale` is "" where a post is changed in its own.

    With `replaces` the fields that are sent replace all stored ones.
    `fields_html` cleans the HTML of declared fields, `body_html` that of the body of a post.
    """

    context: WriteContext
    caller: Caller
    kind: EntryKind
    body: Body
    locale: str
    studio: StudioValues
    replaces: bool = False
    fields_html: HtmlCleaner = field(default_factory=HtmlCleaner)
    body_html: HtmlCleaner = field(default_factory=HtmlCleaner)

    def planning(self, media: AskedMedia) -> "Planning":
        """Return the context of a plan in the session of the media."""
        return Planning(self, media, load_content_schema(media.session), BodyReader(self.body))


class Planning(Struct, frozen=True):
    """The context of one plan: the request, the store that it is checked against, and the errors so far."""

    request: WriteRequest
    media: AskedMedia
    schema: ContentSchema
    reader: BodyReader

    @property
    def session(self) -> Session:
        """The store that the request is checked against."""
        return self.media.session

    @property
    def kind(self) -> EntryKind:
        """The kind of the entry."""
        return self.request.kind

    @property
    def addresses(self) -> AddressRule:
        """The rule that an address belongs to one entry."""
        return self.addresses_in(self.session)

    def addresses_in(self, session: Session) -> AddressRule:
        """Return the rule in another state of the store."""
        return AddressRule(session, self.schema, self.request.context.settings)

    def new_address(self, locale: str, slug: str, page_type: str = "") -> StoredAddress:
        """Return what the address of a new version follows from."""
        moment = self.request.studio.scheduled_at or self.request.context.clock()
        return StoredAddress(self.kind, NOT_ACCEPTED, locale, slug, moment, page_type, "")

    def check_addresses(self, versions: Iterable[StoredAddress]) -> None:
        """Refuse the slug if one of the versions would have the address of another entry."""
        for each in versions:
            if "slug" not in self.reader.errors and (occupant := self.addresses.occupant(each)):
                self.reader.refuse("slug", OCCUPIED.format(kind=self.kind, slug=each.slug, occupant=occupant))

    def item_versions(self, item: Entry, merged: Merged, current: Sequence[Entry] = ()) -> list[Entry]:
        """Return the versions of an item that get an address by a write, and refuse those of other entries."""
        entries = [
            replace(item, locale=each.locale, fields=each.fields, version=Version.LIVE, status=Status.PUBLISHED)
            for each in merged.versions
            if (each.locale, each.status) in merged.saved and each.status in PUBLIC
        ]
        published = self.addresses.newly_published(entries, current)
        for each in published:
            if occupant := self.addresses.occupant_for(each):
                self.reader.refuse("fields", NO_ADDRESS.format(kind=self.kind, occupant=occupant))
        return published

    def check_allowed(self, owner: str) -> None:
        """Raise Forbidden unless the caller may write entries of the author, page type or collection."""
        self.request.caller.check_allowed(self.kind, owner)

    @property
    def lookup(self) -> RequestLookup:
        """The look-ups of the request, whose HTML is sanitised."""
        return RequestLookup(
            self.session, self.media, self.request.fields_html.clean, self.request.context.settings.zone
        )

    def split(self, raw: object) -> Mapping[str, Mapping[str, object]]:
        """Return the fields by locale; {} with an error if they are not an object. PHP clients send {} as []."""
        raw = {} if raw == [] else raw
        if not isinstance(raw, dict):
            self.reader.refuse("fields", NO_OBJECT)
            return {}
        try:
            return split_locales(raw, self.request.context.locales, self.request.locale)
        except InvalidFields as error:
            self.reader.refuse_all(error.messages)
            return {}

    def merged(self, fields: SentFields, specs: tuple[FieldSpec, ...], entry: KnownEntry | None = None) -> Merged:
        """Return the versions as they would be stored, with the errors of what was sent; without `entry` a new one."""
        waiting = find_open(self.session, entry.kind, entry.id) if entry else ()
        is_pending = any(write.operation is Operation.CREATE for write in waiting)
        current = written_versions(self.session, entry.kind, entry.id) if entry and not is_pending else ()
        self.media.stored = media_of(current)
        return merge_fields(
            None if is_pending else current, fields, specs, self.schema, self.lookup, is_settled=not waiting
        )

    def check_marks(self) -> None:
        """Refuse fields that together hold more HTML than one text may."""
        if message := self.request.fields_html.problem():
            self.reader.refuse("fields", message)

    def status(self) -> Status | None:
        """Return the status that was sent; None if there is none or it is invalid."""
        status = self.reader.status()
        return Status(status) if status else None

    def saved_values(self, sent: SentFields, merged: Iterable[Merged]) -> dict[str, Any]:
        """Return the values of a `Save` that are those of its versions: of one entry, or of each that is created."""
        return {
            "entries": tuple(SentEntry(fields=each.sent) for each in merged),
            "status": self.request.studio.status(sent.status),
            "scheduled_at": self.request.studio.scheduled_at,
            "replaces": sent.replaces,
            "unpublishes": self.request.studio.unpublishes,
        }
