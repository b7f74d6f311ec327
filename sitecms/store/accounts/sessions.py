"""Sessions of users, and browsers in which they have signed in, by the digests of the secrets in their cookies.

Attempts to sign in from a known browser are counted apart, so that nobody else can use up those of a user. Its cookie
opens nothing.
"""

from datetime import datetime
from typing import Any

from peewee import SQL, fn

from sitecms.content.user import SESSION_IDLE, SESSION_LONGEST, User, UserSession
from sitecms.store.accounts.users import COLUMNS
from sitecms.store.database import Session, Transaction
from sitecms.store.models.accounts import AccountLinkRow, KnownDeviceRow, SignInStepRow, UserRow, UserSessionRow
from sitecms.store.prepared import prepared

_SESSIONS = (
    UserSessionRow.select(
        UserSessionRow.digest, *COLUMNS, UserSessionRow.created_at, UserSessionRow.seen_at, UserSessionRow.address,
        UserSessionRow.client, UserSessionRow.confirmed_at,
    )
    .join(UserRow)
    .where(UserRow.removed_at.is_null(), UserRow.deactivated_at.is_null())
)  # fmt: skip


@prepared
def _session_of(digest: str) -> Any:
    return _SESSIONS.where(UserSessionRow.digest == digest)


def _session(row: tuple[Any, ...]) -> UserSession:
    digest, *user = row[: len(COLUMNS) + 1]
    return UserSession(digest, User(*user), *row[len(COLUMNS) + 1 :])


def find_session(session: Session, digest: str) -> UserSession | None:
    """Return the session whose secret has this digest, current or not."""
    row = session.row(_session_of(digest))
    return _session(row) if row else None


def find_sessions(session: Session, user_id: int) -> tuple[UserSession, ...]:
    """Return all sessions of a user, the last used first."""
    query = _SESSIONS.where(UserSessionRow.user_id == user_id).order_by(UserSessionRow.seen_at.desc())
    return tuple(map(_session, session.rows(query)))


def insert_session(
    transaction: Transaction, digest: str, user: User, at: datetime, address: str, client: str
) -> UserSession:
    """Insert a session of a user who signed in."""
    times = {"created_at": at, "seen_at": at, "confirmed_at": at}
    row = {"digest": digest, "user_id": user.id, **times, "address": address, "client": client}
    transaction.insert(UserSessionRow, row)
    return UserSession(digest, user, at, at, address, client, at)


def note_seen(transaction: Transaction, digest: str, at: datetime) -> None:
    """Record that a session is used."""
    transaction.run(UserSessionRow.update(seen_at=at).where(UserSessionRow.digest == digest))


def note_confirmed(transaction: Transaction, digest: str, at: datetime) -> None:
    """Record that the user has typed the password again."""
    transaction.run(UserSessionRow.update(confirmed_at=at).where(UserSessionRow.digest == digest))


def end_session(transaction: Transaction, digest: str) -> None:
    """End a session."""
    transaction.run(UserSessionRow.delete().where(UserSessionRow.digest == digest))


def end_sessions(transaction: Transaction, user_id: int, *, but: str = "") -> int:
    """End all sessions of a user but the one with the digest `but`; return their number.

    Where the user has typed the password and no code yet, the password is asked again.
    """
    transaction.run(SignInStepRow.delete().where(SignInStepRow.user_id == user_id))
    others = (UserSessionRow.user_id == user_id) & (UserSessionRow.digest != but)
    return transaction.run(UserSessionRow.delete().where(others))


def end_everything(transaction: Transaction) -> None:
    """End the sessions of all users, and the links to invite them and to reset passwords."""
    for table in (SignInStepRow, AccountLinkRow, UserSessionRow):
        transaction.run(table.delete())


def count_sessions(session: Session, at: datetime) -> dict[int, int]:
    """Return the numbers of current sessions by user."""
    is_current = (UserSessionRow.seen_at > at - SESSION_IDLE) & (UserSessionRow.created_at > at - SESSION_LONGEST)
    counts = UserSessionRow.select(UserSessionRow.user_id, fn.COUNT(SQL("*")))
    return dict(session.rows(counts.where(is_current).group_by(UserSessionRow.user_id)))


def end_expired(transaction: Transaction, at: datetime) -> None:
    """Remove sessions that have ended by age or idleness."""
    has_ended = (UserSessionRow.seen_at < at - SESSION_IDLE) | (UserSessionRow.created_at < at - SESSION_LONGEST)
    transaction.run(UserSessionRow.delete().where(has_ended))


def knows_device(session: Session, digest: str, name: str) -> bool:
    """Return whether the user of that name has signed in with this device."""
    is_match = (KnownDeviceRow.digest == digest) & (UserRow.name == name) & UserRow.removed_at.is_null()
    return session.row(KnownDeviceRow.select(KnownDeviceRow.digest).join(UserRow).where(is_match)) is not None


def remember_device(transaction: Transaction, old: str, new: str, user_id: int, at: datetime) -> None:
    """Record that a user signed in with a device, which has the digest `new` instead of `old` from now on."""
    transaction.run(KnownDeviceRow.update(digest=new).where(KnownDeviceRow.digest == old))
    key = [KnownDeviceRow.digest, KnownDeviceRow.user_id]
    device = KnownDeviceRow.insert(digest=new, user_id=user_id, seen_at=at)
    transaction.run(device.on_conflict(conflict_target=key, preserve=[KnownDeviceRow.seen_at]))


def forget_devices(transaction: Transaction, user_id: int) -> None:
    """Forget the devices of a user."""
    transaction.run(KnownDeviceRow.delete().where(KnownDeviceRow.user_id == user_id))


def forget_old_devices(transaction: Transaction, before: datetime) -> None:
    """Forget the devices that were used last before then."""
    transaction.run(KnownDeviceRow.delete().where(KnownDeviceRow.seen_at < before))
