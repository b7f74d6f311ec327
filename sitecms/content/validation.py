"""Validation of an entry's fields by its schema, which also gives them their stored form."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from msgspec import Struct

from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.fields import CleanHtml, Context, FieldWarning, Lookup, Message, clean_group
from sitecms.content.locale import Locales
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.errors import InvalidFields


class CleanResult(Struct, frozen=True):
    """All fields of the entry as stored, and all errors; fields with errors must not be stored.

    `warnings` name markup that was removed from HTML, `html` is the HTML that cleaning changed.
    """

    fields: dict[str, FieldValue]
    messages: tuple[Message, ...]
    warnings: tuple[FieldWarning, ...] = ()
    html: tuple[CleanHtml, ...] = ()

    def with_clean_html(self, raw: Mapping[str, object]) -> dict[str, object]:
        """Return what was sent, plain data as it comes from JSON, with its HTML as it was cleaned.

        Defaults and stored values that were not sent are left out, although their HTML may have been cleaned as well.
        """
        if not self.html:
            return dict(raw)
        sent: dict[str, object] = orjson.loads(orjson.dumps(raw))
        for path, text in self.html:
            *parents, last = path
            holder: Any = sent
            for step in parents:
                holder = _child(holder, step)
            if isinstance(_child(holder, last), str):
                holder[last] = text
        return sent

    def by_place(self) -> dict[str, list[str]]:
        """Return the messages by place, as the body of a 400 has them: `{"hero.title": [...]}`."""
        places: dict[str, list[str]] = {}
        for message in self.messages:
            places.setdefault(message.place, []).append(message.text)
        return places


def _child(holder: Any, step: str | int) -> Any:
    """Return the value at one step of a path; None if nothing was sent there."""
    if isinstance(holder, dict):
        return holder.get(step)
    return holder[step] if isinstance(holder, list) and isinstance(step, int) and step < len(holder) else None


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
    """Return the entry's fields from those that were sent.

    A field that was not sent takes its default; with `partial` it keeps its value in `current`, the stored fields, and
    components are merged with theirs (PATCH). `is_settled` is False while waiting writes may change the stored fields.
    """
    stored = dict(current) if current is not None else None
    context = Context(schema, lookup, current=stored, is_partial=partial, is_settled=is_settled)
    fields = clean_group(raw, specs, context)
    return CleanResult(fields, tuple(context.messages), tuple(context.warnings), tuple(context.html))


def split_locales(
    raw: Mapping[str, object], locales: Locales, otherwise: str | None = None
) -> dict[str, Mapping[str, object]]:
    """Return the fields by locale; they are localized where every key is a configured locale (API reference, Writes).

    Others are the fields of the locale `otherwise`, by default the default locale. Raises InvalidFields where the
    value of a locale is not an object.
    """
    if not raw or not raw.keys() <= set(locales.codes):
        return {otherwise or locales.default: raw}
    split: dict[str, Mapping[str, object]] = {}
    for code, fields in raw.items():
        if not isinstance(fields, dict):
            raise InvalidFields({code: ["Must be an object of fields, since every key is a locale."]})
        split[code] = fields
    return split
