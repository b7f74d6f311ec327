"""Links that open once, found by the digests of their secrets."""

from datetime import datetime

from msgspec.structs import asdict

from sitecms.content.account_link import AccountLink, LinkKind
from sitecms.store.database import Session, Transaction
from sitecms.store.models.accounts import AccountLinkRow

_UNUSED = AccountLinkRow.used_at.is_null()


def insert_link(transaction: Transaction, link: AccountLink) -> None:
    """Insert a link that nobody has used."""
    transaction.insert(AccountLinkRow, asdict(link))


def find_link(session: Session, digest: str, kind: LinkKind) -> AccountLink | None:
    """Return the link whose secret has this digest, used and old ones too."""
    row = session.row(AccountLinkRow.select().where(AccountLinkRow.digest == digest, AccountLinkRow.kind == kind))
    return AccountLink(*row) if row else None


def find_open_links(session: Session, kind: LinkKind, at: datetime) -> tuple[AccountLink, ...]:
    """Return the links of a kind that can be used, the newest first."""
    usable = AccountLinkRow.select().where(AccountLinkRow.kind == kind, _UNUSED, AccountLinkRow.expires_at > at)
    return tuple(AccountLink(*row) for row in session.rows(usable.order_by(AccountLinkRow.created_at.desc())))


def note_used(transaction: Transaction, digest: str, at: datetime) -> None:
    """Record that a link was used."""
    transaction.run(AccountLinkRow.update(used_at=at).where(AccountLinkRow.digest == digest))


def delete_link(transaction: Transaction, digest: str) -> None:
    """Withdraw a link."""
    transaction.run(AccountLinkRow.delete().where(AccountLinkRow.digest == digest))


def delete_links_of(transaction: Transaction, kind: LinkKind) -> None:
    """Withdraw the links of a kind that nobody has used."""
    transaction.run(AccountLinkRow.delete().where(AccountLinkRow.kind == kind, _UNUSED))


def delete_links_for(transaction: Transaction, user_id: int) -> None:
    """Withdraw the links to reset the password of a user that nobody has used."""
    transaction.run(AccountLinkRow.delete().where(AccountLinkRow.user_id == user_id, _UNUSED))


def delete_links_made_by(transaction: Transaction, user_id: int) -> None:
    """Withdraw the links of a user that nobody has used."""
    transaction.run(AccountLinkRow.delete().where(AccountLinkRow.made_by == user_id, _UNUSED))


def delete_old_links(transaction: Transaction, before: datetime) -> None:
    """Remove the links that could not be used any more before then."""
    transaction.run(AccountLinkRow.delete().where(AccountLinkRow.expires_at < before))
