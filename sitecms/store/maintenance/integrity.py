"""Integrity checks of a store: pages of the file, definitions of tables, foreign keys, JSON, and invalid states.

An invalid state of a write, delivery or reservation is one that no operation leads to; it can be repaired.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path

import cysqlite
import orjson
import peewee
from msgspec import Struct
from playhouse.cysqlite_ext import CySqliteDatabase

from sitecms.clock import to_microseconds
from sitecms.errors import StoreUnusable
from sitecms.store.database import Session, Transaction
from sitecms.store.engines.sqlite.connection import PRAGMAS, connector
from sitecms.store.engines.sqlite.file import statements_of
from sitecms.store.maintenance.rows import row_chunks, table_sums
from sitecms.store.schema.columns import ForeignKey, TableColumns, content_tables
from sitecms.store.schema.migrations import LATEST, STEPS

_MAX_PROBLEMS = 100
_DEFINITION = ", ".join(f"CAST({column} AS BLOB)" for column in ("type", "name", "tbl_name", "sql"))
_JSON = "_json"


class DanglingKey(Struct, frozen=True):
    """Row whose foreign key refers to a missing row."""

    table: str
    row: str
    parent: str


def damage(path: Path, *, is_quick: bool = False) -> tuple[str, ...]:
    """Return the problems that SQLite finds in the file. If `is_quick`, indexes are not checked."""
    check = "quick_check" if is_quick else "integrity_check"
    database = connector(path, {**PRAGMAS, "query_only": 0})
    try:
        rows = database.connection().execute(f"PRAGMA {check}({_MAX_PROBLEMS})").fetchall()
    except (peewee.DatabaseError, cysqlite.DatabaseError, UnicodeDecodeError) as error:
        return (str(error),)
    finally:
        database.close()
    return tuple(str(row[0]) for row in rows if row[0] != "ok")


def schema_damage(path: Path) -> tuple[str, ...]:
    """Return which tables, indexes and triggers of the file have other definitions than a new store of its version."""
    database = connector(path, {**PRAGMAS, "query_only": 1})
    try:
        held, version = _definitions(database), int(database.pragma("user_version"))
    except (peewee.DatabaseError, cysqlite.DatabaseError, UnicodeDecodeError) as error:
        return (str(error),)
    finally:
        database.close()
    right = _right_definitions(version if 0 < version < LATEST else LATEST)
    return tuple(
        f"the definition of {name} is not what it should be" for name in sorted({each[1] for each in held ^ right})
    )


@cache
def _right_definitions(version: int) -> frozenset[tuple[str, ...]]:
    database = connector(Path(":memory:"), {})
    try:
        for statement in statements_of(STEPS[:version]):
            database.execute_sql(statement)
        return _definitions(database)
    finally:
        database.close()


def _definitions(database: CySqliteDatabase) -> frozenset[tuple[str, ...]]:
    """Return (type, name, table, statement) of each definition."""
    rows = database.connection().execute(f"SELECT {_DEFINITION} FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    return frozenset(tuple(_text(value) for value in row) for row in rows.fetchall())


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


def unreadable(session: Session) -> tuple[str, ...]:
    """Return the error of a server that cannot return all rows, if any. It ends the session."""
    try:
        table_sums(session)
    except (peewee.DatabaseError, StoreUnusable) as error:
        return (str(error).splitlines()[0],)
    return ()


def dangling_keys(session: Session) -> tuple[DanglingKey, ...]:
    """Return rows whose foreign keys refer to missing rows."""
    return tuple(
        key for shape in content_tables() for parent in shape.parents for key in _dangling(session, shape, parent)
    )


def _dangling(session: Session, shape: TableColumns, parent: ForeignKey) -> Iterator[DanglingKey]:
    key = ", ".join(f"{shape.name}.{column}" for column in shape.key)
    named, there = f"{shape.name}.{parent.column}", f"{parent.table}.{parent.parent_column}"
    rows = session.sql(
        f"SELECT {key} FROM {shape.name} LEFT JOIN {parent.table} ON {there} = {named} "
        f"WHERE {named} IS NOT NULL AND {there} IS NULL ORDER BY {key}"
    )
    for row in rows:
        yield DanglingKey(shape.name, ", ".join(map(str, row)), parent.table)


def broken_json(session: Session) -> tuple[tuple[str, str, str], ...]:
    """Return (table, row, column) of each JSON column that contains something else."""
    return tuple(cell for shape in content_tables() for cell in _broken(session, shape))


def _broken(session: Session, shape: TableColumns) -> Iterator[tuple[str, str, str]]:
    places = [place for place, column in enumerate(shape.columns) if column.endswith(_JSON)]
    keys = [shape.columns.index(column) for column in shape.key]
    for rows in row_chunks(session, shape) if places else ():
        for row in rows:
            for place in places:
                if row[place] is not None and not _is_json(row[place]):
                    yield shape.name, ", ".join(str(row[key]) for key in keys), shape.columns[place]


def _is_json(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


_WRITES = """
SELECT id, what FROM (SELECT id, sequence, CASE
 WHEN status = 'accepted' AND finished_at IS NOT NULL THEN 'is accepted, and has a time at which it ended'
 WHEN status <> 'accepted' AND finished_at IS NULL THEN 'is ' || status || ', and has no time at which it ended'
 WHEN status <> 'accepted' AND owner IS NOT NULL THEN 'is ' || status || ', and ' || owner || ' still holds it'
 END AS what FROM write) AS looked WHERE what IS NOT NULL ORDER BY sequence"""
_DELIVERIES = """
SELECT id, what FROM (SELECT delivery.id, CASE
 WHEN webhook.id IS NULL THEN 'is for the webhook ' || webhook_id || ', which does not exist'
 WHEN status = 'waiting' AND finished_at IS NOT NULL THEN 'waits, and has a time at which it ended'
 WHEN status <> 'waiting' AND finished_at IS NULL THEN 'is ' || status || ', and has no time at which it ended'
 WHEN status <> 'waiting' AND owner IS NOT NULL THEN 'is ' || status || ', and ' || owner || ' still holds it'
 END AS what FROM delivery LEFT JOIN webhook ON webhook.id = webhook_id) AS looked
WHERE what IS NOT NULL ORDER BY id"""
_RESERVATIONS = """
SELECT reservation.kind, name, write_id FROM reservation LEFT JOIN write ON write.id = write_id
WHERE write.id IS NULL OR write.status <> 'accepted' ORDER BY 1, 2"""
_END = (
    "UPDATE write SET finished_at = NULL WHERE status = 'accepted' AND finished_at IS NOT NULL",
    "UPDATE write SET owner = NULL WHERE status <> 'accepted' AND owner IS NOT NULL",
    "UPDATE delivery SET finished_at = NULL WHERE status = 'waiting' AND finished_at IS NOT NULL",
    "UPDATE delivery SET owner = NULL WHERE status <> 'waiting' AND owner IS NOT NULL",
    "DELETE FROM delivery WHERE webhook_id NOT IN (SELECT id FROM webhook)",
    "DELETE FROM reservation WHERE write_id NOT IN (SELECT id FROM write WHERE status = 'accepted')",
)
_END_NOW = (
    "UPDATE write SET finished_at = ? WHERE status <> 'accepted' AND finished_at IS NULL",
    "UPDATE delivery SET finished_at = ? WHERE status <> 'waiting' AND finished_at IS NULL",
)


def invalid_writes(session: Session) -> tuple[tuple[str, str], ...]:
    """Return (id, problem) of each write in an invalid state."""
    return tuple((str(row[0]), str(row[1])) for row in session.sql(_WRITES))


def invalid_deliveries(session: Session) -> tuple[tuple[str, str], ...]:
    """Return (id, problem) of each delivery in an invalid state."""
    return tuple((str(row[0]), str(row[1])) for row in session.sql(_DELIVERIES))


def stale_reservations(session: Session) -> tuple[tuple[str, str, str], ...]:
    """Return (kind, name, write id) of names that are still reserved for writes that ended."""
    return tuple((str(row[0]), str(row[1]), str(row[2])) for row in session.sql(_RESERVATIONS))


def repair_states(transaction: Transaction, at: datetime) -> None:
    """Correct each row to match its status; a row that lacks the time of its end gets `at`.

    Deliveries without a webhook are removed, as they should have been with it.
    """
    for statement in _END:
        transaction.sql(statement)
    for statement in _END_NOW:
        transaction.sql(statement, to_microseconds(at))
