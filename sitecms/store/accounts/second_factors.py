"""Second factors of users, and the sign-ins that wait for a code."""

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from sitecms.store.database import Session, Transaction
from sitecms.store.models.accounts import RecoveryCodeRow, SecondFactorRow, SignInStepRow


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
    columns = SecondFactorRow.secret, SecondFactorRow.turned_on_at, SecondFactorRow.last_step
    row = session.row(SecondFactorRow.select(*columns).where(SecondFactorRow.user_id == user_id))
    return SecondFactor(*row) if row else None


def insert_second_factor(transaction: Transaction, user_id: int, secret: str, at: datetime) -> None:
    """Insert a second factor that is not turned on yet."""
    transaction.insert(SecondFactorRow, {"user_id": user_id, "secret": secret, "created_at": at})


def note_turned_on(transaction: Transaction, user_id: int, at: datetime) -> None:
    """Turn a second factor on."""
    transaction.run(SecondFactorRow.update(turned_on_at=at).where(SecondFactorRow.user_id == user_id))


def note_step(transaction: Transaction, user_id: int, step: int) -> None:
    """Record the step of a code that was accepted: neither it nor an earlier one is accepted again."""
    transaction.run(SecondFactorRow.update(last_step=step).where(SecondFactorRow.user_id == user_id))


def delete_second_factor(transaction: Transaction, user_id: int) -> None:
    """Remove a second factor and its recovery codes."""
    transaction.run(SecondFactorRow.delete().where(SecondFactorRow.user_id == user_id))
    replace_recovery_codes(transaction, user_id, ())


def replace_recovery_codes(transaction: Transaction, user_id: int, digests: Iterable[str]) -> None:
    """Replace the recovery codes of a user."""
    transaction.run(RecoveryCodeRow.delete().where(RecoveryCodeRow.user_id == user_id))
    transaction.insert_many(RecoveryCodeRow, [{"digest": digest, "user_id": user_id} for digest in digests])


def use_recovery_code(transaction: Transaction, user_id: int, digest: str) -> bool:
    """Remove a recovery code, and return whether there was one."""
    code = (RecoveryCodeRow.user_id == user_id) & (RecoveryCodeRow.digest == digest)
    return bool(transaction.run(RecoveryCodeRow.delete().where(code)))


def count_recovery_codes(session: Session, user_id: int) -> int:
    """Return the number of recovery codes that a user has left."""
    return session.count(RecoveryCodeRow.select().where(RecoveryCodeRow.user_id == user_id))


def insert_step(transaction: Transaction, digest: str, user_id: int, at: datetime) -> None:
    """Insert a sign-in that waits for a code."""
    transaction.insert(SignInStepRow, {"digest": digest, "user_id": user_id, "created_at": at})


def find_step(session: Session, digest: str) -> SignInStep | None:
    """Return the sign-in whose secret has this digest, or None."""
    columns = SignInStepRow.user_id, SignInStepRow.created_at, SignInStepRow.attempts
    row = session.row(SignInStepRow.select(*columns).where(SignInStepRow.digest == digest))
    return SignInStep(*row) if row else None


def note_wrong_code(transaction: Transaction, digest: str) -> None:
    """Count a wrong code."""
    counted = SignInStepRow.update(attempts=SignInStepRow.attempts + 1)
    transaction.run(counted.where(SignInStepRow.digest == digest))


def delete_step(transaction: Transaction, digest: str) -> None:
    """Remove a sign-in that waits for a code."""
    transaction.run(SignInStepRow.delete().where(SignInStepRow.digest == digest))


def delete_old_steps(transaction: Transaction, before: datetime) -> None:
    """Remove the sign-ins that began before then."""
    transaction.run(SignInStepRow.delete().where(SignInStepRow.created_at < before))
