"""Notes of users on entries, and answers to them. They are no content: no read, build or export has them."""

from datetime import datetime
from typing import Any

from msgspec.structs import asdict

from sitecms.content.kinds import EntryKind
from sitecms.content.review import Note
from sitecms.store.database import Session, Transaction
from sitecms.store.models.reviews import NoteRow

_COLUMNS = [getattr(NoteRow, name) for name in Note.__struct_fields__]


def find_notes(session: Session, kind: EntryKind, entry_id: int, locale: str) -> tuple[Note, ...]:
    """Return the notes on an entry in a locale and the answers to them, oldest first."""
    rows = session.rows(NoteRow.select(*_COLUMNS).where(_is_of(kind, entry_id, locale)).order_by(NoteRow.id))
    return tuple(Note(*row) for row in rows)


def count_notes(session: Session, kind: EntryKind, entry_id: int, locale: str) -> int:
    """Return the number of notes on an entry in a locale, with the answers to them."""
    return session.count(NoteRow.select(NoteRow.id).where(_is_of(kind, entry_id, locale)))


def insert_note(transaction: Transaction, note: Note) -> int:
    """Insert a note; its id is given out here and returned."""
    values = {name: value for name, value in asdict(note).items() if name != "id"}
    return int(transaction.insert(NoteRow, values))


def set_done(transaction: Transaction, note_id: int, at: datetime | None, by: int | None) -> None:
    """Say that a note is done, or with None that it is open."""
    transaction.run(NoteRow.update(done_at=at, done_by=by).where(NoteRow.id == note_id))


def delete_note(transaction: Transaction, note_id: int) -> None:
    """Remove a note with the answers to it."""
    transaction.run(NoteRow.delete().where((NoteRow.id == note_id) | (NoteRow.parent_id == note_id)))


def _is_of(kind: EntryKind, entry_id: int, locale: str) -> Any:
    return (NoteRow.entry_id == entry_id) & (NoteRow.kind == kind) & (NoteRow.locale == locale)
