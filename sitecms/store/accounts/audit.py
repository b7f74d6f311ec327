"""Log of the actions of users."""

from collections.abc import Sequence
from datetime import datetime

from sitecms.content.query import Results, Window
from sitecms.content.user import AuditEntry, User
from sitecms.store.database import Session, Transaction
from sitecms.store.models.accounts import AuditEntryRow

COMMAND_LINE = "command line"
"""Name of the user for actions of somebody who has access to the server."""
PRUNED_AT_ONCE = 1000
_COLUMNS = (
    AuditEntryRow.at, AuditEntryRow.user_name, AuditEntryRow.action, AuditEntryRow.subject, AuditEntryRow.detail
)  # fmt: skip


def record_action(
    transaction: Transaction, user: User | None, action: str, subject: str, at: datetime, detail: str = ""
) -> None:
    """Record an action of a user; None: of the command line."""
    user_id, name = (user.id, user.name) if user else (None, COMMAND_LINE)
    row = {"at": at, "user_id": user_id, "user_name": name, "action": action, "subject": subject, "detail": detail}
    transaction.insert(AuditEntryRow, row)


def find_actions(session: Session, window: Window, user_name: str = "") -> Results[AuditEntry]:
    """Return recorded actions, of one user or of all, the last first."""
    actions = AuditEntryRow.select(*_COLUMNS)
    if user_name:
        actions = actions.where(AuditEntryRow.user_name == user_name)
    newest = actions.order_by(AuditEntryRow.id.desc()).limit(window.limit).offset(window.offset)
    return Results(session.count(actions), tuple(AuditEntry(*row) for row in session.rows(newest)))


def count_actions(session: Session, user_name: str, actions: Sequence[str], since: datetime) -> int:
    """Return how often a user has done one of these actions since then."""
    entry = AuditEntryRow
    recent = entry.select(entry.id).where(entry.at >= since, entry.user_name == user_name, entry.action.in_(actions))
    return session.count(recent)


def find_names(session: Session) -> tuple[str, ...]:
    """Return the names of all users in the log, also of removed ones."""
    names = AuditEntryRow.select(AuditEntryRow.user_name).distinct().order_by(AuditEntryRow.user_name)
    return tuple(name for (name,) in session.rows(names))


def prune_actions(transaction: Transaction, before: datetime) -> int:
    """Remove up to PRUNED_AT_ONCE actions before then, and return their number."""
    old = AuditEntryRow.select(AuditEntryRow.id).where(AuditEntryRow.at < before)
    some = old.order_by(AuditEntryRow.at).limit(PRUNED_AT_ONCE)
    return transaction.run(AuditEntryRow.delete().where(AuditEntryRow.id.in_(some)))
