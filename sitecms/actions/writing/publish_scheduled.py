"""Publication of scheduled entries once their time has come."""

from datetime import datetime

from sitecms.store.database import Database
from sitecms.store.entries.due_entries import find_due


def anything_due(database: Database, at: datetime) -> bool:
    """Return whether `publish_scheduled` would publish an entry."""
    with database.reading() as session:
        return bool(find_due(session, at))


def publish_scheduled(database: Database, at: datetime, default_locale: str) -> int:
    """Publish the entries scheduled for `at` or before, as of their scheduled time; return their number.

    Each gets its status and times, its row in the search index and its event. Opens a write transaction only if an
    entry is due. Safe to run in several processes at once.
    """
    if not anything_due(database, at):
        return 0
    from sitecms.actions.writing.entry_events import EventCause
    from sitecms.actions.writing.publish_due import publish_due  # mostly nothing is due

    with database.writing() as transaction:
        due = find_due(transaction, at)
        publish_due(transaction, due, EventCause(default_locale, at))
    return len(due)
