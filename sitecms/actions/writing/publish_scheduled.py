"""Publish what was scheduled, once its time has come, with its event: posts, and versions of pages and items."""

from dataclasses import dataclass
from datetime import datetime

from sitecms.store.database import Database, Session
from sitecms.store.entries.items import ITEMS
from sitecms.store.entries.pages import PAGES
from sitecms.store.entries.posts import due_posts
from sitecms.store.entries.versions import due_versions


@dataclass(frozen=True, slots=True)
class Due:
    """Posts by id; pages and items as (version id, entry id)."""

    posts: tuple[int, ...]
    pages: tuple[tuple[int, int], ...]
    items: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.posts) + len(self.pages) + len(self.items)


def anything_due(database: Database, at: datetime) -> bool:
    """Whether `publish_scheduled` would publish something."""
    with database.reading() as session:
        return len(find_due(session, at)) > 0


def publish_scheduled(database: Database, at: datetime, default_locale: str) -> int:
    """Publish everything scheduled for `at` or before, as of the time it was scheduled for; how many entries.

    Opens a write transaction only if something is due. Safe to run in several processes at once.
    """
    if not anything_due(database, at):
        return 0
    from sitecms.actions.writing.publish_due import publish_due

    with database.writing() as transaction:
        return publish_due(transaction, at, default_locale)


def find_due(session: Session, at: datetime) -> Due:
    """All that was scheduled for that moment or before."""
    return Due(due_posts(session, at), due_versions(session, PAGES, at), due_versions(session, ITEMS, at))
