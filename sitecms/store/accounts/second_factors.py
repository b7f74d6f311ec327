"""Second factors of users, and the sign-ins that wait for a code."""

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.store.database import Session, Transaction


class SecondFactor(Struct, frozen=True):
    """The secret of a user's app. It asks for codes once it is turned on; `last_step` is that of the last code."""

    secret: str
    turned_on_at: datetime | None
    last_step: int


class SignInStep(Struct, frozen=True):
    """A sign-in whose password was right and whose code is missing."""

    user_id: int
    created_at: datetime
    attempts: int


def find_second_factor(session: Session, user_id: int) -> SecondFactor | None:
    """Return the second factor of a user, turned on or not."""
    statement = "SELECT secret, turned_on_at, last_step FROM second_factor WHERE user_id = ?"
    row = session.sql_row(statement, user_id)
    return SecondFactor(row[0], None if row[1] is None else from_microseconds(row[1]), row[2]) if row else None


def insert_second_factor(transaction: Transaction, user_id: int, secret: str, at: datetime) -> None:
    """Insert a second factor that is not turned on yet."""
    statement = "INSERT INTO second_factor (user_id, secret, created_at) VALUES (?, ?, ?)"
    transaction.sql(statement, user_id, secret, to_microseconds(at))


def note_turned_on(transaction: Transaction, user_id: int, at: datetime) -> None:
    """Turn a second factor on."""
    transaction.sql("UPDATE second_factor SET turned_on_at = ? WHERE user_id = ?", to_microseconds(at), user_id)


def note_step(transaction: Transaction, user_id: int, step: int) -> None:
    """Record the step of a code that was accepted: neither it nor an earlier one is accepted again."""
    transaction.sql("UPDATE second_factor SET last_step = ? WHERE user_id = ?", step, user_id)


def delete_second_factor(transaction: Transaction, user_id: int) -> None:
    """Remove a second factor and its recovery codes."""
    transaction.sql("DELETE FROM second_factor WHERE user_id = ?", user_id)
    transaction.sql("DELETE FROM recovery_code WHERE user_id = ?", user_id)


def replace_recovery_codes(transaction: Transaction, user_id: int, digests: Iterable[str]) -> None:
    """Replace the recovery codes of a user."""
    transaction.sql("DELETE FROM recovery_code WHERE user_id = ?", user_id)
    for digest in digests:
        transaction.sql("INSERT INTO recovery_code (digest, user_id) VALUES (?, ?)", digest, user_id)


def use_recovery_code(transaction: Transaction, user_id: int, digest: str) -> bool:
    """Remove a recovery code, and return whether there was one."""
    statement = "DELETE FROM recovery_code WHERE user_id = ? AND digest = ? RETURNING 1"
    return bool(transaction.sql(statement, user_id, digest))


def count_recovery_codes(session: Session, user_id: int) -> int:
    """Return the number of recovery codes that a user has left."""
    return int(session.sql("SELECT count(*) FROM recovery_code WHERE user_id = ?", user_id)[0][0])


def insert_step(transaction: Transaction, digest: str, user_id: int, at: datetime) -> None:
    """Insert a sign-in that waits for a code."""
    statement = "INSERT INTO sign_in_step (digest, user_id, created_at) VALUES (?, ?, ?)"
    transaction.sql(statement, digest, user_id, to_microseconds(at))


def find_step(session: Session, digest: str) -> SignInStep | None:
    """Return the sign-in whose secret has this digest, or None."""
    row = session.sql_row("SELECT user_id, created_at, attempts FROM sign_in_step WHERE digest = ?", digest)
    return SignInStep(row[0], from_microseconds(row[1]), row[2]) if row else None


def note_wrong_code(transaction: Transaction, digest: str) -> None:
    """Count a wrong code."""
    transaction.sql("UPDATE sign_in_step SET attempts = attempts + 1 WHERE digest = ?", digest)


def delete_step(transaction: Transaction, digest: str) -> None:
    """Remove a sign-in that waits for a code."""
    transaction.sql("DELETE FROM sign_in_step WHERE digest = ?", digest)


def delete_old_steps(transaction: Transaction, before: datetime) -> None:
    """Remove the sign-ins that began before then."""
    transaction.sql("DELETE FROM sign_in_step WHERE created_at < ?", to_microseconds(before))
