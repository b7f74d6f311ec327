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
from sitecms.content.text.removed_markup import ReportDropped
from sitecms.content.validation import split_locales
from sitecms.errors import InvalidFields
from sitecms.store.database import Session

NO_OBJECT = "Expected an object of fields."


class FieldCheck:
    """Checks the fields of one request; sanitises each text once, however often the plan is made."""

    def __init__(self, desk: Desk, locale: str) -> None:
        self._desk = desk
        self.locale = locale
        self._sanitized: dict[str, str] = {}
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

    def _html(self, text: str, _report: ReportDropped) -> str:
        if text not in self._sanitized:
            self._marks += count_marks(text)
            self._sanitized[text] = "" if too_many_marks(self._marks) else sanitize(text)
        return self._sanitized[text]


def status_of(sent: Sent) -> Status | None:
    """The status that is asked for; None where there is none or a wrong one."""
    status = sent.status()
    return Status(status) if status else None


def fields_payload(fields: SentFields) -> dict[str, FieldValue]:
    """The part of a write's payload that `request_fields` reads back."""
    by_locale: dict[str, FieldValue] = {locale: dict(raw) for locale, raw in fields.by_locale.items()}  # type: ignore[arg-type]  # it came from JSON
    return {
        "fields": by_locale,
        "status": fields.status.value if fields.status else None,
        "replaces": fields.replaces,
        "unschedules": fields.unschedules,
    }
