"""What accepting writes of pages and of items has in common."""

from collections.abc import Mapping, Sequence

from sitecms.actions.writing.accept.acceptance import Desk
from sitecms.actions.writing.accept.body_reader import Sent
from sitecms.actions.writing.request_fields import Merged, RequestLookup, SentFields, media_of, merge_fields
from sitecms.actions.writing.request_media import AskedMedia
from sitecms.content.field_value import FieldValue
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.schema.types import ContentSchema, FieldSpec
from sitecms.content.status import Status
from sitecms.content.text.html import count_marks, sanitize, too_many_marks
from sitecms.content.text.removed_markup import Dropped, ReportDropped
from sitecms.content.validation import split_locales
from sitecms.errors import InvalidFields
from sitecms.store.database import Session

NO_OBJECT = "Expected an object of fields."


class FieldCheck:
    """The fields of one request, checked and sanitised; a text is sanitised once, also where the plan is repeated."""

    def __init__(self, desk: Desk, locale: str) -> None:
        self._desk = desk
        self.locale = locale
        self._clean: dict[str, tuple[str, tuple[Dropped, ...]]] = {}
        self._marks = 0

    def split(self, raw: object, sent: Sent, name: str = "fields") -> Mapping[str, Mapping[str, object]]:
        """The fields by locale; {} and a message if they are no object. PHP clients send an empty one as a list."""
        raw = {} if raw == [] else raw
        if not isinstance(raw, dict):
            sent.refuse(name, NO_OBJECT)
            return {}
        try:
            return split_locales(raw, self._desk.locales, self.locale)
        except InvalidFields as error:
            for place, texts in error.messages.items():
                sent.refuse(place, *texts)
            return {}

    def merged(
        self,
        session: Session,
        media: AskedMedia,
        current: Sequence[Page | Item] | None,
        fields: SentFields,
        specs: Sequence[FieldSpec],
        schema: ContentSchema,
        *,
        is_settled: bool = True,
    ) -> Merged:
        """The versions there will be, and what is wrong with what was sent."""
        media.stored = media_of(current or ())
        lookup = RequestLookup(session, media, self._html)
        return merge_fields(current, fields, specs, schema, lookup, is_settled=is_settled)

    def check_marks(self, sent: Sent) -> None:
        """Refuse fields that together hold more HTML than one text may."""
        if message := too_many_marks(self._marks):
            sent.refuse("fields", message)

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


def status_of(sent: Sent) -> Status | None:
    """The status that is asked for; None where there is none or a wrong one."""
    status = sent.status()
    return Status(status) if status else None


def sent_fields(merged: Merged) -> dict[str, FieldValue]:
    """Return the sent fields by locale as the payload of a write keeps them, with clean HTML."""
    return {locale: dict(raw) for locale, raw in merged.sent.items()}  # type: ignore[arg-type]  # it came from JSON


def fields_payload(fields: SentFields, merged: Merged) -> dict[str, FieldValue]:
    """Return the part of an update's or a page's payload that `SentFields` is read back from."""
    return {
        "fields": sent_fields(merged),
        "status": fields.status.value if fields.status else None,
        "replaces": fields.replaces,
        "unschedules": fields.unschedules,
    }
