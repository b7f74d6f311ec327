"""Serialization, filters and order of pages and items, which several views share."""

from collections.abc import Sequence

from sitecms.actions.references import resolve_references
from sitecms.api.endpoint import Call
from sitecms.api.entry_serializer import EntrySerializer
from sitecms.content.field_path import field_filter, order_by
from sitecms.content.field_value import JsonObject
from sitecms.content.item import Entry
from sitecms.content.query import FieldFilter, Order, Visibility
from sitecms.content.schema.types import ContentSchema, FieldSpec

ENTRY_PARAMETERS = ("preview", "locale", "levels", "alt_media_text")
"""The parameters that decide what a response shows of an entry."""


def scope_of(call: Call) -> Visibility:
    """Return the requested locale and version."""
    return Visibility(call.locale, call.params.preview)


def serialize_entries(call: Call, schema: ContentSchema, entries: Sequence[Entry]) -> list[JsonObject]:
    """Return the entries as JSON, with references followed as deep as requested. Raises InvalidRequest beyond 10 MB."""
    params = call.params
    references = resolve_references(call.session, entries, schema, scope_of(call), params.levels)
    serializer = EntrySerializer(schema, references, call.addresses, alt_media_text=params.alt_media_text)
    return [serializer.entry(entry, params.levels) for entry in entries]


def filters_of(call: Call, specs: Sequence[FieldSpec], schema: ContentSchema) -> tuple[FieldFilter, ...]:
    """Return the filters `fields.<name>=<value>`. Raises Forbidden for an unknown field."""
    return tuple(field_filter(name, text, specs, schema) for name, text in call.params.fields)


def order_of(call: Call, specs: Sequence[FieldSpec], schema: ContentSchema) -> Order | None:
    """Return the requested order, None for the default one. Raises Forbidden for an unknown field."""
    return order_by(call.params.order, specs, schema) if call.params.order else None
