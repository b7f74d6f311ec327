"""What views of pages and content have in common: how entries are shown, and what a request filters them by."""

from collections.abc import Sequence

from sitecms.actions.references.expand import Entry
from sitecms.actions.references.resolve import resolve_references
from sitecms.api.endpoint import Call
from sitecms.api.serializers.entry import EntrySerializer
from sitecms.content.field_path import field_filter, order_by
from sitecms.content.field_value import JsonObject
from sitecms.content.query import FieldFilter, Order, Scope
from sitecms.content.schema.types import ContentSchema, FieldSpec

SHOWING = ("preview", "locale", "levels", "alt_media_text")
"""The parameters that say what is shown of an entry."""


def scope_of(call: Call) -> Scope:
    """The locale and the versions that are asked for."""
    return Scope(call.locale, call.params.preview)


def show_entries(call: Call, schema: ContentSchema, entries: Sequence[Entry]) -> list[JsonObject]:
    """The entries as JSON, their references as deep as asked. Raises InvalidRequest beyond 10 MB."""
    params = call.params
    references = resolve_references(call.session, entries, schema, scope_of(call), params.levels)
    serializer = EntrySerializer(schema, references, call.addresses, alt_media_text=params.alt_media_text)
    return [serializer.show(entry, params.levels) for entry in entries]


def filters_of(call: Call, specs: Sequence[FieldSpec], schema: ContentSchema) -> tuple[FieldFilter, ...]:
    """The filters `fields.<name>=<value>`. Raises Forbidden for a field there is not."""
    return tuple(field_filter(name, text, specs, schema) for name, text in call.params.fields)


def order_of(call: Call, specs: Sequence[FieldSpec], schema: ContentSchema) -> Order | None:
    """The order that is asked for, None for the default one. Raises Forbidden for a field there is not."""
    return order_by(call.params.order, specs, schema) if call.params.order else None
