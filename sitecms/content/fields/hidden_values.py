"""Stored values that no reader sees, since the schema changed after they were written."""

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from typing import NamedTuple

from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.fields.group import fits, is_empty
from sitecms.content.fields.types import type_of
from sitecms.content.schema import ContentSchema, FieldSpec


class HiddenReason(Enum):
    """The reason why a value is not shown: the field or component is gone, or it is of another type now."""

    GONE = auto()
    TYPE = auto()


class HiddenValue(NamedTuple):
    """A value by its place, `hero.title`, without numbers; `list_place` is that of the list it is in, "" for none."""

    place: str
    reason: HiddenReason
    list_place: str = ""


def hidden_values(
    fields: Fields, specs: Iterable[FieldSpec], schema: ContentSchema, above: str = "", list_place: str = ""
) -> Iterator[HiddenValue]:
    """Yield the values of a group of fields that the schema does not show; empty ones do not count."""
    known = {spec.slug: spec for spec in specs}
    for slug, value in fields.items():
        place, spec = above + slug, known.get(slug)
        if is_empty(value):
            continue
        if spec is None:
            yield HiddenValue(place, HiddenReason.GONE, list_place)
        elif not fits(value, spec):
            yield HiddenValue(place, HiddenReason.TYPE, list_place)
        else:
            yield from _hidden_inside(value, spec, schema, place, list_place)


def _hidden_inside(
    value: FieldValue, spec: FieldSpec, schema: ContentSchema, place: str, list_place: str
) -> Iterator[HiddenValue]:
    """Yield hidden values inside a component, a component picker or a repeater."""
    for part in type_of(spec).parts(value, spec, schema):
        here, in_list = f"{place}.{part.component}" if part.component else place, place if part.steps else list_place
        if part.is_declared:
            yield from hidden_values(part.fields, part.specs, schema, f"{here}.", in_list)
        else:
            yield HiddenValue(here, HiddenReason.GONE, in_list)
