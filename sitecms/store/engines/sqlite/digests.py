"""Digests of rows in the SQLite file: over the bytes of all columns, worked out when a transaction ends.

SQLite has no function for it, so triggers note which rows changed, whoever changes them. Values are read as bytes: a
damaged one may be no text at all.
"""

from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from typing import Any

from sitecms.store.schema.columns import shapes
from sitecms.store.schema.digested_tables import KEYS, SEPARATOR

DIGEST_BYTES = 8
_OPEN = "SELECT name, key FROM row_digest INDEXED BY row_digest_open WHERE digest IS NULL"
_SET = "UPDATE row_digest SET digest = ? WHERE name = ? AND key = ?"


def digest_of(values: Iterable[bytes | None]) -> bytes:
    """Return the digest of a row."""
    found = blake2b(digest_size=DIGEST_BYTES)
    for value in values:
        found.update(b"-" if value is None else b"%d:" % len(value))
        found.update(value or b"")
    return found.digest()


def set_digests(connection: Any) -> None:
    """Work out the digests of all rows that were changed."""
    changed = connection.execute(_OPEN).fetchall()
    for name, key in changed:
        values = str(key).split(SEPARATOR, len(KEYS[name]) - 1)
        row = connection.execute(_row_statement(name), values).fetchone()
        if row is not None:
            connection.execute(_SET, (digest_of(row), name, key))


@cache
def as_bytes(table: str) -> str:
    """Return the types and the values of all columns as bytes, in SQL: text and a blob may have the same bytes."""
    shape = next(shape for shape in shapes() if shape.name == table)
    types = " || ".join(f"typeof({table}.{column})" for column in shape.columns)
    values = (f"CAST({table}.{column} AS BLOB)" for column in shape.columns)
    return ", ".join((f"CAST({types} AS BLOB)", *values))


@cache
def _row_statement(table: str) -> str:
    wanted = " AND ".join(f"{column} = ?" for column in KEYS[table])
    return f"SELECT {as_bytes(table)} FROM {table} WHERE {wanted}"
