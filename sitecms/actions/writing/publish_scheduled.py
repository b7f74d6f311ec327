"""Publication of scheduled entries once their time has come."""

from collections.abc import Mapping
from datetime import datetime

from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database, Session
from sitecms.store.entries.due_entries import DueVersion, find_due

HELD_BACK_REMEDY = "change the slug or path of one of them, and it is published"


def anything_due(database: Database, at: datetime, settings: SiteSettings) -> bool:
    """Return whether `publish_scheduled` would publish an entry."""
    with database.reading() as session:
        due = find_due(session, at)
        return bool(due) and len(due) > len(_held_back(session, due, settings))


def publish_scheduled(database: Database, at: datetime, settings: SiteSettings) -> int:
    """Publish the entries scheduled for `at` or before, as of their scheduled time; return their number.

    Each gets its status and times, its row in the search index and its event. An entry whose address another one has
    stays scheduled until the address is free (`publish_due.held_back`). Opens a write transaction only if an entry is
    due. Safe to run in several processes at once.
    """
    if not anything_due(database, at, settings):
        return 0
    from sitecms.actions.writing.entry_events import EventCause
    from sitecms.actions.writing.publish_due import publish_due

    with database.writing() as transaction:
        due = find_due(transaction, at)
        return publish_due(transaction, due, settings, EventCause(settings.default_locale, at))


def find_held_back(session: Session, at: datetime, settings: SiteSettings) -> Mapping[DueVersion, str]:
    """Return the versions that are due and stay scheduled, each with who has its address (`publish_due.held_back`)."""
    due = find_due(session, at)
    return _held_back(session, due, settings) if due else {}


def held_back_texts(session: Session, at: datetime, settings: SiteSettings) -> tuple[str, ...]:
    """Return a text for each entry that is due and stays scheduled."""
    held = find_held_back(session, at, settings)
    if not held:
        return ()
    from sitecms.actions.writing.publish_due import text_of

    return tuple(text_of(session, due, occupant) for due, occupant in held.items())


def _held_back(session: Session, due: tuple[DueVersion, ...], settings: SiteSettings) -> Mapping[DueVersion, str]:
    from sitecms.actions.writing.publish_due import held_back  # mostly nothing is due, and each build asks

    return held_back(session, due, settings)
