"""Columns, keys and foreign keys of all tables with content, read from the tables that SQLite makes."""

from functools import cache
from typing import Any

import cysqlite
from msgspec import Struct

from sitecms.store.schema import migrations

_NOT_CONTENT = ("change_number", "move", "row_digest", "presence", "sign_in_step")
_ROWID = "rowid"  # a column of that name in PostgreSQL, for tables whose order depends on it


class ForeignKey(Struct, frozen=True):
    """A column that refers to a row of another table by one of that table's columns."""

    column: str
    table: str
    parent_column: str


class TableColumns(Struct, frozen=True):
    """One table: all of its columns, those of its key, which orders its rows, and its foreign keys."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    parents: tuple[ForeignKey, ...]


@cache
def content_tables() -> tuple[TableColumns, ...]:
    """Return the tables with content, each after the tables that it refers to.

    Tables that are derived from others, as the search index, those about the store itself, open forms and
    sign-ins that wait for a code are left out.
    """
    connection = cysqlite.connect(":memory:")  # type: ignore[attr-defined]
    try:
        for step in migrations.STEPS:
            connection.executescript(step.sqlite)
        kinds = {row[1]: row[2] for row in connection.execute("PRAGMA main.table_list")}
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        plain = (name for name in names if kinds[name] == "table" and not name.startswith("sqlite_"))
        return tuple(table_columns(connection, name) for name in plain if name not in _NOT_CONTENT)
    finally:
        connection.close()


def table_columns(connection: Any, name: str) -> TableColumns:
    """Return the columns of one table of an SQLite file."""
    is_without_rowid = bool(connection.execute(f"PRAGMA main.table_list({name})").fetchone()[4])
    rows = connection.execute(f"PRAGMA table_info({name})").fetchall()
    columns = tuple(str(row[1]) for row in rows)
    keyed = sorted((int(row[5]), str(row[1]), str(row[2])) for row in rows if row[5])
    key = tuple(column for _place, column, _kind in keyed)
    if not is_without_rowid and [kind for _place, _column, kind in keyed] != ["INTEGER"]:
        columns, key = (_ROWID, *columns), (_ROWID,)
    named = connection.execute(f"PRAGMA foreign_key_list({name})").fetchall()
    return TableColumns(
        name, columns, key, tuple(sorted((ForeignKey(row[3], row[2], row[4]) for row in named), key=_column))
    )


def _column(parent: ForeignKey) -> str:
    return parent.column
