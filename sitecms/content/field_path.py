"""From the text of a filter or an order to a way through content, looked up in the schema.

`hero.title` leads into a component, `body.text` to any entry of a component picker, `steps.minutes` to any row of a
repeater, `category.slug` along a reference, to any of several targets (decisions, Parameters). What the schema does
not declare leads nowhere: only its own spelling of a field ever reaches the store.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sitecms.clock import parse_timestamp
from sitecms.content.field_value import FieldValue
from sitecms.content.fields.group import unknown_field
from sitecms.content.fields.scalar import read_number
from sitecms.content.media import MEDIA_NAME
from sitecms.content.query import Each, FieldFilter, FieldMatch, Follow, Key, Moment, Order, Own, Step
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, ItemTarget, PageTarget, parse_target
from sitecms.content.schema.types import ContentSchema, FieldSpec, FieldType
from sitecms.errors import Forbidden

MAX_REFERENCES = 4  # as deep as `levels` shows
MAX_WAYS = 64
MAX_ID = 2**53 - 1
_ID = "_id"
_FIELDS = "fields"
_PREFIX = "fields."
_BOOLEANS = {"true": True, "True": True, "1": True, "false": False, "False": False, "0": False}
_GROUPS = frozenset({FieldType.COMPONENT, FieldType.COMPONENT_PICKER, FieldType.REPEATER})
_UNORDERED = _GROUPS | {FieldType.REFERENCE, FieldType.MEDIA}
_PAGE_OWN = {"slug": Own.SLUG, "name": Own.NAME}


class _Way(NamedTuple):
    """Steps to a field, and what stands there; `spec` is None where the last step is an Own."""

    steps: tuple[Step, ...]
    spec: FieldSpec | None


class _Place(NamedTuple):
    """Where the walk is: the steps so far, their text, and what can come next."""

    steps: tuple[Step, ...]
    text: str
    specs: Sequence[FieldSpec]
    own: Mapping[str, Own]

    @property
    def names(self) -> list[str]:
        """What there is here, spelled as a filter has it."""
        return [self.text + name for name in (*(spec.slug for spec in self.specs), *self.own)]


def field_filter(name: str, text: str, specs: Sequence[FieldSpec], schema: ContentSchema) -> FieldFilter:
    """Entries whose field of that (dotted) name equals the value that the text means for it.

    A text that means no value of the field's type ("x" for a number) matches nothing, "" matches an unset field.
    Raises Forbidden where the schema has no such field.
    """
    matches: list[FieldMatch] = []
    for way in _ways(name, specs, schema):
        if way.spec and way.spec.type is FieldType.REFERENCE:
            matches += _reference_matches(way.steps, way.spec, text)
        elif way.spec and way.spec.type is FieldType.MEDIA:
            matches.append(FieldMatch((*way.steps, Key("url")), _addresses(text)))
        else:
            matches.append(FieldMatch(way.steps, _wanted(way.spec, text)))
    return FieldFilter(tuple(match for match in matches if match.wanted))


def bracket_filter(name: str, text: str, specs: Sequence[FieldSpec], schema: ContentSchema) -> FieldFilter:
    """The filter of `keys=authors[name=text]`; `_id` is the item's id. Raises Forbidden."""
    if name != _ID:
        return field_filter(name, text, specs, schema)
    wanted = _item_id(text)
    return FieldFilter((FieldMatch((Own.ID,), (wanted,)),) if wanted else ())


def either(filters: Iterable[FieldFilter]) -> FieldFilter:
    """Entries that pass any of the filters."""
    wanted: dict[tuple[Step, ...], tuple[FieldValue, ...]] = {}
    for match in (match for each in filters for match in each.any_of):
        wanted[match.steps] = (*wanted.get(match.steps, ()), *match.wanted)
    return FieldFilter(tuple(FieldMatch(steps, values) for steps, values in wanted.items()))


def order_by(text: str, specs: Sequence[FieldSpec], schema: ContentSchema) -> Order:
    """`published`, `updated` or a field that holds one comparable value; `-` in front turns it round.

    Raises Forbidden for any other.
    """
    descending, name = text.startswith("-"), text.removeprefix("-")
    if name in tuple(Moment):
        return Order(Moment(name), descending)
    name = name.removeprefix(_PREFIX)
    orders = _orders("", specs, schema)
    if name not in orders:
        raise Forbidden(unknown_field(name, [*Moment, *orders]))
    return Order(orders[name], descending)


def _orders(prefix: str, specs: Sequence[FieldSpec], schema: ContentSchema) -> dict[str, tuple[str, ...]]:
    """The fields that a list can be ordered by, those of components included, by their dotted name."""
    found: dict[str, tuple[str, ...]] = {}
    for spec in specs:
        if spec.type not in _UNORDERED:
            found[prefix + spec.slug] = (spec.slug,)
        elif spec.type is FieldType.COMPONENT:
            inner = _orders(f"{prefix}{spec.slug}.", _component(spec.component, schema), schema)
            found |= {name: (spec.slug, *path) for name, path in inner.items()}
    return found


def _ways(name: str, specs: Sequence[FieldSpec], schema: ContentSchema) -> list[_Way]:
    """Every way the name leads to a value. Raises Forbidden if there is none, or far too many."""
    missed: list[_Place] = []
    ways = []
    for way in _walk(name.split("."), _Place((), "", specs, {}), schema, missed):
        ways.append(way)
        if len(ways) > MAX_WAYS:
            raise Forbidden(f'The field "{name[:100]}" leads to too many kinds of entries to be filtered by.')
    if not ways:
        deepest = max(missed, key=lambda place: place.text.count("."))
        known = {known: None for place in missed if place.text == deepest.text for known in place.names}
        if deepest.text == f"{name}.":
            raise Forbidden(f'The field "{name}" holds others, name one of them. Fields: {", ".join(known)}.')
        raise Forbidden(unknown_field(name, list(known)))
    return ways


def _walk(parts: Sequence[str], place: _Place, schema: ContentSchema, missed: list[_Place]) -> Iterator[_Way]:
    part, rest = parts[0], parts[1:]
    spec = next((spec for spec in place.specs if spec.slug == part), None)
    if spec is None and not rest and part in place.own:
        yield _Way((*place.steps, place.own[part]), None)
    elif spec is None:
        _miss(place, missed)
    elif not rest and spec.type not in _GROUPS:
        yield _Way((*place.steps, Key(spec.slug)), spec)
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
    """Note where a way ended. Raises Forbidden when they become far too many."""
    missed.append(place)
    if len(missed) > MAX_WAYS:
        raise Forbidden(f'There are too many kinds of entries below "{place.text[:100]}" to look for a field in them.')


def _inside(spec: FieldSpec, place: _Place, schema: ContentSchema) -> Iterator[_Place]:
    """What a field leads into: fields of components, rows, or referenced entries."""
    steps, text = (*place.steps, Key(spec.slug)), f"{place.text}{spec.slug}."
    match spec.type:
        case FieldType.COMPONENT:
            yield _Place(steps, text, _component(spec.component, schema), {})
        case FieldType.COMPONENT_PICKER:
            for slug in spec.components:
                yield _Place((*steps, Each(slug)), text, _component(slug, schema), {})
        case FieldType.REPEATER:
            yield _Place((*steps, Each()), text, spec.fields, {})
        case FieldType.REFERENCE:
            if sum(isinstance(step, Follow) for step in steps) < MAX_REFERENCES:
                for target in spec.targets:
                    specs, own = _target_fields(target, schema)
                    yield _Place((*_to_uri(steps, spec), Follow(target)), text, specs, own)
        case _:
            pass


def _component(slug: str, schema: ContentSchema) -> tuple[FieldSpec, ...]:
    component = schema.components.get(slug)
    return component.fields if component else ()


def _target_fields(target: str, schema: ContentSchema) -> tuple[Sequence[FieldSpec], Mapping[str, Own]]:
    if not target.startswith(PAGE_TARGET_PREFIX):
        collection = schema.collections.get(target)
        return (collection.fields if collection else ()), {}
    slug = target.removeprefix(PAGE_TARGET_PREFIX)
    if slug == SINGLE_PAGES:
        return schema.page_fields(None), _PAGE_OWN
    return (schema.page_fields(slug) if slug in schema.page_types else ()), _PAGE_OWN


def _to_uri(steps: tuple[Step, ...], spec: FieldSpec) -> tuple[Step, ...]:
    return (*steps, Each()) if spec.many else steps


def _reference_matches(steps: tuple[Step, ...], spec: FieldSpec, text: str) -> Iterator[FieldMatch]:
    """A reference equals an item's id, a page's slug, or a URI; it is followed, so that drafts do not show."""
    meant = parse_target(text) if len(text) < 500 else None
    for target in spec.targets:
        to_entry = (*_to_uri(steps, spec), Follow(target))
        if target.startswith(PAGE_TARGET_PREFIX):
            slug = text
            if isinstance(meant, PageTarget):
                slug = meant.slug if target == PAGE_TARGET_PREFIX + (meant.page_type or SINGLE_PAGES) else ""
            if slug:
                yield FieldMatch((*to_entry, Own.SLUG), (slug,))
        elif isinstance(meant, ItemTarget):
            if meant.collection == target and 0 < meant.id <= MAX_ID:
                yield FieldMatch((*to_entry, Own.ID), (meant.id,))
        elif item_id := _item_id(text):
            yield FieldMatch((*to_entry, Own.ID), (item_id,))


def _item_id(text: str) -> int | None:
    """The id, None if the text cannot be one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def _wanted(spec: FieldSpec | None, text: str) -> tuple[FieldValue, ...]:
    """The stored values that the text means; none if it means nothing a field of this type can hold."""
    if spec is None:
        return (text,)
    match spec.type:
        case FieldType.CHECKBOX:
            return _checked(text)
        case FieldType.NUMBER:
            number = read_number(text)
            return (number,) if number is not None else _unset(text)
        case FieldType.DATE:
            return _dates(text)
        case FieldType.COLOR:
            return (text.lower(),) if text else ("", None)
        case _:
            return (text,) if text else ("", None)  # None: of a field declared after the entry was stored


def _checked(text: str) -> tuple[FieldValue, ...]:
    wanted = _BOOLEANS.get(text)
    return (False, None) if wanted is False else (wanted,) if wanted else ()


def _addresses(text: str) -> tuple[FieldValue, ...]:
    """A media file goes by the address that reads give it too, whatever server that is on."""
    if not text:
        return (None,)
    local = MEDIA_NAME.search(text)
    return (text, local[0]) if local and local[0] != text else (text,)


def _unset(text: str) -> tuple[FieldValue, ...]:
    return () if text else (None,)


def _dates(text: str) -> tuple[FieldValue, ...]:
    try:
        return (parse_timestamp(text).replace(tzinfo=None).isoformat(),) if text else (None,)
    except ValueError:
        return ()
