"""Integrity checks of a store: pages of the file, definitions of tables, foreign keys, JSON, and invalid states.

An invalid state of a write, delivery or reservation is one that no operation leads to; it can be repaired.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import cysqlite
import orjson
import peewee
from msgspec import Struct
from peewee import JOIN

from sitecms.content.webhooks.webhook import DeliveryStatus
from sitecms.content.writes import WriteStatus
from sitecms.errors import StoreUnusable
from sitecms.store.database import Session, Transaction
from sitecms.store.engines.sqlite.connection import PRAGMAS, connector
from sitecms.store.maintenance.rows import row_chunks, table_sums
from sitecms.store.models.writes import IS_OPEN, DeliveryRow, ReservationRow, WebhookRow, WriteRow
from sitecms.store.schema.columns import CONTENT_TABLES, ForeignKey, TableColumns
from sitecms.store.schema.structure import structure, structure_of_new_store

_MAX_PROBLEMS = 100
_JSON = "_json"
# By hand: what is wrong with a row is a text that SQL makes.
_WRITES = """
SELECT id, problem FROM (SELECT id, sequence, CASE
 WHEN status = 'accepted' AND finished_at IS NOT NULL THEN 'is accepted, and has a time at which it ended'
 WHEN status <> 'accepted' AND finished_at IS NULL THEN 'is ' || status || ', and has no time at which it ended'
 WHEN status <> 'accepted' AND owner IS NOT NULL THEN 'is ' || status || ', and ' || owner || ' still holds it'
 END AS problem FROM write) AS writes WHERE problem IS NOT NULL ORDER BY sequence"""
_DELIVERIES = """
SELECT id, problem FROM (SELECT delivery.id, CASE
 WHEN webhook.id IS NULL THEN 'is for the webhook ' || webhook_id || ', which does not exist'
 WHEN status = 'waiting' AND finished_at IS NOT NULL THEN 'waits, and has a time at which it ended'
 WHEN status <> 'waiting' AND finished_at IS NULL THEN 'is ' || status || ', and has no time at which it ended'
 WHEN status <> 'waiting' AND owner IS NOT NULL THEN 'is ' || status || ', and ' || owner || ' still holds it'
 END AS problem FROM delivery LEFT JOIN webhook ON webhook.id = webhook_id) AS deliveries
WHERE problem IS NOT NULL ORDER BY id"""
_STALE_RESERVATIONS = (
    ReservationRow.select(ReservationRow.kind, ReservationRow.name, ReservationRow.write_id)
    .join(WriteRow, JOIN.LEFT_OUTER)
    .where(WriteRow.id.is_null() | (WriteRow.status != WriteStatus.ACCEPTED))
    .order_by(ReservationRow.kind, ReservationRow.name)
)


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
    """Return which tables, indexes and triggers of the file differ from those of a new store.

    Those of an earlier version are compared as they will be when the store is used.
    """
    database = connector(path, {**PRAGMAS, "query_only": 1})
    try:
        definitions = structure(database.connection())
    except (peewee.DatabaseError, cysqlite.DatabaseError, UnicodeDecodeError) as error:
        return (str(error),)
    finally:
        database.close()
    names = sorted({each.name for each in definitions ^ structure_of_new_store()})
    return tuple(f"the definition of {name} is not what it should be" for name in names)


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
        key for shape in CONTENT_TABLES for parent in shape.parents for key in _dangling(session, shape, parent)
    )


def _dangling(session: Session, shape: TableColumns, parent: ForeignKey) -> Iterator[DanglingKey]:
    key = ", ".join(f"{shape.name}.{column}" for column in shape.key)
    pairs = [
        (f"{shape.name}.{column}", f"{parent.table}.{there}")
        for column, there in zip(parent.columns, parent.parent_columns, strict=True)
    ]
    joined = " AND ".join(f"{there} = {column}" for column, there in pairs)
    column, there = pairs[-1]
    rows = session.sql(  # by hand: of any table
        f"SELECT {key} FROM {shape.name} LEFT JOIN {parent.table} ON {joined} "
        f"WHERE {column} IS NOT NULL AND {there} IS NULL ORDER BY {key}"
    )
    for row in rows:
        yield DanglingKey(shape.name, ", ".join(map(str, row)), parent.table)


def broken_json(session: Session) -> tuple[tuple[str, str, str], ...]:
    """Return (table, row, column) of each JSON column that contains something else."""
    return tuple(cell for shape in CONTENT_TABLES for cell in _broken(session, shape))


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


def invalid_writes(session: Session) -> tuple[tuple[str, str], ...]:
    """Return (id, problem) of each write in an invalid state."""
    return tuple((str(row[0]), str(row[1])) for row in session.sql(_WRITES))


def invalid_deliveries(session: Session) -> tuple[tuple[str, str], ...]:
    """Return (id, problem) of each delivery in an invalid state."""
    return tuple((str(row[0]), str(row[1])) for row in session.sql(_DELIVERIES))


def stale_reservations(session: Session) -> tuple[tuple[str, str, str], ...]:
    """Return (kind, name, write id) of names that are still reserved for writes that ended."""
    return tuple((str(row[0]), str(row[1]), str(row[2])) for row in session.rows(_STALE_RESERVATIONS))


def repair_states(transaction: Transaction, at: datetime) -> None:
    """Correct each row to match its status; a row that lacks the time of its end gets `at`.

    Deliveries without a webhook are removed, as they should have been with it.
    """
    tables: tuple[tuple[Any, str], ...] = ((WriteRow, WriteStatus.ACCEPTED), (DeliveryRow, DeliveryStatus.WAITING))
    for table, open_status in tables:
        is_open, has_ended = table.status == open_status, table.status != open_status
        transaction.run(table.update(finished_at=None).where(is_open, table.finished_at.is_null(False)))
        transaction.run(table.update(owner=None).where(has_ended, table.owner.is_null(False)))
        transaction.run(table.update(finished_at=at).where(has_ended, table.finished_at.is_null()))
    webhooks, open_writes = WebhookRow.select(WebhookRow.id), WriteRow.select(WriteRow.id).where(IS_OPEN)
    transaction.run(DeliveryRow.delete().where(DeliveryRow.webhook_id.not_in(webhooks)))
    transaction.run(ReservationRow.delete().where(ReservationRow.write_id.not_in(open_writes)))
