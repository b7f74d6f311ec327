"""Move an entry to the trash: it leaves every read and the search index at once."""

from datetime import datetime

from sitecms.actions.writing.entry_events import EventCause, record_deleted, record_unpublished
from sitecms.actions.writing.index_entry import index_page
from sitecms.content.change import EntryKind
from sitecms.content.status import Status, Version
from sitecms.store.database import Transaction
from sitecms.store.entries import items, pages, posts
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.entries.trash import part_locale
from sitecms.store.search import index
from sitecms.store.site_state.documents import load_content_schema


def delete_with_event(transaction: Transaction, kind: EntryKind, entry_id: int, cause: EventCause) -> None:
    """Move the entry to the trash and record its event. Raises NotFound for a post that does not exist."""
    record_deleted(transaction, kind, entry_id, cause)
    delete_entry(transaction, kind, entry_id, cause.at)


def delete_locale_with_event(
    transaction: Transaction, kind: EntryKind, entry_id: int, locale: str, cause: EventCause
) -> None:
    """Move one of several locales of a page or item to the trash, if it is stored, and record its event."""
    versions = [entry for entry in versions_of(transaction, kind, entry_id) if entry.locale == locale]
    if not versions:
        return
    for entry in versions:
        if entry.version is Version.LIVE and entry.status is Status.PUBLISHED:
            record_unpublished(transaction, entry, cause)
    before = pages.version_ids(transaction, entry_id) if kind is EntryKind.PAGE else ()
    part_locale(transaction, kind, entry_id, locale, cause.at)
    if kind is EntryKind.PAGE:
        index_page(transaction, entry_id, before, load_content_schema(transaction))


def delete_entry(transaction: Transaction, kind: EntryKind, entry_id: int, at: datetime) -> None:
    """Move the entry to the trash; its slug is free."""
    match kind:
        case EntryKind.POST:
            posts.delete_post(transaction, entry_id, at)
            index.unindex_post(transaction, entry_id)
        case EntryKind.PAGE:
            index.unindex_page_versions(transaction, pages.version_ids(transaction, entry_id))
            pages.delete_page(transaction, entry_id, at)
        case EntryKind.ITEM:
            items.delete_item(transaction, entry_id, at)
