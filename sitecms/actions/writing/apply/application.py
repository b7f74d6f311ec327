"""The context in which a write is applied, and the declared fields of its entries as they are to be stored."""

from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.writing.request_fields import Merged, ReadHtml, RequestLookup, SentFields, merge_fields
from sitecms.actions.writing.request_media import FetchedMedia, MediaSource, media_of
from sitecms.content.entry import FIELDS, Entry
from sitecms.content.kinds import KINDS, declared_fields
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.text.html import sanitize
from sitecms.content.writes import Operation, Save, SentEntry, Write
from sitecms.errors import NotFound
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries.entry_state import written_versions
from sitecms.store.site_state.documents import content_schema_digest, load_content_schema

ENTRY_GONE = "The {kind} was deleted before this write was applied."
_ORIGINAL_GONE = "The original post was deleted before this variant was made."


class Application(Struct, frozen=True):
    """A write as it is applied at a time, in the session of its media. `html` returns HTML of fields as it is kept.

    `current` are the versions that the sent values are laid over: those stored, or of a new variant the original.
    """

    write: Write
    settings: SiteSettings
    media: MediaSource
    at: datetime
    html: ReadHtml
    schema: ContentSchema
    current: tuple[Entry, ...]

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
        """The addresses of the media that the entry shows."""
        return media_of(self.current)

    def merged(self, entry: SentEntry) -> Merged:
        """Return the versions of an entry. Raises NotFound if its type or collection is no longer declared."""
        save, kind = self.save, self.write.kind
        self.media.stored = self.stored_media
        fields = entry.fields or ({} if self.current else {save.locale: {}})
        if self.current and not KINDS[kind].has_locales:  # a file may have moved it to another one
            locales = (each.locale for each in self.current)
            fields = dict(zip(locales, fields.values(), strict=False))
        sent = SentFields(kind, fields, save.status, save.replaces, save.scheduled_at, save.unpublishes)
        specs = declared_fields(self.schema, kind, save.type, save.slug)
        lookup = RequestLookup(self.session, self.media, self.html, self.settings.zone)
        return merge_fields(self.current, sent, specs, self.schema, lookup)

    def all_merged(self) -> Iterator[tuple[SentEntry, Merged, dict[str, list[str]]]]:
        """Yield each entry with its versions, and its errors by their place in the request."""
        inside = f"{FIELDS}." if KINDS[self.write.kind].has_body else ""
        for number, entry in enumerate(self.write.entries):
            merged = self.merged(entry)
            before = inside if len(self.write.entries) == 1 else f"fields[{number}]."
            yield entry, merged, {before + place: list(texts) for place, texts in merged.errors.items()}


def application_of(
    write: Write, settings: SiteSettings, media: MediaSource, at: datetime, html: ReadHtml = lambda text, _report: text
) -> Application:
    """Return the application of the write, with the content schema as it is now.

    Raises NotFound where the entry that it changes or copies was deleted.
    """
    return Application(
        write, settings, media, at, html, load_content_schema(media.session), _current(media.session, write)
    )


def _current(session: Session, write: Write) -> tuple[Entry, ...]:
    """Return the versions that a write changes; of a new variant, the original as one in its locale."""
    save, kind = write.save, write.kind
    if save.copy_of is None:
        versions = () if write.operation is Operation.CREATE else written_versions(session, kind, write.entry_id)
        if not versions and write.operation is not Operation.CREATE:
            raise NotFound(ENTRY_GONE.format(kind=kind))
        return versions
    copied = written_versions(session, kind, save.copy_of)
    if not copied:
        raise NotFound(_ORIGINAL_GONE)
    is_public = copied[0].is_live
    status = Status.PUBLISHED if is_public else Status.DRAFT
    return tuple(replace(each, locale=save.locale, status=status, markdown=None) for each in copied)


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
