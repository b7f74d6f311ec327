"""Take an entry out of the trash as it was, with the events of a write that saves it; search finds it again."""

from dataclasses import dataclass

from sitecms.actions.events.entry_events import Teller, tell_restored
from sitecms.actions.references.expand import specs_of
from sitecms.actions.writing.index_entry import index_page, index_post
from sitecms.actions.writing.request_fields import share_untranslatable
from sitecms.actions.writing.restore_former import swap_in
from sitecms.content.change import EntryKind, ItemChange, Origin, PageChange
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.errors import Conflict, NotFound
from sitecms.settings.site import Limits
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import items, pages, posts
from sitecms.store.entries.common import exists, is_there, versions_of
from sitecms.store.entries.former_versions import find_entry_of, forget_former_version
from sitecms.store.entries.trash import find_part, find_trashed_page, find_trashed_post, put_part_back, take_out
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes.reservations import count_reserved_items, find_reserved, page_name, variant_name

_REMEDY = "Rename or delete that one first."


@dataclass(frozen=True, slots=True)
class Restored:
    """The entry that is back. `replaced_id` is the copy, in the trash, of what a former version replaced."""

    id: int
    replaced_id: int | None = None


def restore_entry(transaction: Transaction, kind: EntryKind, entry_id: int, limits: Limits, teller: Teller) -> Restored:
    """Restore the entry, or one locale of it, as it was; or the entry that this is a former version of, as it was then.

    Raises NotFound if it is not in the trash, Conflict where its place is taken.
    """
    if part := find_part(transaction, kind, entry_id):
        _restore_locale(transaction, kind, entry_id, *part, teller)
        return Restored(part[0])
    former_of = find_entry_of(transaction, kind, entry_id)
    if former_of is None or not exists(transaction, kind, former_of):
        _take_out(transaction, kind, entry_id, limits)
        forget_former_version(transaction, kind, entry_id)
        tell_restored(transaction, kind, entry_id, teller)
        return Restored(entry_id)
    if not is_there(transaction, kind.value, former_of):
        _take_out(transaction, kind, former_of, limits)
    if kind is EntryKind.POST:
        _check_post(transaction, entry_id, former_of)
    elif kind is EntryKind.PAGE:
        _check_page(transaction, entry_id, former_of)
    replaced_id = swap_in(transaction, kind, entry_id, former_of, teller.at)
    tell_restored(transaction, kind, former_of, teller)
    return Restored(former_of, replaced_id)


def _take_out(transaction: Transaction, kind: EntryKind, entry_id: int, limits: Limits) -> None:
    """Take the entry out of the trash, back into the search index."""
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


def _check_post(session: Session, post_id: int, mine: int | None = None) -> None:
    """Raises Conflict where another post than `mine` has the slug or the place in the locale group."""
    found = find_trashed_post(session, post_id)
    if found is None:
        return
    slug, group_id, locale = found
    if posts.find_post_id(session, slug) not in (None, mine) or find_reserved(session, EntryKind.POST, slug):
        raise Conflict("slug", f"The slug {slug!r} belongs to another post now. {_REMEDY}")
    if _find_variant(session, group_id, locale) not in (None, mine) or find_reserved(
        session, EntryKind.POST, variant_name(group_id, locale)
    ):
        raise Conflict("locale", f"Another post took the place of {slug!r} as the variant in {locale!r}. {_REMEDY}")


def _find_variant(session: Session, group_id: int, locale: str) -> int | None:
    try:
        return posts.get_sibling(session, group_id, locale, preview=True).id
    except NotFound:
        return None


def _check_page(session: Session, page_id: int, mine: int | None = None) -> None:
    """Raises Conflict where another page than `mine` has the slug."""
    found = find_trashed_page(session, page_id)
    if found is None:
        return
    name = page_name(*found)
    if pages.find_page_id(session, *found) not in (None, mine) or find_reserved(session, EntryKind.PAGE, name):
        raise Conflict("slug", f"The page {name.lstrip('/')!r} is another one now. {_REMEDY}")


def _check_limit(session: Session, limits: Limits) -> None:
    """With the item among them, no more than the limit. Undone with the caller's transaction."""
    count = items.count_items(session) + count_reserved_items(session)
    if count > limits.collection_items:
        raise Conflict("limit", f"There are {limits.collection_items} items already, as many as the settings allow.")
