"""Log of the actions of users."""

from datetime import datetime

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.content.query import Results, Window
from sitecms.content.user import AuditEntry, User
from sitecms.store.database import Session, Transaction

COMMAND_LINE = "command line"
"""Name of the user for actions of somebody who has access to the server."""
PRUNED_AT_ONCE = 1000
_PRUNE = f"""
DELETE FROM audit_entry WHERE id IN (SELECT id FROM audit_entry WHERE at < ? ORDER BY at LIMIT {PRUNED_AT_ONCE})
RETURNING 1"""


def record_action(
    transaction: Transaction, user: User | None, action: str, subject: str, at: datetime, detail: str = ""
) -> None:
    """Record an action of a user; None: of the command line."""
    statement = "INSERT INTO audit_entry (at, user_id, user_name, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?)"
    user_id, name = (user.id, user.name) if user else (None, COMMAND_LINE)
    transaction.sql(statement, to_microseconds(at), user_id, name, action, subject, detail)


def find_actions(session: Session, window: Window, user_name: str = "") -> Results[AuditEntry]:
    """Return recorded actions, of one user or of all, the last first."""
    where, values = ("WHERE user_name = ?", (user_name,)) if user_name else ("", ())
    rows = session.sql(
        f"SELECT at, user_name, action, subject, detail FROM audit_entry {where} ORDER BY id DESC LIMIT ? OFFSET ?",
        *values,
        window.limit,
        window.offset,
    )
    count = int(session.sql(f"SELECT count(*) FROM audit_entry {where}", *values)[0][0])
    return Results(count, tuple(AuditEntry(from_microseconds(row[0]), *row[1:]) for row in rows))


def find_names(session: Session) -> tuple[str, ...]:
    """Return the names of all users in the log, also of removed ones."""
    return tuple(name for (name,) in session.sql("SELECT DISTINCT user_name FROM audit_entry ORDER BY user_name"))


def prune_actions(transaction: Transaction, before: datetime) -> int:
    """Remove up to PRUNED_AT_ONCE actions before then, and return their number."""
    return len(transaction.sql(_PRUNE, to_microseconds(before)))
