"""Filters as SQL: a way through content becomes a condition on an entry's JSON (`store.entries.json_fields`).

Whatever came from outside is a bound value, JSON paths included, and those hold nothing but the schema's own slugs.
References are followed to versions that the same reader may see, so that no filter tells of a draft.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from peewee import SQL, NodeList, Select, fn

from sitecms.content.field_value import FieldValue
from sitecms.content.query import Each, FieldFilter, Follow, Key, Own, Scope, Step
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, item_uri_start, page_uri_start
from sitecms.store.entries.json_fields import POSTGRES, SQLITE, TRUE, JsonFields, any_of
from sitecms.store.entries.versions import VersionTable, in_scope
from sitecms.store.schema.tables import ItemRow, ItemVersionRow, PageRow, PageVersionRow
from sitecms.store.sql import ByEngine


class _Walk(NamedTuple):
    """What stays the same on the way."""

    json: JsonFields
    wanted: tuple[FieldValue, ...]
    scope: Scope


class _Here(NamedTuple):
    """Where the walk is: in the entry of these tables, at these keys of a JSON document; `depth` names lists.

    `value` is what stands here if it is an entry of a list.
    """

    table: VersionTable
    document: Any
    keys: tuple[str, ...] = ()
    depth: int = 0
    value: Any = None


def holds_all(filters: tuple[FieldFilter, ...], table: VersionTable, scope: Scope) -> Any:
    """The condition that an entry passes every filter."""

    def for_engine(json: JsonFields) -> Any:
        return NodeList([TRUE, *(_holds(each, table, scope, json) for each in filters)], glue=" AND ", parens=True)

    if not filters:
        return TRUE
    return ByEngine(sqlite=lambda: for_engine(SQLITE), postgres=lambda: for_engine(POSTGRES))


def _holds(wanted: FieldFilter, table: VersionTable, scope: Scope, json: JsonFields) -> Any:
    """The condition that one of the filter's ways leads to a wanted value."""
    conditions = []
    for match in wanted.any_of:
        quick = json.found_by_index(table.versions, match.steps, match.wanted)
        start = _Here(table, json.start(table.versions))
        conditions.append(quick or _leads(match.steps, start, _Walk(json, match.wanted, scope)))
    return any_of(conditions)


def _leads(steps: tuple[Step, ...], here: _Here, walk: _Walk) -> Any:
    """The condition that the steps lead from here to one of the wanted values."""
    if not steps:
        return walk.json.equals(here.document if here.value is None else here.value, here.keys, walk.wanted)
    step, rest = steps[0], steps[1:]
    match step:
        case Key(slug):
            return _leads(rest, here._replace(keys=(*here.keys, slug), value=None), walk)
        case Own():
            return _column_equals(getattr(here.table.owners, step.value), walk.wanted)
        case Each(component):
            return _any_entry(component, rest, here, walk)
        case Follow(target):
            return _followed(target, rest, here, walk)


def _any_entry(component: str, rest: tuple[Step, ...], here: _Here, walk: _Walk) -> Any:
    entry = walk.json.entries(here.document, here.keys, f"entry{here.depth}")
    inner = _Here(here.table, entry.document, ("fields",) if component else (), here.depth + 1)
    if not component:
        inner = inner._replace(value=entry.value)
    condition = _leads(rest, inner, walk)
    if component:
        condition = walk.json.equals(entry.document, ("type",), (component,)) & condition
    return fn.EXISTS(Select([entry.source], [SQL("1")]).where(condition))


def _followed(target: str, rest: tuple[Step, ...], here: _Here, walk: _Walk) -> Any:
    """That the URI here is one of those wanted.

    The wanted entries do not depend on the entry we came from: they are found once, however many refer to them.
    """
    uri = walk.json.text(here.document if here.value is None else here.value, here.keys)
    named: Any
    if target.startswith(PAGE_TARGET_PREFIX):
        table = VersionTable(PageVersionRow, PageRow).aliased()
        slug = target.removeprefix(PAGE_TARGET_PREFIX)
        page_type = None if slug == SINGLE_PAGES else slug
        start, key = page_uri_start(page_type), table.owners.slug
        kind = table.owners.page_type == (page_type or "")
        named = fn.SUBSTR(uri, _plain(len(start) + 1), fn.LENGTH(uri) - _plain(len(start) + 1))
    else:
        table = VersionTable(ItemVersionRow, ItemRow).aliased()
        start, key = item_uri_start(target), table.owners.id
        kind = table.owners.collection == target
        named = walk.json.number(fn.SUBSTR(uri, _plain(len(start) + 1)))
    inner = _leads(rest, _Here(table, walk.json.start(table.versions)), walk)
    found = table.versions.select(key).join(table.owners, on=(table.owners.id == table.versions.owner_id))
    found = found.where(kind & in_scope(table, walk.scope) & inner)
    begins = fn.SUBSTR(uri, SQL("1"), _plain(len(start))) == start
    return begins & NodeList([named, SQL("IN"), found], parens=True)


def _plain(number: int) -> Any:
    """A number as part of the text: where one is bound, PostgreSQL would look for another function."""
    return SQL(str(number))


def _column_equals(column: Any, wanted: Sequence[FieldValue]) -> Any:
    """Texts and numbers by value, None for what is not set."""
    given = [each for each in wanted if each is not None]
    unset = [column.is_null()] if None in wanted else []
    return any_of([column.in_(given), *unset] if given else unset)
