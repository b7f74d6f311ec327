"""Digests of rows in the SQLite file, over the bytes of all columns, computed when a transaction ends.

SQLite has no function for it, so triggers record the rows that any program changes. Values are read as bytes: a
damaged one may not be text.
"""

from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from typing import Any

from sitecms.store.schema.columns import CONTENT_TABLES, KEYS, SEPARATOR

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
            row = connection.execute(_row_statement(name), values).fetchone()
            if row is not None:
                digests.append((digest_of(row), name, key))
        connection.executemany(_SET, digests)
        last = changed[-1]


@cache
def as_bytes(table: str) -> str:
    """Return the types and the values of all columns as bytes, in SQL: text and a blob may have the same bytes."""
    columns = next(each.columns for each in CONTENT_TABLES if each.name == table)
    types = " || ".join(f"typeof({table}.{column})" for column in columns)
    values = (f"CAST({table}.{column} AS BLOB)" for column in columns)
    return ", ".join((f"CAST({types} AS BLOB)", *values))


@cache
def _row_statement(table: str) -> str:
    """Return the statement that reads one row."""
    condition = " AND ".join(f"{column} = ?" for column in KEYS[table])
    return f"SELECT {as_bytes(table)} FROM {table} WHERE {condition}"
