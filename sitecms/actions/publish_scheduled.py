"""Publish what was scheduled, once its time has come, with its event: posts, and versions of pages and items."""

from dataclasses import dataclass
from datetime import datetime

from sitecms.actions.index_entry import index_page, index_post
from sitecms.actions.tell_entry import Teller, tell_saved
from sitecms.content.status import Status
from sitecms.content.write import EntryKind
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.documents import load_content_schema
from sitecms.store.items import ITEMS
from sitecms.store.pages import PAGES, version_ids
from sitecms.store.posts import due_posts, get_post_by_id, update_post
from sitecms.store.versions import due_versions, publish_version


@dataclass(frozen=True, slots=True)
class _Due:
    """Posts by id; pages and items as (version id, entry id)."""

    posts: tuple[int, ...]
    pages: tuple[tuple[int, int], ...]
    items: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.posts) + len(self.pages) + len(self.items)


def anything_due(database: Database, at: datetime) -> bool:
    """Whether `publish_scheduled` would publish something."""
    with database.reading() as session:
        return len(_find_due(session, at)) > 0


def publish_scheduled(database: Database, at: datetime, default_locale: str) -> int:
    """Publish everything scheduled for `at` or before, as of the time it was scheduled for; how many entries.

    Opens a write transaction only if something is due. Safe to run in several processes at once.
    """
    if not anything_due(database, at):
        return 0
    with database.writing() as transaction:
        due, teller = _find_due(transaction, at), Teller(default_locale, at)
        for post_id in due.posts:
            _publish_post(transaction, post_id, teller)
        schema = load_content_schema(transaction)
        for version_id, page_id in due.pages:
            before = version_ids(transaction, page_id)
            locale = publish_version(transaction, PAGES, version_id)
            index_page(transaction, page_id, before, schema)
            tell_saved(transaction, EntryKind.PAGE, page_id, locale, Status.PUBLISHED, teller)
        for version_id, item_id in due.items:
            locale = publish_version(transaction, ITEMS, version_id)
            tell_saved(transaction, EntryKind.ITEM, item_id, locale, Status.PUBLISHED, teller)
        return len(due)


def _find_due(session: Session, at: datetime) -> _Due:
    return _Due(due_posts(session, at), due_versions(session, PAGES, at), due_versions(session, ITEMS, at))


def _publish_post(transaction: Transaction, post_id: int, teller: Teller) -> None:
    post = get_post_by_id(transaction, post_id)
    values = {"status": Status.PUBLISHED.value, "published_at": post.scheduled_at, "updated_at": post.scheduled_at}
    update_post(transaction, post_id, {**values, "scheduled_at": None})
    index_post(transaction, post_id, post.title, post.body, Status.PUBLISHED)
    tell_saved(transaction, EntryKind.POST, post_id, post.locale, Status.PUBLISHED, teller)
