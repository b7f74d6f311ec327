"""Publication of entries that were found to be due; `publish_scheduled` finds them."""

from datetime import datetime

from sitecms.actions.writing.entry_events import EventCause, record_saved
from sitecms.actions.writing.search_rows import index_entry, index_rows, unindex_rows
from sitecms.content.change import EntryKind
from sitecms.content.kinds import KINDS
from sitecms.content.revision import Change, ChangeCause, ChangeKind, ChangeSource
from sitecms.content.status import Status
from sitecms.store.database import Transaction
from sitecms.store.entries.due_entries import DueEntries, DueVersion
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.entries.post_history import keep_post, read_state
from sitecms.store.entries.posts import get_post_by_id, update_post
from sitecms.store.entries.version_changes import publish_version
from sitecms.store.entries.version_history import keep_locale


def publish_due(transaction: Transaction, due: DueEntries, cause: EventCause) -> None:
    """Give these entries their status and times, rows in the search index, an entry in the history, and an event."""
    posts = [DueVersion(0, EntryKind.POST, post_id) for post_id in due.posts]
    for each in (*posts, *due.versions):
        kind, entry_id = each.kind, each.entry_id
        unindex_rows(transaction, kind, index_rows(transaction, kind, entry_id))
        publish = _publish_version if KINDS[kind].has_versions else _publish_post
        locale = publish(transaction, each, cause.at)
        index_entry(transaction, kind, entry_id)
        record_saved(transaction, kind, entry_id, locale, Status.PUBLISHED, cause)


def _publish_post(transaction: Transaction, due: DueVersion, at: datetime) -> str:
    """Publish a post as of its scheduled time, and keep its former state; return its locale."""
    post = get_post_by_id(transaction, due.entry_id)
    keep_post(transaction, read_state(transaction, post), ChangeCause(ChangeSource.SCHEDULE), Status.PUBLISHED, at)
    values = {"status": Status.PUBLISHED.value, "published_at": post.scheduled_at, "updated_at": post.scheduled_at}
    update_post(transaction, post.id, {**values, "scheduled_at": None})
    return post.locale


def _publish_version(transaction: Transaction, due: DueVersion, at: datetime) -> str:
    """Publish a version of a page or item as of its scheduled time, and keep what it replaces; return its locale."""
    stored = versions_of(transaction, due.kind, due.entry_id)
    locale = publish_version(transaction, due.id)
    change = Change(at, ChangeKind.PUBLISH, ChangeSource.SCHEDULE, "")
    keep_locale(transaction, due.kind, due.entry_id, locale, stored, change)
    return locale
