"""What every table is made of, whatever keeps it: read off the tables as SQLite has them, so that none is forgotten."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import cysqlite

from sitecms.store.schema import migrations

_ABOUT_THE_STORE = ("change_number", "move", "row_digest")
_ROWID = "rowid"  # kept in a column of that name by PostgreSQL, where an order hangs on it


@dataclass(frozen=True, slots=True)
class Parent:
    """A column of a table that names a row of another by one of its columns."""

    column: str
    table: str
    named_by: str


@dataclass(frozen=True, slots=True)
class Shape:
    """One table: all of its columns, those by which its rows are ordered and told apart, and whom they name."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    parents: tuple[Parent, ...]


@cache
def shapes() -> tuple[Shape, ...]:
    """Every table that holds content, each behind those whose rows it names.

    Not those that are worked out from others, as the search index, nor what is of the store itself.
    """
    connection = cysqlite.connect(":memory:")  # type: ignore[attr-defined]
    try:
        for step in migrations.STEPS:
            connection.executescript(step.sqlite)
        kinds = {row[1]: (row[2], bool(row[4])) for row in connection.execute("PRAGMA main.table_list")}
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        plain = (name for name in names if kinds[name][0] == "table" and not name.startswith("sqlite_"))
        return tuple(_shape(connection, name, kinds[name][1]) for name in plain if name not in _ABOUT_THE_STORE)
    finally:
        connection.close()


def _shape(connection: Any, name: str, is_without_rowid: bool) -> Shape:
    found = connection.execute(f"PRAGMA table_info({name})").fetchall()
    columns = tuple(str(row[1]) for row in found)
    keyed = sorted((int(row[5]), str(row[1]), str(row[2])) for row in found if row[5])
    key = tuple(column for _place, column, _kind in keyed)
    if not is_without_rowid and [kind for _place, _column, kind in keyed] != ["INTEGER"]:
        columns, key = (_ROWID, *columns), (_ROWID,)
    named = connection.execute(f"PRAGMA foreign_key_list({name})").fetchall()
    return Shape(name, columns, key, tuple(sorted((Parent(row[3], row[2], row[4]) for row in named), key=_column)))


def _column(parent: Parent) -> str:
    return parent.column
