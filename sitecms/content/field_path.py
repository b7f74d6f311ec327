"""Filters and orders as requests write them, read into steps through content by the schema, and keys that sort values.

`hero.title` leads into a component, `body.text` to any entry of a component picker, `steps.minutes` to any row of a
repeater, `category.slug` along a reference, to any of several targets (API reference, Parameters). What the schema does
not declare leads nowhere: only its own spelling of a field ever reaches the store.

Texts are sorted as people expect it, without regard to case: `Ärger` stands before `Zed`. That follows the default
order of the Unicode Collation Algorithm: signs, then digits, then letters; letters by their base letter first, and only
among equal texts by their marks. Python's and the engines' own orders are those of code points or of locales that a
machine may lack, so both engines would differ.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import NamedTuple

from sitecms.content.field_value import FieldValue
from sitecms.content.fields import type_of
from sitecms.content.fields.group import unknown_field
from sitecms.content.query import EntryTime, FieldFilter, FieldMatch, Follow, Key, Order, Own, QueryStep
from sitecms.content.references import read_item_id
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.errors import Forbidden

SortKey = tuple[int, float, str, str]
_SIGNS = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"  # as the algorithm sorts them; they have room before the digits
_TABLE = {**dict.fromkeys(range(32), "\x01"), **{ord(sign): chr(place) for place, sign in enumerate(_SIGNS, 2)}}
_MAX_COMPARED = 1_000  # characters; normalising takes quadratic time on long runs of combining marks
_LETTERS = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i", "ħ": "h"})
MAX_REFERENCES = 4  # as deep as `levels` shows
MAX_PATHS = 64
_ID = "_id"
_FIELDS = "fields"
_PREFIX = "fields."


def sort_key(value: FieldValue) -> SortKey:
    """Return the key by which a field's value is sorted: unset, then numbers (false is 0, true is 1), then text."""
    match value:
        case None:
            return 0, 0.0, "", ""
        case bool() | int() | float():
            return 1, float(value), "", ""
        case str():
            return 2, 0.0, *_text_key(value)
        case _:
            return 3, 0.0, "", ""


def _text_key(text: str) -> tuple[str, str]:
    """Return the base letters, and the letters with their marks."""
    folded = text[:_MAX_COMPARED].casefold()
    if folded.isascii():
        return folded.translate(_TABLE), ""
    marked = unicodedata.normalize("NFKD", folded)
    base = "".join(map(_base, marked.translate(_LETTERS)))
    return base.translate(_TABLE), marked


def _base(letter: str) -> str:
    """Return the letter for the first comparison: marks are removed, all signs beyond ASCII count as one sign."""
    if letter.isascii():
        return letter
    category = unicodedata.category(letter)[0]
    return "" if category == "M" else "/" if category in "PSZC" else letter


class _Path(NamedTuple):
    """Steps to a field, and its declaration; `spec` is None where the last step is an Own."""

    steps: tuple[QueryStep, ...]
    spec: FieldSpec | None


class _Place(NamedTuple):
    """A place in the schema: the steps that lead to it, their text, and the fields that can come next."""

    steps: tuple[QueryStep, ...]
    text: str
    specs: Sequence[FieldSpec]
    own: Mapping[str, Own]

    @property
    def names(self) -> list[str]:
        """The names that can come next, as a filter writes them."""
        return [self.text + name for name in (*(spec.slug for spec in self.specs), *self.own)]


def field_filter(name: str, text: str, specs: Sequence[FieldSpec], schema: ContentSchema, zone: tzinfo) -> FieldFilter:
    """Return the filter for entries whose field of that (dotted) name equals the value that the text means.

    A text that means no value of the field's type ("x" for a number) matches nothing; "" matches an unset field.
    Raises Forbidden where the schema has no such field.
    """
    matches: list[FieldMatch] = []
    for path in _paths(name, specs, schema):
        if path.spec is None:
            matches.append(FieldMatch(path.steps, (text,)))
        else:
            matches += type_of(path.spec).matches(path.steps, path.spec, text, zone)
    return FieldFilter(tuple(match for match in matches if match.wanted))


def bracket_filter(
    name: str, text: str, specs: Sequence[FieldSpec], schema: ContentSchema, zone: tzinfo
) -> FieldFilter:
    """Return the filter of `keys=authors[name=text]`; `_id` is the item's id. Raises Forbidden."""
    if name != _ID:
        return field_filter(name, text, specs, schema, zone)
    wanted = read_item_id(text)
    return FieldFilter((FieldMatch((Own.ID,), (wanted,)),) if wanted else ())


def either(filters: Iterable[FieldFilter]) -> FieldFilter:
    """Return the filter for entries that pass any of the filters."""
    wanted: dict[tuple[QueryStep, ...], tuple[FieldValue, ...]] = {}
    for match in (match for each in filters for match in each.any_of):
        wanted[match.steps] = (*wanted.get(match.steps, ()), *match.wanted)
    return FieldFilter(tuple(FieldMatch(steps, values) for steps, values in wanted.items()))


def order_by(text: str, specs: Sequence[FieldSpec], schema: ContentSchema) -> Order:
    """Return the order by `published`, `updated` or a sortable field; `-` in front means descending.

    Raises Forbidden for any other name, in other words where there is such a field.
    """
    descending, name = text.startswith("-"), text.removeprefix("-")
    if name in tuple(EntryTime):
        return Order(EntryTime(name), descending)
    name = name.removeprefix(_PREFIX)
    orders = {name: path for spec in specs for name, path in type_of(spec).orders(spec, schema).items()}
    if name not in orders:
        known = [*EntryTime, *orders]
        if _is_declared(name, specs, schema):
            raise Forbidden(f'Entries cannot be ordered by the field "{name}". Fields: {", ".join(known)}.')
        raise Forbidden(unknown_field(name, known))
    return Order(orders[name], descending)


def _is_declared(name: str, specs: Sequence[FieldSpec], schema: ContentSchema) -> bool:
    """Return whether there is a field of this (dotted) name."""
    try:
        return any(spec.slug == name for spec in specs) or bool(_paths(name, specs, schema))
    except Forbidden:
        return False


def _paths(name: str, specs: Sequence[FieldSpec], schema: ContentSchema) -> list[_Path]:
    """Return the paths by which the name leads to values. Raises Forbidden for none, or more than MAX_PATHS."""
    missed: list[_Place] = []
    paths = []
    for path in _walk(name.split("."), _Place((), "", specs, {}), schema, missed):
        paths.append(path)
        if len(paths) > MAX_PATHS:
            raise Forbidden(f'The field "{name[:100]}" leads to too many kinds of entries to be filtered by.')
    if not paths:
        deepest = max(missed, key=lambda place: place.text.count("."))
        known = {known: None for place in missed if place.text == deepest.text for known in place.names}
        if deepest.text == f"{name}.":
            raise Forbidden(f'The field "{name}" holds others, name one of them. Fields: {", ".join(known)}.')
        part = name.removeprefix(deepest.text).partition(".")[0]
        if any(spec.slug == part and any(type_of(spec).inside(spec, schema)) for spec in deepest.specs):
            raise Forbidden(f'The field "{name[:100]}" follows more than {MAX_REFERENCES} references.')
        raise Forbidden(unknown_field(name, list(known)))
    return paths


def _walk(parts: Sequence[str], place: _Place, schema: ContentSchema, missed: list[_Place]) -> Iterator[_Path]:
    part, rest = parts[0], parts[1:]
    spec = next((spec for spec in place.specs if spec.slug == part), None)
    if spec is None and not rest and part in place.own:
        yield _Path((*place.steps, place.own[part]), None)
    elif spec is None:
        _miss(place, missed)
    elif not rest and not type_of(spec).is_group:
        yield _Path((*place.steps, Key(spec.slug)), spec)
    else:
        inside = list(_inside(spec, place, schema))
        if not inside:
            _miss(place, missed)
        for inner in inside:
            if not rest:
                _miss(inner, missed)
                continue
            declared = any(spec.slug == _FIELDS for spec in inner.specs)
            as_shown = len(rest) > 1 and rest[0] == _FIELDS and not declared  # `guide.fields.summary`, as JSON has it
            yield from _walk(rest[1:] if as_shown else rest, inner, schema, missed)


def _miss(place: _Place, missed: list[_Place]) -> None:
    """Note a place where a path ended. Raises Forbidden beyond MAX_PATHS of them."""
    missed.append(place)
    if len(missed) > MAX_PATHS:
        raise Forbidden(f'There are too many kinds of entries below "{place.text[:100]}" to look for a field in them.')


def _inside(spec: FieldSpec, place: _Place, schema: ContentSchema) -> Iterator[_Place]:
    """Yield the places that a field leads into: fields of components, rows, or referenced entries."""
    for inside in type_of(spec).inside(spec, schema):
        steps = (*place.steps, *inside.steps)
        if sum(isinstance(step, Follow) for step in steps) <= MAX_REFERENCES:
            yield _Place(steps, f"{place.text}{spec.slug}.", inside.specs, inside.own)
