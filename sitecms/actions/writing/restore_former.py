"""Bring back the former version of an entry: the version that it replaces goes to the trash in its place."""

from dataclasses import replace
from datetime import datetime

from sitecms.actions.writing.save_page import save_page
from sitecms.actions.writing.save_post import save_post
from sitecms.content.change import EntryKind, ItemChange, Origin, PageChange, change_of_post, change_of_version
from sitecms.store.database import Transaction
from sitecms.store.entries import common, items, pages, posts
from sitecms.store.entries.former_versions import copy_to_trash, remove_former_version
from sitecms.store.site_state.documents import load_content_schema


def swap_in(transaction: Transaction, kind: EntryKind, copy_id: int, entry_id: int, at: datetime) -> int:
    """Give the entry, which is outside the trash, what the copy holds; the id of the copy of what it held.

    The copy is gone afterwards. No other entry may have its slug or its place in a locale group.
    """
    replaced_id = copy_to_trash(transaction, kind, entry_id, at)
    match kind:
        case EntryKind.POST:
            _restore_post(transaction, copy_id, entry_id, at)
        case EntryKind.PAGE:
            _restore_page(transaction, copy_id, entry_id, at)
        case EntryKind.ITEM:
            stored = items.versions_of_items(transaction, (copy_id,), in_trash=True)
            change = ItemChange(entry_id, stored[0].collection, tuple(map(change_of_version, stored)))
            items.save_item(transaction, change, Origin.API, at)
    common.set_origin(transaction, kind, entry_id, Origin.API)
    remove_former_version(transaction, kind, copy_id)
    return replaced_id


def _restore_post(transaction: Transaction, copy_id: int, entry_id: int, at: datetime) -> None:
    post = posts.get_trashed_post(transaction, copy_id)
    posts.update_post(transaction, entry_id, {"group_id": post.group_id})
    save_post(transaction, replace(change_of_post(post), id=entry_id), owner="", origin=Origin.API, at=at)


def _restore_page(transaction: Transaction, copy_id: int, entry_id: int, at: datetime) -> None:
    stored = pages.versions_of_pages(transaction, (copy_id,), in_trash=True)
    first = stored[0]
    change = PageChange(entry_id, first.page_type, first.slug, first.title, tuple(map(change_of_version, stored)))
    save_page(transaction, change, load_content_schema(transaction), origin=Origin.API, at=at)
