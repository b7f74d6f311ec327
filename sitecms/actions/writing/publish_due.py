"""Publication of entries that were found to be due; `publish_scheduled` finds them."""

from sitecms.actions.writing.entry_events import EventCause, record_saved
from sitecms.actions.writing.save_entry import index_page, index_post
from sitecms.content.change import EntryKind
from sitecms.content.revision import Change, ChangeCause, ChangeKind, ChangeSource
from sitecms.content.status import Status
from sitecms.store.database import Transaction
from sitecms.store.entries.due_entries import DueEntries
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.entries.pages import version_ids
from sitecms.store.entries.post_history import keep_post, read_state
from sitecms.store.entries.posts import get_post_by_id, update_post
from sitecms.store.entries.version_changes import publish_version
from sitecms.store.entries.version_history import keep_locale
from sitecms.store.site_state.documents import load_content_schema


def publish_due(transaction: Transaction, due: DueEntries, cause: EventCause) -> None:
    """Give these entries their status and times, a row in the search index, an entry in the history, and an event."""
    for post_id in due.posts:
        _publish_post(transaction, post_id, cause)
    schema = load_content_schema(transaction)
    for version_id, kind, entry_id in due.versions:
        before = version_ids(transaction, entry_id) if kind is EntryKind.PAGE else ()
        stored = versions_of(transaction, kind, entry_id)
        locale = publish_version(transaction, version_id)
        keep_locale(transaction, kind, entry_id, locale, stored, _change(cause))
        if kind is EntryKind.PAGE:
            index_page(transaction, entry_id, before, schema)
        record_saved(transaction, kind, entry_id, locale, Status.PUBLISHED, cause)


def _publish_post(transaction: Transaction, post_id: int, cause: EventCause) -> None:
    post = get_post_by_id(transaction, post_id)
    keep_post(
        transaction, read_state(transaction, post), ChangeCause(ChangeSource.SCHEDULE), Status.PUBLISHED, cause.at
    )
    values = {"status": Status.PUBLISHED.value, "published_at": post.scheduled_at, "updated_at": post.scheduled_at}
    update_post(transaction, post_id, {**values, "scheduled_at": None})
    index_post(transaction, post_id, post.title, post.body, Status.PUBLISHED, post.fields)
    record_saved(transaction, EntryKind.POST, post_id, post.locale, Status.PUBLISHED, cause)


def _change(cause: EventCause) -> Change:
    return Change(cause.at, ChangeKind.PUBLISH, ChangeSource.SCHEDULE, "")
