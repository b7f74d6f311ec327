"""Access to the fields of pages and items in SQL: SQLite reads their JSON text, PostgreSQL a `jsonb` column.

Both give the same results: text, numbers and booleans as such; an absent member and a null are unset. Keys come from
a validated schema; values are always bound.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import orjson
from peewee import SQL, Column, FieldAlias, NodeList, fn

from sitecms.content.field_value import FieldValue
from sitecms.content.query import Each, Key, QueryStep
from sitecms.store.sql import ByEngine

FALSE = SQL("(1 = 0)")
TRUE = SQL("(1 = 1)")


class ListEntry(NamedTuple):
    """An entry of a list in SQL: its source for FROM, the entry as a document, and as a value."""

    source: Any
    document: Any
    value: Any


class JsonFields(Protocol):
    """JSON expressions of one engine. A `document` is an object, or an entry of a list."""

    def start(self, versions: Any) -> Any:
        """Return the fields of a version."""

    def text(self, document: Any, keys: tuple[str, ...]) -> Any:
        """Return the text at these keys of the document, or the document itself as text."""

    def equals(self, document: Any, keys: tuple[str, ...], wanted: Sequence[FieldValue]) -> Any:
        """Return the condition that the value at these keys is one of the wanted ones; None means unset."""

    def entries(self, document: Any, keys: tuple[str, ...], name: str) -> ListEntry:
        """Return the entries of the list at these keys, under that name."""

    def found_by_index(self, versions: Any, steps: tuple[QueryStep, ...], wanted: Sequence[FieldValue]) -> Any:
        """Return the condition that the path leads to one of the values if an index supports it, else None."""


class SqliteFields:
    """JSON functions of SQLite."""

    def start(self, versions: Any) -> Any:
        """Return the text of all fields."""
        return versions.fields

    def text(self, document: Any, keys: tuple[str, ...]) -> Any:
        """Return text, a number, or JSON text of a list or object."""
        return fn.json_extract(document, json_path(keys)).coerce(False) if keys else document

    def equals(self, document: Any, keys: tuple[str, ...], wanted: Sequence[FieldValue]) -> Any:
        """Return the condition; SQLite reads booleans as the numbers 1 and 0."""
        value = self.text(document, keys)
        plain = [int(each) if isinstance(each, bool) else each for each in wanted]
        given = [each for each in plain if each is not None]
        unset = [value.is_null()] if None in plain else []
        return any_of([value.in_(given), *unset] if given else unset)

    def entries(self, document: Any, keys: tuple[str, ...], name: str) -> ListEntry:
        """Return the entries; CASE keeps `json_extract` from failing on text that is not JSON."""
        table = SQL(f"""CASE WHEN "{name}"."type" = 'object' THEN "{name}"."value" END""")
        source = fn.json_each(document, json_path(keys)).alias(name)
        return ListEntry(source, table, SQL(f'"{name}"."value"'))

    def found_by_index(self, *_way: object) -> None:
        """Return None: SQLite has no such index."""


class PostgresFields:
    """The column `fields_indexed` of PostgreSQL, which holds the fields as `jsonb`."""

    def start(self, versions: Any) -> Any:
        """Return the object of all fields."""
        return _indexed(versions)

    def text(self, document: Any, keys: tuple[str, ...]) -> Any:
        """Return text, or the JSON text of any other value."""
        if not keys:
            return _joined(document, SQL("#>> '{}'"))
        return _joined(_member(document, keys[:-1]), SQL("->>"), keys[-1])

    def equals(self, document: Any, keys: tuple[str, ...], wanted: Sequence[FieldValue]) -> Any:
        """Return the condition; booleans equal the numbers 1 and 0."""
        value = _member(document, keys)
        given = [each for each in wanted if each is not None]
        listed = NodeList([_jsonb(each) for each in _alike(given)], glue=", ", parens=True)
        conditions = [_joined(value, SQL("IN"), listed)] if given else []
        if None in wanted:
            conditions.append(_joined(fn.COALESCE(value, SQL("'null'::jsonb")), SQL("= 'null'::jsonb")))
        return any_of(conditions)

    def entries(self, document: Any, keys: tuple[str, ...], name: str) -> ListEntry:
        """Return the entries; there are none where the value is not a list."""
        value = _member(document, keys)
        is_list = _joined(fn.jsonb_typeof(value), SQL("= 'array'"))
        listed = NodeList([SQL("CASE WHEN"), is_list, SQL("THEN"), value, SQL("ELSE '[]' END")], parens=True)
        source = NodeList([fn.jsonb_array_elements(listed), SQL(f'AS "{name}" ("value")')])
        entry = SQL(f'"{name}"."value"')
        return ListEntry(source, entry, entry)

    def found_by_index(self, versions: Any, steps: tuple[QueryStep, ...], wanted: Sequence[FieldValue]) -> Any:
        """Return a containment test for each value; it supports neither unset values nor references."""
        if None in wanted or not all(isinstance(step, Key | Each) for step in steps):
            return None
        sought = [_jsonb(_around(steps, value)) for value in _alike(wanted)]
        return any_of([_joined(_indexed(versions), SQL("@>"), each) for each in sought])


def _indexed(versions: Any) -> Column:
    """Return the column, which only PostgreSQL has, of a model or of an alias of one."""
    field = versions.fields
    return Column(field.source if isinstance(field, FieldAlias) else field.model._meta.table, "fields_indexed")


def json_path(keys: tuple[str, ...]) -> str:
    """Return SQLite's path to nested keys, from the root of a document."""
    return "$" + "".join(f'."{key}"' for key in keys)


def any_of(conditions: Sequence[Any]) -> Any:
    """Return the condition that one of them holds, as one flat list: nested pairs would be too deep for SQLite."""
    return NodeList([FALSE, *conditions], glue=" OR ", parens=True)


def field_value(versions: Any, keys: tuple[str, ...]) -> Any:
    """Return the value of a field as JSON text, or NULL where there is none, to be sorted in Python."""

    def of_sqlite() -> Any:
        return NodeList([versions.fields, SQL("->"), SQL("?", [json_path(keys)])], parens=True)

    def of_postgres() -> Any:
        return NodeList([_member(_indexed(versions), keys), SQL("::text")])

    return ByEngine(sqlite=of_sqlite, postgres=of_postgres)


def _member(document: Any, keys: tuple[str, ...]) -> Any:
    """Return the value at nested keys as `jsonb`; NULL where there is none."""
    for key in keys:
        document = _joined(document, SQL("->"), key)
    return document


def _joined(*parts: Any) -> Any:
    nodes = [SQL("?::text", [part]) if isinstance(part, str) else part for part in parts]
    return NodeList(nodes, parens=True)


def _jsonb(value: object) -> Any:
    return SQL("?::jsonb", [orjson.dumps(value).decode()])


def _alike(values: Sequence[FieldValue]) -> list[FieldValue]:
    """Return the values and their equals: 1 is true, 0 is false. No text in `jsonb` has a NUL, or U+FFFF."""
    found: list[FieldValue] = [each.replace("\0", "\uffff") if isinstance(each, str) else each for each in values]
    for value in values:
        if isinstance(value, bool):
            found.append(int(value))
        elif value in (0, 1):
            found.append(bool(value))
    return found


def _around(steps: tuple[QueryStep, ...], value: Any) -> Any:
    """Return the smallest document that has the value at the end of the steps."""
    for step in reversed(steps):
        if isinstance(step, Key):
            value = {step.slug: value}
        elif isinstance(step, Each):
            value = [{"type": step.component, "fields": value}] if step.component else [value]
    return value


SQLITE, POSTGRES = SqliteFields(), PostgresFields()
