"""The fields of an entry, checked against its schema as a whole and made ready for the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.fields import Context, FieldWarning, Lookup, Message, clean_group
from sitecms.content.locale import Locales
from sitecms.content.schema.types import ContentSchema, FieldSpec
from sitecms.errors import InvalidFields


@dataclass(frozen=True, slots=True)
class CleanResult:
    """All fields of the entry as stored, and everything that was wrong; not to be stored if anything was.

    `warnings` name markup that was removed from HTML.
    """

    fields: dict[str, FieldValue]
    messages: tuple[Message, ...]
    warnings: tuple[FieldWarning, ...] = ()

    def by_place(self) -> dict[str, list[str]]:
        """The messages as the specification's 400 body has them, by place: `{"hero.title": [...]}`."""
        places: dict[str, list[str]] = {}
        for message in self.messages:
            places.setdefault(message.place, []).append(message.text)
        return places


def clean_fields(
    raw: Mapping[str, object],
    specs: Sequence[FieldSpec],
    schema: ContentSchema,
    lookup: Lookup,
    *,
    partial: bool = False,
    current: Fields | None = None,
    is_settled: bool = True,
) -> CleanResult:
    """The entry's fields from what was sent.

    What was not sent takes its default; with `partial` it keeps its value in `current`, which is what is stored, and
    components take over the keys that were sent (PATCH). `is_settled` is False while waiting writes may change that.
    """
    stored = dict(current) if current is not None else None
    context = Context(schema, lookup, current=stored, is_partial=partial, is_settled=is_settled)
    fields = clean_group(raw, specs, context)
    return CleanResult(fields, tuple(context.messages), tuple(context.warnings))


def split_locales(
    raw: Mapping[str, object], locales: Locales, otherwise: str | None = None
) -> dict[str, Mapping[str, object]]:
    """The fields by locale: localized where every key is a configured locale (decisions, Writes).

    Others are the fields of the locale `otherwise`, by default the default locale. Raises InvalidFields where a
    locale holds no object.
    """
    if not raw or not raw.keys() <= set(locales.codes):
        return {otherwise or locales.default: raw}
    split: dict[str, Mapping[str, object]] = {}
    for code, fields in raw.items():
        if not isinstance(fields, dict):
            raise InvalidFields({code: ["Must be an object of fields, since every key is a locale."]})
        split[code] = fields
    return split
