"""Events of entries (API reference, Webhooks): saved, published, unpublished, deleted, restored.

Events are recorded in the transaction in which they happen: one message for each webhook that is subscribed to the
event. Messages are sent once the transaction is committed (`actions.deliver_webhooks`). A load has its own functions
(`actions.loading.storing.changed_entries`). What is recorded here is also noted for the files of the site folder, which
a load has read (`store.site_state.file_changes`).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from sitecms.actions.mailing.queue import mail_failed_write
from sitecms.actions.writing.review_ends import end_review
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.schema import Collection
from sitecms.content.status import Status, Version
from sitecms.content.webhooks.event import (
    Event,
    EventSource,
    Transition,
    item_event,
    page_event,
    post_event,
    write_failed_event,
)
from sitecms.content.webhooks.webhook import Delivery, message_body, new_message_id
from sitecms.content.writes import Write, WriteStatus
from sitecms.store.database import Transaction
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.site_state.file_changes import FileAction, note_file_change
from sitecms.store.site_state.site_builds import count_site_change
from sitecms.store.writes.deliveries import insert_deliveries
from sitecms.store.writes.webhooks import all_webhooks

SYSTEM = "sitecms"
SAVED = {Status.PUBLISHED: Transition.PUBLISHED, Status.DRAFT: Transition.DRAFT, Status.SCHEDULED: Transition.DRAFT}
"""The event of a version that was saved with this status."""


class EventCause(Struct, frozen=True):
    """Source of events: `editor` (a token's name), time, and the write that caused them, if one did."""

    default_locale: str
    at: datetime
    editor: str = SYSTEM
    write_id: str | None = None


def record_saved(
    transaction: Transaction, kind: EntryKind, entry_id: int, locale: str, status: Status, cause: EventCause
) -> None:
    """Record that an entry was saved with that status in one locale: published, or saved as a draft."""
    _note_file(transaction, kind, entry_id, cause)
    versions = VERSIONS[kind].of(transaction, (entry_id,))
    saved = [entry for entry in versions if entry.locale == locale and entry.status is status]
    if saved:
        _record_entry_event(transaction, SAVED[status], saved[0], cause)
    if status is Status.PUBLISHED:
        end_review(transaction, versions, locale, "" if cause.editor == SYSTEM else cause.editor, cause.at)


def record_unpublished(transaction: Transaction, live: Entry, cause: EventCause) -> None:
    """Record that the live version of a page or item was taken off in its locale while the entry stays.

    `live` is that version as it was. Posts have no such event: they become drafts, or are deleted.
    """
    _note_file(transaction, live.kind, live.id, cause)
    _record_entry_event(transaction, Transition.UNPUBLISHED, live, cause)


def record_all_saved(
    transaction: Transaction,
    kind: EntryKind,
    entry_id: int,
    cause: EventCause,
    locale: str = "",
    action: FileAction = FileAction.RESTORE,
) -> None:
    """Record the events of a write that saved an entry as it is now: it was restored, or has another place.

    With a `locale`, only the versions in that locale count.
    """
    _note_file(transaction, kind, entry_id, cause, action)
    for entry in sorted(VERSIONS[kind].of(transaction, (entry_id,)), key=lambda each: each.version is not Version.LIVE):
        if locale in ("", entry.locale):
            _record_entry_event(transaction, SAVED[entry.status], entry, cause)


def record_deleted(transaction: Transaction, kind: EntryKind, entry_id: int, cause: EventCause) -> None:
    """Record one event before an entry is moved to the trash, of a page or item in the default locale if possible."""
    _note_file(transaction, kind, entry_id, cause)
    if versions := VERSIONS[kind].of(transaction, (entry_id,)):
        _record_entry_event(transaction, Transition.DELETE, main_version(versions, cause.default_locale), cause)


def _note_file(
    transaction: Transaction, kind: EntryKind, entry_id: int, cause: EventCause, action: FileAction = FileAction.NONE
) -> None:
    editor = "" if cause.editor == SYSTEM else cause.editor
    note_file_change(transaction, kind, entry_id, editor=editor, action=action)


def record_write_failed(transaction: Transaction, write: Write, cause: EventCause) -> None:
    """Record that an accepted write was rejected or failed; admins get an e-mail about those that failed."""
    if write.status is WriteStatus.FAILED:
        mail_failed_write(transaction, write.finished_at or cause.at)
    record_event(transaction, write_failed_event(write, EventSource(cause.editor, cause.at)), cause.at, write.id)


def main_version(versions: Sequence[Entry], default_locale: str) -> Entry:
    """Return the version that stands for the entry: in the default locale if possible, live rather than a draft."""
    return min(versions, key=lambda each: (each.locale != default_locale, each.version is not Version.LIVE))


def entry_event(
    transition: Transition, entry: Entry, collections: Mapping[str, Collection], cause: EventCause
) -> Event:
    """Return the event of a post, or of a page or item in one locale."""
    source = EventSource(cause.editor, cause.at)
    if not KINDS[entry.kind].has_locales:
        return post_event(transition, entry, cause.default_locale)
    if KINDS[entry.kind].has_slug:
        return page_event(transition, entry, source)
    return item_event(transition, entry, collections.get(entry.type), source)


def _record_entry_event(transaction: Transaction, transition: Transition, entry: Entry, cause: EventCause) -> None:
    event = entry_event(transition, entry, load_content_schema(transaction).collections, cause)
    record_event(transaction, event, cause.at, cause.write_id)


def record_event(transaction: Transaction, event: Event, at: datetime, write_id: str | None = None) -> int:
    """Record one event; return the number of its messages. `write_id` names the write that caused it."""
    return record_events(transaction, (event,), at, write_id)


def record_events(transaction: Transaction, events: Sequence[Event], at: datetime, write_id: str | None = None) -> int:
    """Record events in their order; return the number of their messages."""
    if any(event.changes_site for event in events):
        count_site_change(transaction)
    transaction.announce(events)
    webhooks = all_webhooks(transaction)
    return insert_deliveries(
        transaction,
        (
            Delivery(
                new_message_id(), webhook.id, event.kind, message_body(event, webhook.target), at, at, write_id=write_id
            )
            for event in events
            for webhook in webhooks
            if webhook.wants(event.kind)
        ),
    )
