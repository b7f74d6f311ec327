"""Publish what was scheduled, once its time has come: posts, and versions of pages and items."""

from dataclasses import dataclass
from datetime import datetime

from sitecms.content.status import Status
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.items import ITEMS
from sitecms.store.pages import PAGES
from sitecms.store.posts import due_posts, get_post_by_id, update_post
from sitecms.store.versions import VersionTable, due_versions, publish_version

_VERSIONS: tuple[VersionTable, ...] = (PAGES, ITEMS)


@dataclass(frozen=True, slots=True)
class _Due:
    posts: tuple[int, ...]
    versions: tuple[tuple[VersionTable, int], ...]

    def __len__(self) -> int:
        return len(self.posts) + len(self.versions)


def anything_due(database: Database, at: datetime) -> bool:
    """Whether `publish_scheduled` would publish something."""
    with database.reading() as session:
        return len(_find_due(session, at)) > 0


def publish_scheduled(database: Database, at: datetime) -> int:
    """Publish everything scheduled for `at` or before, as of the time it was scheduled for; how many entries.

    Opens a write transaction only if something is due. Safe to run in several processes at once.
    """
    if not anything_due(database, at):
        return 0
    with database.writing() as transaction:
        due = _find_due(transaction, at)
        for post_id in due.posts:
            _publish_post(transaction, post_id)
        for table, version_id in due.versions:
            publish_version(transaction, table, version_id)
        return len(due)


def _find_due(session: Session, at: datetime) -> _Due:
    versions = tuple((table, row[0]) for table in _VERSIONS for row in due_versions(session, table, at))
    return _Due(due_posts(session, at), versions)


def _publish_post(transaction: Transaction, post_id: int) -> None:
    scheduled_at = get_post_by_id(transaction, post_id).scheduled_at
    values = {"status": Status.PUBLISHED.value, "published_at": scheduled_at, "updated_at": scheduled_at}
    update_post(transaction, post_id, {**values, "scheduled_at": None})
