"""Sessions of users, and browsers in which they have signed in, by the digests of the secrets in their cookies.

Attempts to sign in from a known browser are counted apart, so that nobody else can use up those of a user. Its cookie
opens nothing.
"""

from datetime import datetime
from typing import Any

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.user import SESSION_IDLE, SESSION_LONGEST, User, UserSession
from sitecms.store.accounts.users import COLUMN_COUNT, COLUMNS, user_of
from sitecms.store.database import Session, Transaction

_SELECT = f"""
SELECT {COLUMNS}, digest, studio_session.created_at, seen_at, studio_session.confirmed_at, address, client
FROM studio_session JOIN studio_user ON studio_user.id = studio_session.user_id
WHERE removed_at IS NULL AND deactivated_at IS NULL AND """


def _session(row: tuple[Any, ...]) -> UserSession:
    digest, created_at, seen_at, confirmed_at, address, client = row[COLUMN_COUNT:]
    times = from_microseconds(created_at), from_microseconds(seen_at)
    return UserSession(digest, user_of(row), *times, address, client, from_microseconds(confirmed_at))


def find_session(session: Session, digest: str) -> UserSession | None:
    """Return the session whose secret has this digest, current or not."""
    row = session.sql_row(f"{_SELECT} digest = ?", digest)
    return _session(row) if row else None


def find_sessions(session: Session, user_id: int) -> tuple[UserSession, ...]:
    """Return all sessions of a user, the last used first."""
    return tuple(
        _session(row) for row in session.sql(f"{_SELECT} studio_session.user_id = ? ORDER BY seen_at DESC", user_id)
    )


def insert_session(
    transaction: Transaction, digest: str, user: User, at: datetime, address: str, client: str
) -> UserSession:
    """Insert a session of a user who signed in."""
    statement = (
        "INSERT INTO studio_session (digest, user_id, created_at, seen_at, confirmed_at, address, client) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
    moment = to_microseconds(at)
    transaction.sql(statement, digest, user.id, moment, moment, moment, address, client)
    return UserSession(digest, user, at, at, address, client, at)


def note_seen(transaction: Transaction, digest: str, at: datetime) -> None:
    """Record that a session is used."""
    transaction.sql("UPDATE studio_session SET seen_at = ? WHERE digest = ?", to_microseconds(at), digest)


def note_confirmed(transaction: Transaction, digest: str, at: datetime) -> None:
    """Record that the user has typed the password again."""
    transaction.sql("UPDATE studio_session SET confirmed_at = ? WHERE digest = ?", to_microseconds(at), digest)


def end_session(transaction: Transaction, digest: str) -> None:
    """End a session."""
    transaction.sql("DELETE FROM studio_session WHERE digest = ?", digest)


def end_sessions(transaction: Transaction, user_id: int, *, but: str = "") -> int:
    """End all sessions of a user but the one with the digest `but`; return their number.

    Where the user has typed the password and no code yet, the password is asked again.
    """
    transaction.sql("DELETE FROM sign_in_step WHERE user_id = ?", user_id)
    statement = "DELETE FROM studio_session WHERE user_id = ? AND digest <> ? RETURNING 1"
    return len(transaction.sql(statement, user_id, but))


def end_everything(transaction: Transaction) -> None:
    """End the sessions of all users, and the links to invite them and to reset passwords."""
    transaction.sql("DELETE FROM sign_in_step")
    transaction.sql("DELETE FROM account_link")
    transaction.sql("DELETE FROM studio_session")


def count_sessions(session: Session, at: datetime) -> dict[int, int]:
    """Return the numbers of current sessions by user."""
    rows = session.sql(
        "SELECT user_id, count(*) FROM studio_session WHERE seen_at > ? AND created_at > ? GROUP BY user_id",
        to_microseconds(at - SESSION_IDLE),
        to_microseconds(at - SESSION_LONGEST),
    )
    return {int(user_id): int(count) for user_id, count in rows}


def end_expired(transaction: Transaction, at: datetime) -> None:
    """Remove sessions that have ended by age or idleness."""
    statement = "DELETE FROM studio_session WHERE seen_at < ? OR created_at < ?"
    transaction.sql(statement, to_microseconds(at - SESSION_IDLE), to_microseconds(at - SESSION_LONGEST))


def knows_device(session: Session, digest: str, name: str) -> bool:
    """Return whether the user of that name has signed in with this device."""
    statement = (
        "SELECT 1 FROM known_device JOIN studio_user ON studio_user.id = user_id "
        "WHERE digest = ? AND name = ? AND removed_at IS NULL"
    )
    return session.sql_row(statement, digest, name) is not None


def remember_device(transaction: Transaction, old: str, new: str, user_id: int, at: datetime) -> None:
    """Record that a user signed in with a device, which has the digest `new` instead of `old` from now on."""
    transaction.sql("UPDATE known_device SET digest = ? WHERE digest = ?", new, old)
    transaction.sql(
        "INSERT INTO known_device (digest, user_id, seen_at) VALUES (?, ?, ?) "
        "ON CONFLICT (digest, user_id) DO UPDATE SET seen_at = excluded.seen_at",
        new, user_id, to_microseconds(at),
    )  # fmt: skip


def forget_devices(transaction: Transaction, user_id: int) -> None:
    """Forget the devices of a user."""
    transaction.sql("DELETE FROM known_device WHERE user_id = ?", user_id)


def forget_old_devices(transaction: Transaction, before: datetime) -> None:
    """Forget the devices that were used last before then."""
    transaction.sql("DELETE FROM known_device WHERE seen_at < ?", to_microseconds(before))
