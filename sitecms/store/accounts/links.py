"""Invitations and links to reset passwords, found by the digests of their secrets."""

from datetime import datetime
from typing import Any

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.account_link import AccountLink, LinkKind
from sitecms.content.user import Role
from sitecms.store.database import Session, Transaction

_COLUMNS = "digest, kind, label, role, author, user_id, made_by, created_at, expires_at, used_at"
_SELECT = f"SELECT {_COLUMNS} FROM account_link WHERE "
_INSERT = f"INSERT INTO account_link ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"


def _link(row: tuple[Any, ...]) -> AccountLink:
    digest, kind, label, role, author, user_id, made_by, created_at, expires_at, used_at = row
    used = None if used_at is None else from_microseconds(used_at)
    times = from_microseconds(created_at), from_microseconds(expires_at)
    return AccountLink(digest, LinkKind(kind), label, Role(role), author, user_id, made_by, *times, used)


def insert_link(transaction: Transaction, link: AccountLink) -> None:
    """Insert a link that nobody has used."""
    times = to_microseconds(link.created_at), to_microseconds(link.expires_at)
    names = link.digest, link.kind.value, link.label, link.role.value, link.author
    transaction.sql(_INSERT, *names, link.user_id, link.made_by, *times)


def find_link(session: Session, digest: str, kind: LinkKind) -> AccountLink | None:
    """Return the link whose secret has this digest, used and old ones too."""
    row = session.sql_row(f"{_SELECT} digest = ? AND kind = ?", digest, kind.value)
    return _link(row) if row else None


def find_open_links(session: Session, kind: LinkKind, at: datetime) -> tuple[AccountLink, ...]:
    """Return the links of a kind that can be used, the newest first."""
    statement = f"{_SELECT} kind = ? AND used_at IS NULL AND expires_at > ? ORDER BY created_at DESC"
    return tuple(_link(row) for row in session.sql(statement, kind.value, to_microseconds(at)))


def note_used(transaction: Transaction, digest: str, at: datetime) -> None:
    """Record that a link was used."""
    transaction.sql("UPDATE account_link SET used_at = ? WHERE digest = ?", to_microseconds(at), digest)


def delete_link(transaction: Transaction, digest: str) -> None:
    """Withdraw a link."""
    transaction.sql("DELETE FROM account_link WHERE digest = ?", digest)


def delete_links_for(transaction: Transaction, user_id: int) -> None:
    """Withdraw the links to reset the password of a user that nobody has used."""
    transaction.sql("DELETE FROM account_link WHERE user_id = ? AND used_at IS NULL", user_id)


def delete_links_made_by(transaction: Transaction, user_id: int) -> None:
    """Withdraw the links of a user that nobody has used."""
    transaction.sql("DELETE FROM account_link WHERE made_by = ? AND used_at IS NULL", user_id)


def delete_old_links(transaction: Transaction, before: datetime) -> None:
    """Remove the links that could not be used any more before then."""
    transaction.sql("DELETE FROM account_link WHERE expires_at < ?", to_microseconds(before))
