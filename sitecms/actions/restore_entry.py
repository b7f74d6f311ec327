"""Take an entry out of the trash as it was, with the events of a write that saves it; search finds it again."""

from sitecms.actions.expand_references import specs_of
from sitecms.actions.index_entry import index_page, index_post
from sitecms.actions.request_fields import share_untranslatable
from sitecms.actions.tell_entry import Teller, tell_restored
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.write import EntryKind, ItemChange, Origin, PageChange
from sitecms.errors import Conflict, NotFound
from sitecms.settings import Limits
from sitecms.store import items, pages, posts
from sitecms.store.database import Session, Transaction
from sitecms.store.documents import load_content_schema
from sitecms.store.entries import is_there, versions_of
from sitecms.store.reservations import count_reserved_items, find_reserved, page_name, variant_name
from sitecms.store.trash import find_part, find_trashed_page, find_trashed_post, put_part_back, take_out

_REMEDY = "Rename or delete that one first."


def restore_entry(transaction: Transaction, kind: EntryKind, entry_id: int, limits: Limits, teller: Teller) -> None:
    """Restore the entry, or one locale of it, as it was.

    Raises NotFound if it is not in the trash, Conflict where its place is taken.
    """
    if part := find_part(transaction, kind, entry_id):
        _restore_locale(transaction, kind, entry_id, *part, teller)
        return
    match kind:
        case EntryKind.POST:
            _check_post(transaction, entry_id)
            take_out(transaction, kind, entry_id)
            post = posts.get_post_by_id(transaction, entry_id)
            index_post(transaction, entry_id, post.title, post.body, post.status)
        case EntryKind.PAGE:
            _check_page(transaction, entry_id)
            take_out(transaction, kind, entry_id)
            index_page(transaction, entry_id, (), load_content_schema(transaction))
        case EntryKind.ITEM:
            take_out(transaction, kind, entry_id)
            _check_limit(transaction, limits)
    tell_restored(transaction, kind, entry_id, teller)


def _restore_locale(
    transaction: Transaction, kind: EntryKind, part_id: int, entry_id: int, locale: str, teller: Teller
) -> None:
    """Give one locale back to its page or item; untranslatable fields take the value they have there now."""
    if not is_there(transaction, kind.value, entry_id):
        raise Conflict("entry", f"The {kind} {entry_id} is in the trash itself: restore that one first.")
    if any(entry.locale == locale for entry in versions_of(transaction, kind, entry_id)):
        raise Conflict("locale", f"The {kind} {entry_id} has the locale {locale!r} again. Delete that one first.")
    before = pages.version_ids(transaction, entry_id) if kind is EntryKind.PAGE else ()
    put_part_back(transaction, kind, part_id, entry_id)
    schema = load_content_schema(transaction)
    found = versions_of(transaction, kind, entry_id)
    versions = share_untranslatable(found, locale, specs_of(found[0], schema))
    match found[0]:
        case Page() as page:
            change = PageChange(entry_id, page.page_type, page.slug, page.title, versions)
            pages.save_page(transaction, change, Origin.API, teller.at)
            index_page(transaction, entry_id, before, schema)
        case Item() as item:
            items.save_item(transaction, ItemChange(entry_id, item.collection, versions), Origin.API, teller.at)
    tell_restored(transaction, kind, entry_id, teller, locale)


def _check_post(session: Session, post_id: int) -> None:
    found = find_trashed_post(session, post_id)
    if found is None:
        return
    slug, group_id, locale = found
    if posts.find_post_id(session, slug) is not None or find_reserved(session, EntryKind.POST, slug):
        raise Conflict("slug", f"The slug {slug!r} belongs to another post now. {_REMEDY}")
    if _has_variant(session, group_id, locale) or find_reserved(
        session, EntryKind.POST, variant_name(group_id, locale)
    ):
        raise Conflict("locale", f"Another post took the place of {slug!r} as the variant in {locale!r}. {_REMEDY}")


def _has_variant(session: Session, group_id: int, locale: str) -> bool:
    try:
        posts.get_sibling(session, group_id, locale, preview=True)
    except NotFound:
        return False
    return True


def _check_page(session: Session, page_id: int) -> None:
    found = find_trashed_page(session, page_id)
    if found is None:
        return
    name = page_name(*found)
    if pages.find_page_id(session, *found) is not None or find_reserved(session, EntryKind.PAGE, name):
        raise Conflict("slug", f"The page {name.lstrip('/')!r} is another one now. {_REMEDY}")


def _check_limit(session: Session, limits: Limits) -> None:
    """With the item among them, no more than the limit. Undone with the caller's transaction."""
    count = items.count_items(session) + count_reserved_items(session)
    if count > limits.collection_items:
        raise Conflict("limit", f"There are {limits.collection_items} items already, as many as the settings allow.")
