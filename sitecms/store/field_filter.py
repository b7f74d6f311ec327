"""Filters as SQL: a way through content becomes a condition on an entry's JSON.

Whatever came from outside is a bound value, JSON paths included, and those hold nothing but the schema's own slugs.
References are followed to versions that the same reader may see, so that no filter tells of a draft.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from peewee import SQL, Cast, NodeList, Select, fn

from sitecms.content.fieldvalue import FieldValue
from sitecms.content.query import Each, FieldFilter, Follow, Key, Own, Scope, Step
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, item_uri_start, page_uri_start
from sitecms.store.tables import ItemRow, ItemVersionRow, PageRow, PageVersionRow
from sitecms.store.versions import VersionTable, in_scope

_FALSE = SQL("0")
_TRUE = SQL("1")


class _Here(NamedTuple):
    """Where the walk is: in the entry of these tables, at these keys of a JSON document; `depth` names lists."""

    table: VersionTable
    document: Any
    keys: tuple[str, ...] = ()
    depth: int = 0

    @property
    def value(self) -> Any:
        """What stands here: text, number, NULL, or JSON text of a list or object."""
        if not self.keys:
            return self.document
        return fn.json_extract(self.document, json_path(self.keys)).coerce(False)


def json_path(keys: tuple[str, ...]) -> str:
    """SQLite's path to a member of a member, from the root of a document."""
    return "$" + "".join(f'."{key}"' for key in keys)


def holds_all(filters: tuple[FieldFilter, ...], table: VersionTable, scope: Scope) -> Any:
    """The condition that an entry passes every filter."""
    return NodeList([_TRUE, *(holds(each, table, scope) for each in filters)], glue=" AND ", parens=True)


def holds(wanted: FieldFilter, table: VersionTable, scope: Scope) -> Any:
    """The condition that one of the filter's ways leads to a wanted value."""
    start = _Here(table, table.versions.fields)
    ways = (_leads(match.steps, match.wanted, start, scope) for match in wanted.any_of)
    return _any(ways)


def _any(conditions: Iterable[Any]) -> Any:
    """That one of them holds; as one flat list, for nested pairs would be too deep for SQLite."""
    return NodeList([_FALSE, *conditions], glue=" OR ", parens=True)


def _leads(steps: tuple[Step, ...], wanted: tuple[FieldValue, ...], here: _Here, scope: Scope) -> Any:
    """The condition that the steps lead from here to one of the wanted values."""
    if not steps:
        return _equals(here.value, wanted)
    step, rest = steps[0], steps[1:]
    match step:
        case Key(slug):
            return _leads(rest, wanted, here._replace(keys=(*here.keys, slug)), scope)
        case Own():
            return _equals(getattr(here.table.owners, step.value), wanted)
        case Each(component):
            return _any_entry(component, rest, wanted, here, scope)
        case Follow(target):
            return _followed(target, rest, wanted, here, scope)


def _any_entry(
    component: str, rest: tuple[Step, ...], wanted: tuple[FieldValue, ...], here: _Here, scope: Scope
) -> Any:
    name = f"entry{here.depth}"
    entries = fn.json_each(here.document, json_path(here.keys)).alias(name)
    text = SQL(f'"{name}"."value"')
    # json_extract fails on text that is no JSON, and only CASE keeps SQLite from trying it
    table = SQL(f"""CASE WHEN "{name}"."type" = 'object' THEN "{name}"."value" END""")
    document = text if rest and isinstance(rest[0], Follow) else table
    inner = _Here(here.table, document, ("fields",) if component else (), here.depth + 1)
    condition = _leads(rest, wanted, inner, scope)
    if component:
        condition = (fn.json_extract(table, "$.type") == component) & condition
    return fn.EXISTS(Select([entries], [_TRUE]).where(condition))


def _followed(target: str, rest: tuple[Step, ...], wanted: tuple[FieldValue, ...], here: _Here, scope: Scope) -> Any:
    """That the URI here is one of those wanted.

    The wanted entries do not depend on the entry we came from: SQLite finds them once, however many refer to them.
    """
    uri = here.value
    named: Any
    if target.startswith(PAGE_TARGET_PREFIX):
        table = VersionTable(PageVersionRow, PageRow).aliased()
        slug = target.removeprefix(PAGE_TARGET_PREFIX)
        page_type = None if slug == SINGLE_PAGES else slug
        start, key = page_uri_start(page_type), table.owners.slug
        kind = table.owners.page_type == (page_type or "")
        named = fn.SUBSTR(uri, len(start) + 1, fn.LENGTH(uri) - (len(start) + 1))
    else:
        table = VersionTable(ItemVersionRow, ItemRow).aliased()
        start, key = item_uri_start(target), table.owners.id
        kind = table.owners.collection == target
        named = Cast(fn.SUBSTR(uri, len(start) + 1), "INTEGER")
    inner = _leads(rest, wanted, _Here(table, table.versions.fields), scope)
    found = table.versions.select(key).join(table.owners, on=(table.owners.id == table.versions.owner_id))
    return (fn.SUBSTR(uri, 1, len(start)) == start) & named.in_(found.where(kind & in_scope(table, scope) & inner))


def _equals(value: Any, wanted: tuple[FieldValue, ...]) -> Any:
    """Texts, numbers and booleans by value, None for what is not set."""
    plain = [int(each) if isinstance(each, bool) else each for each in wanted]
    given = [each for each in plain if each is not None]
    unset = [value.is_null()] if None in plain else []
    return _any([value.in_(given), *unset]) if given else _any(unset)
