"""What accepted writes will need once they are applied: slugs that no one else may take, ids of new entries."""

from typing import NamedTuple

from sitecms.content.write import EntryKind
from sitecms.store.database import Session, Transaction
from sitecms.store.last_ids import last_id, set_last_id

_HOLDER = """
SELECT write.entry_id, write.entry_key FROM reservation JOIN write ON write.id = reservation.write_id
WHERE reservation.kind = ? AND reservation.name = ?"""


_RESERVE = """
INSERT INTO reservation (kind, name, write_id) VALUES (?, ?, ?)
ON CONFLICT (kind, name) DO UPDATE SET write_id = excluded.write_id"""


class Reserved(NamedTuple):
    """The entry that a name is kept for."""

    entry_id: int
    entry_key: str


def page_name(page_type: str | None, slug: str) -> str:
    """What a page reserves: `guide/knots`; of a Single Page `/about`."""
    return f"{page_type or ''}/{slug}"


def variant_name(group_id: int, locale: str) -> str:
    """What a new variant of a post reserves besides its slug: no post's slug holds a slash."""
    return f"{group_id}/{locale}"


def reserve(transaction: Transaction, kind: EntryKind, name: str, write_id: str) -> None:
    """Keep the name for the write until it has ended; a later write to the same entry takes it over."""
    transaction.sql(_RESERVE, kind, name, write_id)


def find_reserved(session: Session, kind: EntryKind, name: str) -> Reserved | None:
    """The entry that the name is kept for, None if it is free."""
    row = session.sql_row(_HOLDER, kind.value, name)
    return Reserved(*row) if row else None


def next_entry_id(transaction: Transaction, kind: EntryKind) -> int:
    """An id that no entry of the kind has or ever had, given out for good."""
    given = last_id(transaction, kind.value) + 1
    set_last_id(transaction, kind.value, given)
    return given
