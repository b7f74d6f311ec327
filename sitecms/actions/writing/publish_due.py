"""Publication of versions that are due; `publish_scheduled` finds them."""

from collections.abc import Iterable
from datetime import datetime

from sitecms.actions.writing.entry_events import EventCause, record_saved
from sitecms.actions.writing.search_rows import index_entry, index_rows, unindex_rows
from sitecms.content.kinds import KINDS
from sitecms.content.revision import Change, ChangeCause, ChangeKind, ChangeSource
from sitecms.content.status import Status
from sitecms.store.database import Transaction
from sitecms.store.entries.due_entries import DueVersion
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.entries.post_history import keep_post, read_state
from sitecms.store.entries.posts import get_post_by_id
from sitecms.store.entries.version_changes import publish_version
from sitecms.store.entries.version_history import keep_locale


def publish_due(transaction: Transaction, due: Iterable[DueVersion], cause: EventCause) -> None:
    """Give these versions their status and times, rows in the search index, an entry in the history, and an event."""
    for each in due:
        unindex_rows(transaction, each.kind, index_rows(transaction, each.kind, each.entry_id))
        _keep(transaction, each, cause.at)
        publish_version(transaction, each.id)
        index_entry(transaction, each.kind, each.entry_id)
        record_saved(transaction, each.kind, each.entry_id, each.locale, Status.PUBLISHED, cause)


def _keep(transaction: Transaction, due: DueVersion, at: datetime) -> None:
    """Keep the state of the entry in the locale that is going to be published."""
    if KINDS[due.kind].has_versions:
        change = Change(at, ChangeKind.PUBLISH, ChangeSource.SCHEDULE, "")
        stored = versions_of(transaction, due.kind, due.entry_id)
        keep_locale(transaction, due.kind, due.entry_id, due.locale, stored, change)
    else:
        state = read_state(transaction, get_post_by_id(transaction, due.entry_id))
        keep_post(transaction, state, ChangeCause(ChangeSource.SCHEDULE), Status.PUBLISHED, at)
