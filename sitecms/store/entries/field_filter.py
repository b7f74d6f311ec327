"""Filters as SQL: a path through content becomes a condition on an entry's JSON (`store.entries.json_fields`).

Values from outside are bound, and so are JSON paths, which hold only slugs of the schema. References are followed to
versions that the same reader may see, so that no filter reveals a draft.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from peewee import SQL, NodeList, Select, fn

from sitecms.content.field_value import FieldValue
from sitecms.content.query import Each, FieldFilter, Follow, Key, Own, QueryStep, Visibility
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, item_uri_start, page_uri_start
from sitecms.store.entries.entry_tables import ITEMS, PAGES, EntryTables
from sitecms.store.entries.json_fields import POSTGRES, SQLITE, TRUE, JsonFields, any_of
from sitecms.store.sql import ByEngine


class _Filter(NamedTuple):
    """The values that are the same at every step of a path."""

    json: JsonFields
    wanted: tuple[FieldValue, ...]
    scope: Visibility


class _FieldPlace(NamedTuple):
    """A place on a path: in the entry of these tables, at these keys of a JSON document.

    `depth` numbers the lists on the path. `value` is the value of the place inside a list.
    """

    table: EntryTables
    document: Any
    keys: tuple[str, ...] = ()
    depth: int = 0
    value: Any = None


def holds_all(filters: tuple[FieldFilter, ...], table: EntryTables, scope: Visibility) -> Any:
    """Return the condition that an entry matches every filter."""

    def for_engine(json: JsonFields) -> Any:
        return NodeList([TRUE, *(_holds(each, table, scope, json) for each in filters)], glue=" AND ", parens=True)

    if not filters:
        return TRUE
    return ByEngine(sqlite=lambda: for_engine(SQLITE), postgres=lambda: for_engine(POSTGRES))


def _holds(wanted: FieldFilter, table: EntryTables, scope: Visibility, json: JsonFields) -> Any:
    """Return the condition that one of the filter's paths leads to a wanted value."""
    conditions = []
    for match in wanted.any_of:
        quick = json.found_by_index(table.versions, match.steps, match.wanted)
        start = _FieldPlace(table, json.start(table.versions))
        conditions.append(quick or _leads(match.steps, start, _Filter(json, match.wanted, scope)))
    return any_of(conditions)


def _leads(steps: tuple[QueryStep, ...], place: _FieldPlace, filter_: _Filter) -> Any:
    """Return the condition that the steps lead from a place to one of the wanted values."""
    if not steps:
        return filter_.json.equals(place.document if place.value is None else place.value, place.keys, filter_.wanted)
    step, rest = steps[0], steps[1:]
    match step:
        case Key(slug):
            return _leads(rest, place._replace(keys=(*place.keys, slug), value=None), filter_)
        case Own():
            return _column_equals(getattr(place.table.entries, step.value), filter_.wanted)
        case Each(component):
            return _any_entry(component, rest, place, filter_)
        case Follow(target):
            return _followed(target, rest, place, filter_)


def _any_entry(component: str, rest: tuple[QueryStep, ...], place: _FieldPlace, filter_: _Filter) -> Any:
    entry = filter_.json.entries(place.document, place.keys, f"entry{place.depth}")
    inner = _FieldPlace(place.table, entry.document, ("fields",) if component else (), place.depth + 1)
    if not component:
        inner = inner._replace(value=entry.value)
    condition = _leads(rest, inner, filter_)
    if component:
        condition = filter_.json.equals(entry.document, ("type",), (component,)) & condition
    return fn.EXISTS(Select([entry.source], [SQL("1")]).where(condition))


def _followed(target: str, rest: tuple[QueryStep, ...], place: _FieldPlace, filter_: _Filter) -> Any:
    """Return the condition that the URI at the place names an entry from which the steps go on.

    These entries do not depend on the entry with the reference, so the subquery runs once.
    """
    uri = filter_.json.text(place.document if place.value is None else place.value, place.keys)
    if target.startswith(PAGE_TARGET_PREFIX):
        table = PAGES.aliased()
        slug = target.removeprefix(PAGE_TARGET_PREFIX)
        page_type = "" if slug == SINGLE_PAGES else slug
        start, key, end = page_uri_start(page_type), table.entries.slug, "/"
        kind = table.entries.type == page_type
    else:
        table = ITEMS.aliased()
        start, key, end = item_uri_start(target), table.entries.id, "]"
        kind = table.entries.type == target
    inner = _leads(rest, _FieldPlace(table, filter_.json.start(table.versions)), filter_)
    target_uri = NodeList([SQL("CAST(? AS TEXT) ||", [start]), key, SQL("|| CAST(? AS TEXT)", [end])])
    targets = table.versions.select(target_uri).join(table.entries, on=table.joined)
    return NodeList([uri, SQL("IN"), targets.where(kind & table.in_scope(filter_.scope) & inner)], parens=True)


def _column_equals(column: Any, wanted: Sequence[FieldValue]) -> Any:
    """Return the condition that a column has one of the values; None means unset."""
    given = [each for each in wanted if each is not None]
    unset = [column.is_null()] if None in wanted else []
    return any_of([column.in_(given), *unset] if given else unset)
