"""Take an entry away: to the trash, out of every read and of the search index at once."""

from datetime import datetime

from sitecms.content.write import EntryKind
from sitecms.store import items, pages, posts, search
from sitecms.store.database import Transaction


def delete_entry(transaction: Transaction, kind: EntryKind, entry_id: int, at: datetime) -> None:
    """Delete the entry softly: it is kept, and its slug is free."""
    match kind:
        case EntryKind.POST:
            posts.delete_post(transaction, entry_id, at)
            search.forget_post(transaction, entry_id)
        case EntryKind.PAGE:
            search.forget_page_versions(transaction, pages.version_ids(transaction, entry_id))
            pages.delete_page(transaction, entry_id, at)
        case EntryKind.ITEM:
            items.delete_item(transaction, entry_id, at)
