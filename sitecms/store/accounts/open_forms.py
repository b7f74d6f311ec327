"""Forms of the studio that users have open, and the fields that they have not saved yet.

Both are kept by user, place (the path of the form) and sitting (one opening of the form in a window). A row of presence
counts for 45 seconds; the page renews it.
"""

from datetime import datetime, timedelta

import orjson
from msgspec import Struct

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.store.database import Session, Transaction

PRUNED_AT_ONCE = 1000
PRESENCE_LIFETIME = timedelta(seconds=45)
FormPairs = tuple[tuple[str, str], ...]
_SAVE = """
INSERT INTO unsaved_form (user_id, place, sitting, fields_json, saved_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (user_id, place, sitting) DO UPDATE SET fields_json = excluded.fields_json, saved_at = excluded.saved_at"""
_PRUNE = f"""
DELETE FROM unsaved_form WHERE id IN (SELECT id FROM unsaved_form WHERE saved_at < ? LIMIT {PRUNED_AT_ONCE})
RETURNING 1"""
_SAVE_PRESENCE = """
INSERT INTO presence (user_id, sitting, place, has_changes, seen_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (user_id, sitting) DO UPDATE SET place = excluded.place, has_changes = excluded.has_changes,
 seen_at = excluded.seen_at"""
_FIND_PRESENT = """
SELECT name, max(has_changes) FROM presence JOIN studio_user ON studio_user.id = user_id
WHERE place = ? AND seen_at > ? AND NOT (user_id = ? AND sitting = ?) GROUP BY name ORDER BY name"""


class UnsavedForm(Struct, frozen=True):
    """The fields of a form that was not saved, as (name, value) in the order of the form."""

    sitting: str
    fields: FormPairs
    saved_at: datetime


def save_unsaved(
    transaction: Transaction, user_id: int, place: str, sitting: str, fields: FormPairs, at: datetime
) -> None:
    """Insert or replace the fields of a form."""
    transaction.sql(_SAVE, user_id, place, sitting, orjson.dumps(fields).decode(), to_microseconds(at))


def find_unsaved(session: Session, user_id: int, place: str) -> tuple[UnsavedForm, ...]:
    """Return the unsaved forms of a user at a place, the newest first."""
    rows = session.sql(
        "SELECT sitting, fields_json, saved_at FROM unsaved_form WHERE user_id = ? AND place = ? "
        "ORDER BY saved_at DESC, id DESC",
        user_id, place,
    )  # fmt: skip
    return tuple(
        UnsavedForm(sitting, tuple((name, value) for name, value in orjson.loads(text)), from_microseconds(saved_at))
        for sitting, text, saved_at in rows
    )


def count_unsaved(session: Session, user_id: int) -> int:
    """Return the number of unsaved forms of a user."""
    return int(session.sql("SELECT count(*) FROM unsaved_form WHERE user_id = ?", user_id)[0][0])


def delete_unsaved(transaction: Transaction, user_id: int, place: str, sitting: str) -> None:
    """Remove an unsaved form."""
    transaction.sql("DELETE FROM unsaved_form WHERE user_id = ? AND place = ? AND sitting = ?", user_id, place, sitting)


def prune_unsaved(transaction: Transaction, before: datetime) -> int:
    """Remove up to PRUNED_AT_ONCE forms that were saved last before then, and return their number."""
    return len(transaction.sql(_PRUNE, to_microseconds(before)))


class Present(Struct, frozen=True):
    """A user who has a form open, in another window if it is the same user."""

    name: str
    has_changes: bool


def note_presence(
    transaction: Transaction, user_id: int, sitting: str, place: str, at: datetime, *, has_changes: bool
) -> None:
    """Record that a user has a form open; remove expired rows."""
    transaction.sql("DELETE FROM presence WHERE seen_at <= ?", to_microseconds(at - PRESENCE_LIFETIME))
    transaction.sql(_SAVE_PRESENCE, user_id, sitting, place, int(has_changes), to_microseconds(at))


def end_presence(transaction: Transaction, user_id: int, sitting: str) -> None:
    """Record that a form was closed."""
    transaction.sql("DELETE FROM presence WHERE user_id = ? AND sitting = ?", user_id, sitting)


def find_present(session: Session, place: str, at: datetime, user_id: int, sitting: str) -> tuple[Present, ...]:
    """Return the users who have the form at a place open, but for this user's own sitting, by name."""
    rows = session.sql(_FIND_PRESENT, place, to_microseconds(at - PRESENCE_LIFETIME), user_id, sitting)
    return tuple(Present(str(name), bool(has_changes)) for name, has_changes in rows)
