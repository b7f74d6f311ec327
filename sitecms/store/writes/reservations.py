"""Reservations of open writes: slugs that no other write may take, and ids of new entries."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from peewee import SQL, fn

from sitecms.content.kinds import EntryKind
from sitecms.store.database import Session, Transaction
from sitecms.store.models.writes import ReservationRow, WriteRow
from sitecms.store.prepared import prepared
from sitecms.store.site_state.last_ids import last_id, set_last_id


class Reserved(NamedTuple):
    """Entry that a name is reserved for."""

    entry_id: int
    entry_key: str


@prepared
def _reserve(kind: EntryKind, name: str, write_id: str) -> Any:
    reserved = ReservationRow.insert(kind=kind, name=name, write_id=write_id)
    key = [ReservationRow.kind, ReservationRow.name]
    return reserved.on_conflict(conflict_target=key, preserve=[ReservationRow.write_id])


@prepared
def _reserved(kind: EntryKind, name: str) -> Any:
    entries = ReservationRow.select(WriteRow.entry_id, WriteRow.entry_key).join(WriteRow)
    return entries.where(ReservationRow.kind == kind, ReservationRow.name == name)


@prepared
def _number_reserved(kind: EntryKind) -> Any:
    return ReservationRow.select(fn.COUNT(SQL("*"))).where(ReservationRow.kind == kind)


def page_name(page_type: str, slug: str) -> str:
    """Return the name that a page reserves: `guide/knots`, for a Single Page `/about`."""
    return f"{page_type}/{slug}"


def variant_name(group_id: int, locale: str) -> str:
    """Return the name that a new locale of a post reserves besides its slug. No slug of a post contains a slash."""
    return f"{group_id}/{locale}"


def reserve(transaction: Transaction, kind: EntryKind, name: str, write_id: str) -> None:
    """Reserve a name for a write until it ends. A later write to the same entry takes it over."""
    transaction.run(_reserve(kind, name, write_id))


def find_reserved(session: Session, kind: EntryKind, name: str) -> Reserved | None:
    """Return the entry that the name is reserved for, None if it is free."""
    row = session.row(_reserved(kind, name))
    return Reserved(*row) if row else None


def reserve_ids(transaction: Transaction, kind: EntryKind, ids: Iterable[int], write_id: str) -> None:
    """Reserve the ids of new entries without slugs for the write that creates them, until it ends."""
    for entry_id in ids:
        reserve(transaction, kind, str(entry_id), write_id)


def release_id(transaction: Transaction, kind: EntryKind, entry_id: int) -> None:
    """Remove the reservation of an entry without a slug that is not going to be created."""
    is_entry = (ReservationRow.kind == kind) & (ReservationRow.name == str(entry_id))
    transaction.run(ReservationRow.delete().where(is_entry))


def count_reserved(session: Session, kind: EntryKind) -> int:
    """Count the names of entries of a kind that accepted writes have reserved."""
    return int(session.rows(_number_reserved(kind))[0][0])


def next_entry_ids(transaction: Transaction, kind: EntryKind, count: int = 1) -> tuple[int, ...]:
    """Return new ids, which no entry of the kind has or ever had."""
    last = last_id(transaction, kind.value)
    set_last_id(transaction, kind.value, last + count)
    return tuple(range(last + 1, last + count + 1))


def count_reservations(session: Session) -> int:
    """Return the number of reservations."""
    return session.count(ReservationRow.select())
