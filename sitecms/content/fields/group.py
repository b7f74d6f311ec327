"""Groups of fields: the fields of an entry, a component, or a row, in every form that a group takes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.fields.cleaning import Context
from sitecms.content.fields.outputs import FileOutput
from sitecms.content.fields.types import type_of
from sitecms.content.references import Target
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.documents import nearest
from sitecms.errors import PluginFailed
from sitecms.messages import N_


def clean_group(raw: Mapping[str, object], specs: Sequence[FieldSpec], context: Context) -> dict[str, FieldValue]:
    """Return every field of the group, in declared order: as sent, else (partial) as stored, else the default.

    After them come the stored values of fields that the schema no longer has, since clients cannot send them. Lists are
    replaced as a whole, so their entries keep none.
    """
    known = [spec.slug for spec in specs]
    for slug in raw:
        if slug not in known:
            context.at(slug).report(unknown_field(slug, known))
    current = context.current if isinstance(context.current, dict) else {}
    cleaned = {spec.slug: _clean_one(raw, spec, current, context) for spec in specs}
    hidden = {} if context.is_listed else {slug: value for slug, value in current.items() if slug not in known}
    return cleaned | hidden


def _clean_one(
    raw: Mapping[str, object], spec: FieldSpec, current: Mapping[str, FieldValue], context: Context
) -> FieldValue:
    here = context.at(spec.slug, current=current.get(spec.slug))
    if context.is_partial and spec.slug not in raw and spec.slug in current:
        return current[spec.slug]
    field_type, before = type_of(spec), len(here.messages)
    try:
        value = field_type.clean(raw[spec.slug] if spec.slug in raw else field_type.default_of(spec), spec, here)
    except PluginFailed as error:
        here.report(f"{error}.")
        return current.get(spec.slug)
    is_blank = value == field_type.empty_of(spec) or (isinstance(value, str) and not value.strip())
    is_unset = is_blank and not field_type.is_always_set
    is_sent_or_new = spec.slug in raw or not context.is_partial
    if spec.required and is_unset and is_sent_or_new and len(here.messages) == before:
        here.report(N_("This field is required."))
    return value


def targets_in(fields: Fields, specs: Sequence[FieldSpec], schema: ContentSchema) -> Iterator[Target]:
    """Yield what the fields refer to, components and repeaters included."""
    for spec in specs:
        field_type, value = type_of(spec), fields.get(spec.slug)
        yield from field_type.targets(value)
        for part in field_type.parts(value, spec, schema):
            yield from targets_in(part.fields, part.specs, schema)


def example_fields(specs: Sequence[FieldSpec], schema: ContentSchema) -> dict[str, Any] | None:
    """Return values that a new entry can have; None where it must name an entry or a file that may not exist."""
    values = {spec.slug: type_of(spec).write_example(spec, schema) for spec in specs}
    if any(spec.required and values[spec.slug] is None for spec in specs):
        return None
    return {slug: value for slug, value in values.items() if value is not None}


def group_to_file(
    values: Fields, specs: Sequence[FieldSpec], schema: ContentSchema, output: FileOutput, *, is_draft: bool = False
) -> dict[str, FieldValue]:
    """Return the values as content files write them, in the order in which they are stored."""
    by_slug = {spec.slug: spec for spec in specs}
    return {
        slug: type_of(by_slug[slug]).to_file(value, by_slug[slug], schema, output, is_draft=is_draft)
        for slug, value in values.items()
        if slug in by_slug and fits(value, by_slug[slug])
    }


def without_unset(values: Fields, specs: Sequence[FieldSpec], schema: ContentSchema) -> dict[str, FieldValue]:
    """Return the values without those that cleaning gives a field which nobody names."""
    unset = {spec.slug for spec in specs if spec.default is None and is_empty(values.get(spec.slug))}
    by_slug = {spec.slug: spec for spec in specs}
    return {
        slug: type_of(by_slug[slug]).without_unset(value, by_slug[slug], schema) if slug in by_slug else value
        for slug, value in values.items()
        if slug not in unset
    }


def is_empty(value: FieldValue) -> bool:
    """Return whether a value is unset or the empty value of its type."""
    return value is None or value is False or value in ("", [], {})


def fits(value: FieldValue, spec: FieldSpec) -> bool:
    """Return whether a stored value has the form that values of the field's type have; an empty one always does."""
    return is_empty(value) or type_of(spec).fits(value, spec)


def shown_value(value: FieldValue, spec: FieldSpec) -> FieldValue:
    """Return the value as the API and the site show it: None where it has the form of a type that the field had before.

    `hidden_values` names such values, and keeps them.
    """
    kinds = type_of(spec).stored_types
    return value if isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool)) else None


def unknown_field(slug: str, known: Sequence[str]) -> str:
    """Return the sentence about a field that does not exist."""
    meant = nearest(slug, known)
    hint = f' Did you mean "{meant}"?' if meant else ""
    return f'There is no field "{slug[:100]}".{hint} Fields: {", ".join(known)}.'
