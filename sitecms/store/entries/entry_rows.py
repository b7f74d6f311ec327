"""Rows of entries: in which table they are, and new ones of pages and items."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sitecms.content.change import EntryKind, Origin
from sitecms.store.database import Transaction
from sitecms.store.models.entries import EntryRow, PostRow
from sitecms.store.site_state.last_ids import last_id


class RowOfEntry(NamedTuple):
    """The table that has an entry of some kind, and the condition of its row there."""

    table: Any
    is_it: Any


def row_of(kind: str, entry_id: int) -> RowOfEntry:
    """Return where the row of an entry is."""
    if kind == EntryKind.POST:
        return RowOfEntry(PostRow, PostRow.id == entry_id)
    return RowOfEntry(EntryRow, (EntryRow.kind == str(kind)) & (EntryRow.id == entry_id))


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
