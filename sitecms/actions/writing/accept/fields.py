"""Fields of pages and items in a request: split by locale, sanitised and checked against the stored versions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sitecms.actions.writing.accept.acceptance import WriteContext
from sitecms.actions.writing.accept.body_reader import BodyReader
from sitecms.actions.writing.accept.studio_values import StudioValues
from sitecms.actions.writing.request_fields import Merged, RequestLookup, SentFields, media_of, merge_fields
from sitecms.actions.writing.request_media import AskedMedia
from sitecms.content.change import EntryKind
from sitecms.content.field_value import Fields
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status
from sitecms.content.text.html import count_marks, sanitize, too_many_marks
from sitecms.content.text.removed_markup import Dropped, ReportDropped
from sitecms.content.validation import CleanResult, clean_fields, split_locales
from sitecms.content.writes import Operation, SentEntry, Write
from sitecms.errors import InvalidFields
from sitecms.store.database import Session
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.writes.writes import find_open

NO_OBJECT = "Expected an object of fields."


class FieldCheck:
    """The fields of one request, checked and sanitised; a text is sanitised once, also where the plan is repeated."""

    def __init__(self, context: WriteContext, locale: str) -> None:
        self._context = context
        self.locale = locale
        self._clean: dict[str, tuple[str, tuple[Dropped, ...]]] = {}
        self._marks = 0

    def split(self, raw: object, reader: BodyReader) -> Mapping[str, Mapping[str, object]]:
        """Return the fields by locale; {} with an error if they are not an object. PHP clients send {} as []."""
        raw = {} if raw == [] else raw
        if not isinstance(raw, dict):
            reader.refuse("fields", NO_OBJECT)
            return {}
        try:
            return split_locales(raw, self._context.locales, self.locale)
        except InvalidFields as error:
            reader.refuse_all(error.messages)
            return {}

    def merged(
        self,
        session: Session,
        media: AskedMedia,
        fields: SentFields,
        specs: Sequence[FieldSpec],
        schema: ContentSchema,
        changed: tuple[EntryKind, int] | None = None,
    ) -> Merged:
        """Return the versions as they would be stored, with the errors of the sent fields.

        `changed` are kind and id of the entry that the request changes; None: it creates one.
        """
        current: Sequence[Page | Item] | None = ()
        waiting: tuple[Write, ...] = ()
        if changed is not None:
            waiting = find_open(session, *changed)
            is_pending = any(write.operation is Operation.CREATE for write in waiting)
            current = None if is_pending else versions_of(session, *changed)
        media.stored = media_of(current or ())
        lookup = RequestLookup(session, media, self._html, self._context.settings.zone)
        return merge_fields(current, fields, specs, schema, lookup, is_settled=not waiting)

    def cleaned(
        self,
        session: Session,
        media: AskedMedia,
        raw: Mapping[str, object],
        specs: Sequence[FieldSpec],
        schema: ContentSchema,
        *,
        current: Fields | None,
        is_settled: bool,
    ) -> CleanResult:
        """Return fields as they would be stored, laid over the `current` ones if there are any."""
        lookup = RequestLookup(session, media, self._html, self._context.settings.zone)
        is_partial = current is not None
        return clean_fields(raw, specs, schema, lookup, partial=is_partial, current=current, is_settled=is_settled)

    def check_marks(self, reader: BodyReader) -> None:
        """Refuse fields that together hold more HTML than one text may."""
        if message := too_many_marks(self._marks):
            reader.refuse("fields", message)

    def _html(self, text: str, report: ReportDropped) -> str:
        if text not in self._clean:
            self._marks += count_marks(text)
            removed: list[Dropped] = []
            clean = "" if too_many_marks(self._marks) else sanitize(text, removed.append)
            self._clean[text] = clean, tuple(removed)
        clean, dropped = self._clean[text]
        for each in dropped:
            report(each)
        return clean


def sent_values(sent: SentFields, merged: Iterable[Merged], studio: StudioValues) -> dict[str, Any]:
    """Return the values of a `Save` that are those of its versions: of one entry, or of each that is created."""
    return {
        "entries": tuple(SentEntry(fields=each.sent) for each in merged),
        "status": studio.status(sent.status),
        "scheduled_at": studio.scheduled_at,
        "replaces": sent.replaces,
        "unpublishes": studio.unpublishes,
    }


def status_of(reader: BodyReader) -> Status | None:
    """Return the status that was sent; None if there is none or it is invalid."""
    status = reader.status()
    return Status(status) if status else None
