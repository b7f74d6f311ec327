"""Publication of scheduled entries once their time has come: posts, and versions of pages and items."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sitecms.content.change import EntryKind
from sitecms.content.revision import Change, ChangeCause, ChangeKind, Source
from sitecms.content.status import Status
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.entries.items import ITEMS
from sitecms.store.entries.pages import PAGES, version_ids
from sitecms.store.entries.post_history import keep_post, read_state
from sitecms.store.entries.posts import due_posts, get_post_by_id, update_post
from sitecms.store.entries.version_history import keep_locale
from sitecms.store.entries.versions import due_versions, publish_version
from sitecms.store.site_state.documents import load_content_schema

if TYPE_CHECKING:
    from sitecms.actions.writing.entry_events import EventCause


@dataclass(frozen=True, slots=True)
class DueEntries:
    """Scheduled entries whose time has come: posts by id, pages and items as (version id, entry id)."""

    posts: tuple[int, ...]
    pages: tuple[tuple[int, int], ...]
    items: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.posts) + len(self.pages) + len(self.items)


def anything_due(database: Database, at: datetime) -> bool:
    """Return whether `publish_scheduled` would publish an entry."""
    with database.reading() as session:
        return len(_find_due(session, at)) > 0


def publish_scheduled(database: Database, at: datetime, default_locale: str) -> int:
    """Publish the entries scheduled for `at` or before, as of their scheduled time; return their number.

    Each gets its status and times, its row in the search index and its event. Opens a write transaction only if an
    entry is due. Safe to run in several processes at once.
    """
    if not anything_due(database, at):
        return 0
    from sitecms.actions.writing.entry_events import EventCause  # mostly nothing is due

    with database.writing() as transaction:
        due = _find_due(transaction, at)
        _publish(transaction, due, EventCause(default_locale, at))
    return len(due)


def _find_due(session: Session, at: datetime) -> DueEntries:
    return DueEntries(due_posts(session, at), due_versions(session, PAGES, at), due_versions(session, ITEMS, at))


def _publish(transaction: Transaction, due: DueEntries, cause: "EventCause") -> None:
    from sitecms.actions.writing.entry_events import record_saved
    from sitecms.actions.writing.save_entry import index_page

    for post_id in due.posts:
        _publish_post(transaction, post_id, cause)
    schema = load_content_schema(transaction)
    for version_id, page_id in due.pages:
        before = version_ids(transaction, page_id)
        stored = versions_of(transaction, EntryKind.PAGE, page_id)
        locale = publish_version(transaction, PAGES, version_id)
        keep_locale(transaction, EntryKind.PAGE, page_id, locale, stored, _change(cause))
        index_page(transaction, page_id, before, schema)
        record_saved(transaction, EntryKind.PAGE, page_id, locale, Status.PUBLISHED, cause)
    for version_id, item_id in due.items:
        stored = versions_of(transaction, EntryKind.ITEM, item_id)
        locale = publish_version(transaction, ITEMS, version_id)
        keep_locale(transaction, EntryKind.ITEM, item_id, locale, stored, _change(cause))
        record_saved(transaction, EntryKind.ITEM, item_id, locale, Status.PUBLISHED, cause)


def _publish_post(transaction: Transaction, post_id: int, cause: "EventCause") -> None:
    from sitecms.actions.writing.entry_events import record_saved
    from sitecms.actions.writing.save_entry import index_post

    post = get_post_by_id(transaction, post_id)
    keep_post(transaction, read_state(transaction, post), ChangeCause(Source.SCHEDULE), Status.PUBLISHED, cause.at)
    values = {"status": Status.PUBLISHED.value, "published_at": post.scheduled_at, "updated_at": post.scheduled_at}
    update_post(transaction, post_id, {**values, "scheduled_at": None})
    index_post(transaction, post_id, post.title, post.body, Status.PUBLISHED, post.fields)
    record_saved(transaction, EntryKind.POST, post_id, post.locale, Status.PUBLISHED, cause)


def _change(cause: "EventCause") -> Change:
    return Change(cause.at, ChangeKind.PUBLISH, Source.SCHEDULE, "")
