"""Stored values that nobody sees, since the schema changed after they were written."""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto
from typing import NamedTuple

from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.references import parse_target
from sitecms.content.schema.types import ContentSchema, FieldSpec, FieldType

_SHAPES: Mapping[FieldType, tuple[type, ...]] = {
    FieldType.NUMBER: (int, float),
    FieldType.CHECKBOX: (bool,),
    FieldType.MEDIA: (dict,),
    FieldType.REFERENCE: (str, list),
    FieldType.COMPONENT: (dict,),
    FieldType.COMPONENT_PICKER: (list,),
    FieldType.REPEATER: (list,),
}


class Reason(Enum):
    """The reason why a value is not shown: the field or component is gone, or it is of another type now."""

    GONE = auto()
    TYPE = auto()


class HiddenValue(NamedTuple):
    """A value by its place, `hero.title`, without numbers; `list_place` is that of the list it is in, "" for none."""

    place: str
    reason: Reason
    list_place: str = ""


def hidden_values(
    fields: Fields, specs: Iterable[FieldSpec], schema: ContentSchema, above: str = "", list_place: str = ""
) -> Iterator[HiddenValue]:
    """Find the values of a group of fields that the schema does not show; empty ones do not count."""
    known = {spec.slug: spec for spec in specs}
    for slug, value in fields.items():
        place, spec = above + slug, known.get(slug)
        if is_empty(value):
            continue
        if spec is None:
            yield HiddenValue(place, Reason.GONE, list_place)
        elif not fits(value, spec):
            yield HiddenValue(place, Reason.TYPE, list_place)
        else:
            yield from _within(value, spec, schema, place, list_place)


def _within(
    value: FieldValue, spec: FieldSpec, schema: ContentSchema, place: str, list_place: str
) -> Iterator[HiddenValue]:
    """Find hidden values inside a component, a component picker or a repeater."""
    if spec.type is FieldType.COMPONENT and isinstance(value, dict):
        component = schema.components.get(spec.component)
        yield from hidden_values(value, component.fields if component else (), schema, f"{place}.", list_place)
    entries = value if isinstance(value, list) else []
    for entry in entries:
        if spec.type is FieldType.REPEATER and isinstance(entry, dict):
            yield from hidden_values(entry, spec.fields, schema, f"{place}.", place)
        elif spec.type is FieldType.COMPONENT_PICKER and isinstance(entry, dict):
            slug, inner = str(entry.get("type")), entry.get("fields")
            component = schema.components.get(slug)
            if component is None:
                yield HiddenValue(f"{place}.{slug}", Reason.GONE, place)
            elif isinstance(inner, dict):
                yield from hidden_values(inner, component.fields, schema, f"{place}.{slug}.", place)


def is_empty(value: FieldValue) -> bool:
    """Return whether a value is one that nobody wrote."""
    return value is None or value is False or value in ("", [], {})


def fits(value: FieldValue, spec: FieldSpec) -> bool:
    """Return whether a stored value has the form that values of the field's type have; an empty one always does."""
    if is_empty(value):
        return True
    if not isinstance(value, _SHAPES.get(spec.type, (str,))):
        return False
    if spec.type is FieldType.REFERENCE:
        named = value if isinstance(value, list) else [value]
        return all(isinstance(each, str) and parse_target(each) is not None for each in named)
    return True
