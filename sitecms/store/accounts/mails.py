"""E-mails: stored in the transaction that causes them, claimed by one worker at a time, as deliveries of webhooks.

A claim holds while its owner is alive (`store.writes.claims`), until its lease ends at the latest: then the e-mail is
due again. The number of the attempt is the fencing token. Nothing waits longer than LONGEST_WAIT: what is due later
than that was put off by a clock that ran ahead, and is due now.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from peewee import SQL

from sitecms.content.mail import Mail, MailKind, MailStatus
from sitecms.content.query import Results, Window
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.models.accounts import IS_WAITING, AccountLinkRow, MailRow
from sitecms.store.prepared import prepared

LONGEST_WAIT = timedelta(days=2)
PRUNED_AT_ONCE = 1000
_COLUMNS = [getattr(MailRow, name) for name in Mail.__struct_fields__]
_NO_MAIL = "There is no such message; it may have been removed. List them: sitecms mail list"


class Recipient(Struct, frozen=True):
    """A user, or the link of an invitation, that an e-mail is for, and the address as it is now."""

    address: str
    user_id: int | None = None
    link_digest: str | None = None


def _is_due(mail: Any, at: datetime) -> Any:
    return (mail.due_at <= at) | (mail.due_at > at + LONGEST_WAIT)


def insert_mail(
    transaction: Transaction,
    kind: MailKind,
    recipient: Recipient,
    values: Mapping[str, str],
    at: datetime,
    due_at: datetime | None = None,
) -> int:
    """Insert an e-mail, to be sent after the commit or at the time `due_at`; return its id."""
    row = {
        "kind": kind, "user_id": recipient.user_id, "link_digest": recipient.link_digest, "address": recipient.address,
        "values": values, "status": MailStatus.WAITING, "due_at": due_at or at, "created_at": at,
    }  # fmt: skip
    return int(transaction.insert(MailRow, row))


@prepared
def _due(at: datetime, late: datetime) -> Any:
    return MailRow.select(MailRow.id).where(IS_WAITING, (MailRow.due_at <= at) | (MailRow.due_at > late)).limit(1)


def is_mail_due(session: Session, at: datetime) -> bool:
    """Return whether an e-mail is to be sent."""
    return session.row(_due(at, at + LONGEST_WAIT)) is not None


def claim_mail(transaction: Transaction, owner: str, at: datetime, lease: timedelta) -> Mail | None:
    """Claim the e-mail that is due the longest; return None if none is due."""
    due = MailRow.alias("due")
    first = due.select(due.id).where(SQL("due.status = 'waiting'"), _is_due(due, at)).order_by(due.due_at, due.id)
    claimed = MailRow.update(attempt=MailRow.attempt + 1, owner=owner, due_at=at + lease)
    rows = transaction.rows(claimed.where(MailRow.id == first.limit(1)).returning(*_COLUMNS))
    return Mail(*rows[0]) if rows else None


def settle_mail(
    transaction: Transaction, mail: Mail, status: MailStatus, problem: str, due_at: datetime, at: datetime
) -> bool:
    """Store the state of an e-mail after its attempt; return False, changing nothing, if the claim was lost."""
    failures = mail.failures if status in (MailStatus.SENT, MailStatus.DROPPED) else mail.failures + 1
    finished_at = None if status is MailStatus.WAITING else at
    settled = MailRow.update(
        status=status, problem=problem, failures=failures, owner=None, due_at=due_at, finished_at=finished_at
    )
    return bool(transaction.run(settled.where(MailRow.id == mail.id, MailRow.attempt == mail.attempt, IS_WAITING)))


def renew_link(transaction: Transaction, mail: Mail, digest: str, expires_at: datetime) -> bool:
    """Give the link of an invitation the digest of a new secret; return False if it was used or withdrawn."""
    is_link = (AccountLinkRow.digest == mail.link_digest) & AccountLinkRow.used_at.is_null()
    renewed = transaction.run(AccountLinkRow.update(digest=digest, expires_at=expires_at).where(is_link))
    transaction.run(MailRow.update(link_digest=digest).where(MailRow.id == mail.id))
    return bool(renewed)


def note_address(transaction: Transaction, mail: Mail, address: str) -> None:
    """Record the address that an e-mail is sent to."""
    transaction.run(MailRow.update(address=address).where(MailRow.id == mail.id))


def mail_owners(session: Session) -> tuple[str, ...]:
    """Return the owners of all claimed e-mails, alive or not."""
    owners = MailRow.select(MailRow.owner).where(MailRow.owner.is_null(False), IS_WAITING).distinct()
    return tuple(row[0] for row in session.rows(owners))


def release_mails(transaction: Transaction, owner: str, at: datetime) -> None:
    """Release all e-mails of an owner that is gone, and make them due now."""
    transaction.run(MailRow.update(owner=None, due_at=at).where(MailRow.owner == owner, IS_WAITING))


def drop_waiting(transaction: Transaction, reason: str, at: datetime) -> int:
    """Drop all e-mails that wait, and return their number."""
    dropped = MailRow.update(status=MailStatus.DROPPED, problem=reason, owner=None, finished_at=at)
    return transaction.run(dropped.where(IS_WAITING))


def find_last_mail(session: Session, kind: MailKind, user_id: int) -> Mail | None:
    """Return the newest e-mail of a kind to a user, of any status, or None."""
    mails = MailRow.select(*_COLUMNS).where(MailRow.kind == kind, MailRow.user_id == user_id)
    row = session.row(mails.order_by(MailRow.id.desc()).limit(1))
    return Mail(*row) if row else None


def find_mails(session: Session, status: MailStatus | None, window: Window) -> Results[Mail]:
    """Return e-mails of a status, or of any, the newest first."""
    mails = MailRow.select(*_COLUMNS)
    if status:
        mails = mails.where(MailRow.status == status)
    newest = mails.order_by(MailRow.id.desc()).limit(window.limit).offset(window.offset)
    return Results(session.count(mails), tuple(Mail(*row) for row in session.rows(newest)))


def send_again(transaction: Transaction, mail_ids: Sequence[int], at: datetime) -> int:
    """Make e-mails that failed due again; return their number. Raises NotFound if there is none."""
    again = MailRow.update(status=MailStatus.WAITING, failures=0, owner=None, due_at=at, finished_at=None, problem="")
    count = transaction.run(again.where(MailRow.id.in_(mail_ids), MailRow.status == MailStatus.FAILED))
    if not count:
        raise NotFound(_NO_MAIL)
    return count


def prune_mails(transaction: Transaction, before: datetime) -> int:
    """Remove up to PRUNED_AT_ONCE e-mails that were sent, dropped or given up before then, and return their number."""
    old = MailRow.select(MailRow.id).where(MailRow.finished_at < before).limit(PRUNED_AT_ONCE)
    return transaction.run(MailRow.delete().where(MailRow.id.in_(old)))
