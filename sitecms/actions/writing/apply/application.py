"""The context in which a write is applied, and the declared fields of its entries as they are to be stored."""

from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from sitecms.actions.writing.request_fields import Merged, ReadHtml, RequestLookup, SentFields, merge_fields
from sitecms.actions.writing.request_media import FetchedMedia, MediaSource, media_of
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS, declared_fields
from sitecms.content.schema import ContentSchema
from sitecms.content.text.html import sanitize
from sitecms.content.validation import CleanResult, clean_fields
from sitecms.content.writes import Operation, Save, SentEntry, Write
from sitecms.errors import NotFound
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.site_state.documents import content_schema_digest, load_content_schema

ENTRY_GONE = "The {kind} was deleted before this write was applied."
_ORIGINAL_GONE = "The original post was deleted before this variant was made."


class Application(Struct, frozen=True):
    """A write as it is applied at a time, in the session of its media. `html` returns HTML of fields as it is kept.

    `base` is the post that the sent fields are laid over: the post itself, or the original of a variant.
    """

    write: Write
    settings: SiteSettings
    media: MediaSource
    at: datetime
    html: ReadHtml
    schema: ContentSchema
    base: Entry | None = None

    @property
    def session(self) -> Session:
        """The session in which the write is applied."""
        return self.media.session

    @property
    def save(self) -> Save:
        """The payload of the write."""
        return self.write.save

    @property
    def is_creation(self) -> bool:
        """True if the write creates entries."""
        return self.write.operation is Operation.CREATE

    @property
    def stored_media(self) -> frozenset[str]:
        """The addresses of the media that the base shows."""
        return media_of((self.base,) if self.base else ())

    def merged(self, entry: SentEntry) -> Merged:
        """Return the versions of a page or item. Raises NotFound if its type or collection is no longer declared."""
        save, write = self.save, self.write
        current = () if self.is_creation else versions_of(self.session, write.kind, write.entry_id)
        self.media.stored = media_of(current)
        sent = SentFields(entry.fields, save.status, save.replaces, save.scheduled_at, save.unpublishes)
        specs = declared_fields(self.schema, write.kind, save.type, save.slug)
        return merge_fields(current, sent, specs, self.schema, self._lookup())

    def all_merged(self) -> Iterator[tuple[SentEntry, Merged, dict[str, list[str]]]]:
        """Yield each page or item with its versions, and its errors by their place in the request."""
        for number, entry in enumerate(self.write.entries):
            merged = self.merged(entry)
            before = "" if len(self.write.entries) == 1 else f"fields[{number}]."
            yield entry, merged, {before + place: list(texts) for place, texts in merged.errors.items()}

    def post_fields(self) -> CleanResult | None:
        """Return the declared fields of a post as they are to be stored; None if the write leaves them."""
        schema, base = self.schema, self.base
        sent = next((entry.fields.get(self.save.locale) for entry in self.write.entries), None)
        if not schema.post_fields or (sent is None and base is not None):
            return None
        current = base.fields if base else None
        return clean_fields(
            sent or {}, schema.post_fields, schema, self._lookup(), partial=base is not None, current=current
        )

    def _lookup(self) -> RequestLookup:
        return RequestLookup(self.session, self.media, self.html, self.settings.zone)


def application_of(
    write: Write, settings: SiteSettings, media: MediaSource, at: datetime, html: ReadHtml = lambda text, _report: text
) -> Application:
    """Return the application of the write, with the content schema as it is now.

    Raises NotFound where the post that it changes or copies was deleted.
    """
    session = media.session
    return Application(write, settings, media, at, html, load_content_schema(session), _base(session, write))


def _base(session: Session, write: Write) -> Entry | None:
    copy_of = write.save.copy_of
    if KINDS[write.kind].has_versions or (copy_of is None and write.operation is Operation.CREATE):
        return None
    versions = versions_of(session, write.kind, write.entry_id if copy_of is None else copy_of)
    if not versions:
        raise NotFound(ENTRY_GONE.format(kind=write.kind) if copy_of is None else _ORIGINAL_GONE)
    return versions[-1]


def is_schema_changed(session: Session, write: Write) -> bool:
    """Return whether the content schema has changed since the write was accepted."""
    return write.save.schema_digest != content_schema_digest(session)


def html_reader(write: Write, media: FetchedMedia) -> ReadHtml:
    """Return the function that resolves media in HTML, which was sanitised when the write was accepted.

    If the schema has changed since then, a field that was plain text may hold HTML now: it is sanitised here.
    """
    if is_schema_changed(media.session, write):
        return lambda html, report: media.place_in(sanitize(html, report))
    return lambda html, _report: media.place_in(html)
