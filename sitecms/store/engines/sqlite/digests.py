"""Digests of rows in the SQLite file, over the bytes of all columns, computed when a transaction ends.

SQLite has no function for it, so triggers record the rows that any program changes. Values are read as bytes: a
damaged one may not be text.
"""

from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from typing import Any

from sitecms.store.schema.columns import TableColumns, content_tables, table_columns
from sitecms.store.schema.sqlite import KEYS, SEPARATOR

DIGEST_BYTES = 8
_OPEN = (
    "SELECT name, key FROM row_digest INDEXED BY row_digest_open WHERE digest IS NULL AND (name, key) > (?, ?) "
    "ORDER BY name, key LIMIT 2000"
)
_SET = "UPDATE row_digest SET digest = ? WHERE name = ? AND key = ?"


def digest_of(values: Iterable[bytes | None]) -> bytes:
    """Return the digest of a row."""
    digest = blake2b(digest_size=DIGEST_BYTES)
    for value in values:
        digest.update(b"-" if value is None else b"%d:" % len(value))
        digest.update(value or b"")
    return digest.digest()


def set_digests(connection: Any) -> None:
    """Compute the digests of all rows that were changed, a few thousand in memory at a time."""
    last: tuple[Any, ...] = ("", "")
    while changed := connection.execute(_OPEN, last).fetchall():
        digests = []
        for name, key in changed:
            values = str(key).split(SEPARATOR, len(KEYS[name]) - 1)
            row = connection.execute(_row_statement(connection, name), values).fetchone()
            if row is not None:
                digests.append((digest_of(row), name, key))
        connection.executemany(_SET, digests)
        last = changed[-1]


@cache
def as_bytes(table: str) -> str:
    """Return the types and the values of all columns of a content table as bytes, in SQL."""
    return _as_bytes(next(each for each in content_tables() if each.name == table))


def _as_bytes(table: TableColumns) -> str:
    """Return the types and the values of all columns as bytes: text and a blob may have the same bytes."""
    types = " || ".join(f"typeof({table.name}.{column})" for column in table.columns)
    values = (f"CAST({table.name}.{column} AS BLOB)" for column in table.columns)
    return ", ".join((f"CAST({types} AS BLOB)", *values))


_row_statements: dict[str, str] = {}


def _row_statement(connection: Any, table: str) -> str:
    """Return the statement that reads one row; `as_bytes` would make all tables to find out about this one."""
    if table not in _row_statements:
        condition = " AND ".join(f"{column} = ?" for column in KEYS[table])
        values = _as_bytes(table_columns(connection, table))
        _row_statements[table] = f"SELECT {values} FROM {table} WHERE {condition}"
    return _row_statements[table]
