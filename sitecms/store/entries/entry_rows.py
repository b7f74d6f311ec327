"""Rows of entries: how they are named, and new ones of pages and items."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from peewee import fn

from sitecms.content.change import Origin
from sitecms.content.kinds import EntryKind
from sitecms.store.database import Session, Transaction
from sitecms.store.models.entries import EntryRow, VersionRow
from sitecms.store.prepared import prepared
from sitecms.store.site_state.last_ids import last_id


def is_entry(kind: str, entry_id: int) -> Any:
    """Return the condition of the row of an entry."""
    return (EntryRow.kind == str(kind)) & (EntryRow.id == entry_id)


@prepared
def _last_version() -> Any:
    return VersionRow.select(fn.COALESCE(fn.MAX(VersionRow.id), 0))


def next_version_id(session: Session) -> int:
    """Return the id of a version that is inserted next."""
    row = session.row(_last_version())
    return int(row[0]) + 1 if row else 1


def insert_entry(
    transaction: Transaction,
    kind: EntryKind,
    own: Mapping[str, object],
    made: tuple[Origin, datetime],
    entry_id: int | None = None,
) -> int:
    """Insert an entry without versions, which references can already name; return its id, the next one by default."""
    number = last_id(transaction, kind.value) + 1 if entry_id is None else entry_id
    origin, at = made
    values = {"kind": kind.value, "id": number, **own, "origin": origin.value, "created_at": at}
    transaction.insert(EntryRow, values)
    return number
