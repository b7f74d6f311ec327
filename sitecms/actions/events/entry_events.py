"""Record the events of entries (decisions, Webhooks): saved, published, unpublished, deleted, restored.

Each function runs in the caller's transaction. A load has its own functions (`actions.loading.storing.load_events`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sitecms.content.change import EntryKind, Write
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.schema.types import Collection
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
from sitecms.content.webhooks.signature import message_body, new_message_id
from sitecms.content.webhooks.webhook import Delivery
from sitecms.store.database import Transaction
from sitecms.store.entries import posts
from sitecms.store.entries.common import versions_of
from sitecms.store.entries.post_names import get_post_name
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.site_state.site_changes import count_site_change
from sitecms.store.writes.deliveries import insert_deliveries
from sitecms.store.writes.webhooks import all_webhooks

SYSTEM = "sitecms"
SAVED = {Status.PUBLISHED: Transition.PUBLISHED, Status.DRAFT: Transition.DRAFT, Status.SCHEDULED: Transition.DRAFT}
"""The event of a version that was saved with this status."""


@dataclass(frozen=True, slots=True)
class Teller:
    """What events say besides the entry: who changed it (a token's name), when, and by which write, if by one."""

    default_locale: str
    at: datetime
    editor: str = SYSTEM
    write_id: str | None = None


def tell_saved(
    transaction: Transaction, kind: EntryKind, entry_id: int, locale: str, status: Status, teller: Teller
) -> None:
    """After an entry was saved with that status in one locale (a post has but one): published, or saved as a draft."""
    found = versions_of(transaction, kind, entry_id)
    mine = [entry for entry in found if entry.locale == locale and entry.status is status]
    if kind is EntryKind.POST:
        _tell_post(transaction, SAVED[status], entry_id, teller)
    elif mine:
        _tell_variant(transaction, SAVED[status], mine[0], teller)


def tell_unpublished(transaction: Transaction, live: Page | Item, teller: Teller) -> None:
    """Record that the live version of a page or item was taken off in its locale while the entry stays.

    `live` is that version as it was. Posts have no such event: they become drafts, or are deleted.
    """
    _tell_variant(transaction, Transition.UNPUBLISHED, live, teller)


def tell_restored(transaction: Transaction, kind: EntryKind, entry_id: int, teller: Teller, locale: str = "") -> None:
    """Record the events of an entry that is back from the trash: those of a write that saved it as it is now.

    With a `locale`, only the versions of a page or item in that locale are back.
    """
    if kind is EntryKind.POST:
        _tell_post(transaction, SAVED[posts.get_post_by_id(transaction, entry_id).status], entry_id, teller)
        return
    for entry in sorted(versions_of(transaction, kind, entry_id), key=lambda each: each.version is not Version.LIVE):
        if locale in ("", entry.locale):
            _tell_variant(transaction, SAVED[entry.status], entry, teller)


def tell_deleted(transaction: Transaction, kind: EntryKind, entry_id: int, teller: Teller) -> None:
    """Before an entry goes to the trash: one event, of a page or item in the default locale if it is there."""
    if kind is EntryKind.POST:
        _tell_post(transaction, Transition.DELETE, entry_id, teller)
    elif found := versions_of(transaction, kind, entry_id):
        _tell_variant(transaction, Transition.DELETE, main_version(found, teller.default_locale), teller)


def tell_write_failed(transaction: Transaction, write: Write, teller: Teller) -> None:
    """After a write that was accepted ended rejected or failed."""
    record_event(transaction, write_failed_event(write, EventSource(teller.editor, teller.at)), teller.at, write.id)


def main_version(versions: Sequence[Page | Item], default_locale: str) -> Page | Item:
    """Return the version that stands for the entry: in the default locale if possible, live rather than a draft."""
    return min(versions, key=lambda each: (each.locale != default_locale, each.version is not Version.LIVE))


def entry_event(
    transition: Transition, entry: Page | Item, collections: Mapping[str, Collection], teller: Teller
) -> Event:
    """Return the event of a page or item in one locale."""
    source = EventSource(teller.editor, teller.at)
    if isinstance(entry, Page):
        return page_event(transition, entry, source)
    return item_event(transition, entry, collections.get(entry.collection), source)


def _tell_post(transaction: Transaction, transition: Transition, post_id: int, teller: Teller) -> None:
    post = get_post_name(transaction, post_id)
    record_event(transaction, post_event(transition, post, teller.default_locale), teller.at, teller.write_id)


def _tell_variant(transaction: Transaction, transition: Transition, entry: Page | Item, teller: Teller) -> None:
    event = entry_event(transition, entry, load_content_schema(transaction).collections, teller)
    record_event(transaction, event, teller.at, teller.write_id)


def record_event(transaction: Transaction, event: Event, at: datetime, write_id: str | None = None) -> int:
    """Record one event; return the number of its messages. `write_id` names the write that caused it."""
    return record_events(transaction, (event,), at, write_id)


def record_events(transaction: Transaction, events: Sequence[Event], at: datetime, write_id: str | None = None) -> int:
    """Record events in their order; return the number of their messages."""
    if any(event.changes_site for event in events):
        count_site_change(transaction)
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
