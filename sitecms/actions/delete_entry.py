"""Take an entry away: to the trash, out of every read and of the search index at once."""

from datetime import datetime

from sitecms.actions.tell_entry import Teller, tell_deleted
from sitecms.content.write import EntryKind
from sitecms.store import items, pages, posts, search
from sitecms.store.database import Transaction


def delete_and_tell(transaction: Transaction, kind: EntryKind, entry_id: int, teller: Teller) -> None:
    """Delete the entry softly, with its event: the DELETE verb. Raises NotFound for a post that is not there."""
    tell_deleted(transaction, kind, entry_id, teller)
    delete_entry(transaction, kind, entry_id, teller.at)


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
