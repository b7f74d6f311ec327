"""Take an entry away: to the trash, out of every read and of the search index at once."""

from datetime import datetime

from sitecms.actions.events.entry_events import Teller, tell_deleted, tell_unpublished
from sitecms.actions.writing.index_entry import index_page
from sitecms.content.change import EntryKind
from sitecms.content.status import Status, Version
from sitecms.store.database import Transaction
from sitecms.store.entries import items, pages, posts
from sitecms.store.entries.common import versions_of
from sitecms.store.entries.trash import part_locale
from sitecms.store.search import index
from sitecms.store.site_state.documents import load_content_schema


def delete_and_tell(transaction: Transaction, kind: EntryKind, entry_id: int, teller: Teller) -> None:
    """Delete the entry softly, with its event: the DELETE verb. Raises NotFound for a post that is not there."""
    tell_deleted(transaction, kind, entry_id, teller)
    delete_entry(transaction, kind, entry_id, teller.at)


def delete_locale_and_tell(
    transaction: Transaction, kind: EntryKind, entry_id: int, locale: str, teller: Teller
) -> None:
    """Delete one locale of a page or item softly, with its event, if it is stored; the entry has others."""
    versions = [entry for entry in versions_of(transaction, kind, entry_id) if entry.locale == locale]
    if not versions:
        return
    for entry in versions:
        if entry.version is Version.LIVE and entry.status is Status.PUBLISHED:
            tell_unpublished(transaction, entry, teller)
    before = pages.version_ids(transaction, entry_id) if kind is EntryKind.PAGE else ()
    part_locale(transaction, kind, entry_id, locale, teller.at)
    if kind is EntryKind.PAGE:
        index_page(transaction, entry_id, before, load_content_schema(transaction))


def delete_entry(transaction: Transaction, kind: EntryKind, entry_id: int, at: datetime) -> None:
    """Delete the entry softly: it is kept, and its slug is free."""
    match kind:
        case EntryKind.POST:
            posts.delete_post(transaction, entry_id, at)
            index.forget_post(transaction, entry_id)
        case EntryKind.PAGE:
            index.forget_page_versions(transaction, pages.version_ids(transaction, entry_id))
            pages.delete_page(transaction, entry_id, at)
        case EntryKind.ITEM:
            items.delete_item(transaction, entry_id, at)
