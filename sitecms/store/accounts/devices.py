"""Browsers in which users have signed in, by the digests of the secrets in their cookies.

Attempts to sign in from them are counted apart, so that nobody else can use up those of a user. They open nothing.
"""

from datetime import datetime

from sitecms.clock import to_microseconds
from sitecms.store.database import Session, Transaction


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
