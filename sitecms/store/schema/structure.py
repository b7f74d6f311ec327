"""Guarantees of the tables of an SQLite file, so that a migrated store can be compared with a new one.

SQLite keeps the text of each definition, which differs between a table that was made at once and one that got its
columns one after the other. What both are for does not: columns, keys, conditions, indexes and triggers.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import cysqlite

from sitecms.store.schema.migrations import LATEST, STEPS, steps_after
from sitecms.store.schema.new_store import sqlite_script

_OBJECTS = """
SELECT type, name, tbl_name, CAST(sql AS BLOB) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND NOT EXISTS
 (SELECT 1 FROM pragma_table_list AS tables WHERE tables.name = sqlite_schema.name AND tables.type = 'shadow')"""
_CONDITION = re.compile(r"\bCHECK\b", re.IGNORECASE)
_WHERE = re.compile(r"\bWHERE\b(.*)", re.IGNORECASE | re.DOTALL)


class Definition(NamedTuple):
    """One guarantee of a table: a column, key, condition, index or trigger, by the name of the object that has it."""

    name: str
    kind: str
    values: tuple[object, ...]


def structure(connection: Any) -> frozenset[Definition]:
    """Return all definitions of a file, those of an earlier version as the steps since then change them."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if 0 < version < LATEST:
        return _after_steps(connection, version)
    return frozenset(_definitions(connection))


@cache
def structure_of_new_store() -> frozenset[Definition]:
    """Return the definitions of a store of this version."""
    connection = cysqlite.connect(":memory:")  # type: ignore[attr-defined]
    try:
        connection.executescript(sqlite_script())
        return frozenset(_definitions(connection))
    finally:
        connection.close()


def _after_steps(connection: Any, version: int) -> frozenset[Definition]:
    """Return the definitions of an empty store to which the same steps are applied that the file waits for."""
    empty = cysqlite.connect(":memory:")  # type: ignore[attr-defined]
    try:
        for _kind, _name, _table, text in connection.execute(_OBJECTS).fetchall():
            if text is not None:
                empty.execute(text.decode())
        empty.execute("INSERT INTO change_number (id, number, mark) VALUES (1, 0, '')")
        for step in steps_after(version, STEPS):
            empty.executescript(step.sqlite)
        return frozenset(_definitions(empty))
    finally:
        empty.close()


def _definitions(connection: Any) -> Iterator[Definition]:
    for kind, name, table, text in connection.execute(_OBJECTS).fetchall():
        statement = (text or b"").decode()
        if kind == "table" and not statement.upper().startswith("CREATE VIRTUAL"):
            yield from _table(connection, name, statement)
        elif kind != "index":
            yield Definition(name, kind, (table, statement))


def _table(connection: Any, name: str, statement: str) -> Iterator[Definition]:
    options = connection.execute(
        "SELECT wr, strict FROM pragma_table_list WHERE schema = 'main' AND name = ?", (name,)
    ).fetchone()
    without_rowid, strict = options or (None, None)  # SQLite does not know a table whose name is damaged
    yield Definition(name, "table", (without_rowid, strict, "AUTOINCREMENT" in statement.upper()))
    for place, column, kind, not_null, default, key, hidden in connection.execute(f"PRAGMA table_xinfo({name})"):
        is_required = bool(not_null or key)  # a key is never NULL
        yield Definition(name, "column", (place, column, kind, is_required, default, key, hidden))
    for row in connection.execute(f"PRAGMA foreign_key_list({name})").fetchall():
        yield Definition(name, "reference", tuple(row[2:]))
    for condition in _conditions(statement):
        yield Definition(name, "condition", (condition,))
    for _number, index, is_unique, origin, is_partial in connection.execute(f"PRAGMA index_list({name})").fetchall():
        columns = connection.execute(f"PRAGMA index_xinfo({index})").fetchall()
        keys = tuple(tuple(row[2:5]) for row in columns if row[5])
        where = _condition_of(connection, index) if is_partial else ""
        if origin != "pk":  # that of a unique index is no matter: a constraint makes one without a name
            yield Definition(name if is_unique else index, "index", (bool(is_unique), keys, where))


def _condition_of(connection: Any, index: str) -> str:
    row = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (index,)).fetchone()
    match = _WHERE.search(row[0] or "") if row else None  # none has the name if that is damaged
    return " ".join(match[1].split()) if match else ""


def _conditions(statement: str) -> Iterator[str]:
    """Yield the condition of each CHECK, with its parentheses."""
    for match in _CONDITION.finditer(statement):
        start, depth = statement.index("(", match.end()), 0
        for place in range(start, len(statement)):
            depth += {"(": 1, ")": -1}.get(statement[place], 0)
            if not depth:
                yield " ".join(statement[start : place + 1].split())
                break
