"""Trash of entries: moving them there, restoring them or their former versions, and the events of both.

An entry in the trash leaves every read and the search index at once.
"""

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.references import specs_of
from sitecms.actions.writing.entry_events import (
    SYSTEM,
    EventCause,
    record_all_saved,
    record_deleted,
    record_unpublished,
)
from sitecms.actions.writing.request_fields import share_untranslatable
from sitecms.actions.writing.save_entry import index_page, index_post, save_page, save_post
from sitecms.content.change import EntryKind, ItemChange, Origin, PageChange, change_of_post, change_of_version
from sitecms.content.item import Item, is_live
from sitecms.content.page import Page
from sitecms.content.revision import ChangeCause, ChangeKind, ChangeSource
from sitecms.errors import Conflict, NotFound
from sitecms.settings.operations import Limits
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import entry_state, items, pages, posts, version_changes
from sitecms.store.entries.entry_state import exists, is_there, versions_of
from sitecms.store.entries.trash import (
    copy_to_trash,
    find_entry_of,
    find_part,
    find_trashed_post,
    forget_former_version,
    move_to_trash,
    part_locale,
    put_part_back,
    remove_former_version,
    take_out,
)
from sitecms.store.search import index
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes.reservations import count_reserved_items, find_reserved, page_name, variant_name

_REMEDY = "Rename or delete that one first."


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
        if is_live(entry):
            record_unpublished(transaction, entry, cause)
    before = pages.version_ids(transaction, entry_id) if kind is EntryKind.PAGE else ()
    part_locale(transaction, kind, entry_id, locale, cause.at)
    if kind is EntryKind.PAGE:
        index_page(transaction, entry_id, before, load_content_schema(transaction))


def delete_entry(transaction: Transaction, kind: EntryKind, entry_id: int, at: datetime) -> None:
    """Move the entry to the trash; its slug is free."""
    if kind is EntryKind.POST:
        index.unindex_post(transaction, entry_id)
    elif kind is EntryKind.PAGE:
        index.unindex_page_versions(transaction, pages.version_ids(transaction, entry_id))
    move_to_trash(transaction, kind, entry_id, at)


class Restored(Struct, frozen=True):
    """Id of a restored entry. `replaced_id` is the copy, in the trash, of the version that a former one replaced."""

    id: int
    replaced_id: int | None = None


def restore_entry(
    transaction: Transaction, kind: EntryKind, entry_id: int, limits: Limits, cause: EventCause
) -> Restored:
    """Restore an entry, or one locale of an entry, from the trash; or give an entry its former version back.

    Raises NotFound if it is not in the trash, Conflict where its place is taken.
    """
    if part := find_part(transaction, kind, entry_id):
        _restore_locale(transaction, kind, entry_id, *part, cause)
        return Restored(part[0])
    former_of = find_entry_of(transaction, kind, entry_id)
    if former_of is None or not exists(transaction, kind, former_of):
        _take_out(transaction, kind, entry_id, limits)
        forget_former_version(transaction, kind, entry_id)
        record_all_saved(transaction, kind, entry_id, cause)
        return Restored(entry_id)
    if not is_there(transaction, kind.value, former_of):
        _take_out(transaction, kind, former_of, limits)
    if kind is EntryKind.POST:
        _check_post(transaction, entry_id, former_of)
    elif kind is EntryKind.PAGE:
        _check_page(transaction, entry_id, former_of)
    replaced_id = _swap_in(transaction, kind, entry_id, former_of, cause)
    record_all_saved(transaction, kind, former_of, cause)
    return Restored(former_of, replaced_id)


def _restoration(cause: EventCause) -> ChangeCause:
    """Return the cause of a restoration from the trash, for the history of the entry."""
    source = ChangeSource.COMMAND if cause.editor == SYSTEM else ChangeSource.USER
    return ChangeCause(source, cause.editor, ChangeKind.RESTORE)


def _take_out(transaction: Transaction, kind: EntryKind, entry_id: int, limits: Limits) -> None:
    """Take the entry out of the trash and index it."""
    match kind:
        case EntryKind.POST:
            _check_post(transaction, entry_id)
            take_out(transaction, kind, entry_id)
            post = posts.get_post_by_id(transaction, entry_id)
            index_post(transaction, entry_id, post.title, post.body, post.status, post.fields)
        case EntryKind.PAGE:
            _check_page(transaction, entry_id)
            take_out(transaction, kind, entry_id)
            index_page(transaction, entry_id, (), load_content_schema(transaction))
        case EntryKind.ITEM:
            take_out(transaction, kind, entry_id)
            _check_limit(transaction, limits)


def _restore_locale(
    transaction: Transaction, kind: EntryKind, part_id: int, entry_id: int, locale: str, cause: EventCause
) -> None:
    """Give one locale back to its page or item; untranslatable fields take the value that they have there now."""
    if not is_there(transaction, kind.value, entry_id):
        raise Conflict("entry", f"The {kind} {entry_id} is in the trash itself: restore that one first.")
    if any(entry.locale == locale for entry in versions_of(transaction, kind, entry_id)):
        raise Conflict("locale", f"The {kind} {entry_id} has the locale {locale!r} again. Delete that one first.")
    before = pages.version_ids(transaction, entry_id) if kind is EntryKind.PAGE else ()
    put_part_back(transaction, kind, part_id, entry_id)
    schema = load_content_schema(transaction)
    stored = versions_of(transaction, kind, entry_id)
    versions = share_untranslatable(stored, locale, specs_of(stored[0], schema))
    match stored[0]:
        case Page() as page:
            change = PageChange(entry_id, page.page_type, page.slug, None, versions)
            version_changes.save_entry(transaction, change, Origin.API, cause.at, _restoration(cause))
            index_page(transaction, entry_id, before, schema)
        case Item() as item:
            item_change = ItemChange(entry_id, item.collection, versions)
            version_changes.save_entry(transaction, item_change, Origin.API, cause.at, _restoration(cause))
    record_all_saved(transaction, kind, entry_id, cause, locale)


def _check_post(session: Session, post_id: int, own_id: int | None = None) -> None:
    """Raise Conflict if a post other than `own_id` has the slug or the place in the locale group."""
    trashed = find_trashed_post(session, post_id)
    if trashed is None:
        return
    slug, group_id, locale = trashed
    if posts.find_post_id(session, slug) not in (None, own_id) or find_reserved(session, EntryKind.POST, slug):
        raise Conflict("slug", f"The slug {slug!r} belongs to another post now. {_REMEDY}")
    if _find_variant(session, group_id, locale) not in (None, own_id) or find_reserved(
        session, EntryKind.POST, variant_name(group_id, locale)
    ):
        raise Conflict("locale", f"Another post took the place of {slug!r} as the variant in {locale!r}. {_REMEDY}")


def _find_variant(session: Session, group_id: int, locale: str) -> int | None:
    try:
        return posts.get_sibling(session, group_id, locale).id
    except NotFound:
        return None


def _check_page(session: Session, page_id: int, own_id: int | None = None) -> None:
    """Raise Conflict if a page other than `own_id` has the slug."""
    trashed = pages.find_page_name(session, page_id, in_trash=True)
    if trashed is None:
        return
    name = page_name(*trashed)
    if pages.find_page_id(session, *trashed) not in (None, own_id) or find_reserved(session, EntryKind.PAGE, name):
        raise Conflict("slug", f"The page {name.lstrip('/')!r} is another one now. {_REMEDY}")


def _check_limit(session: Session, limits: Limits) -> None:
    """Raise Conflict if there are more items than the limit allows, the restored one included."""
    count = items.count_items(session) + count_reserved_items(session)
    if count > limits.collection_items:
        raise Conflict("limit", f"There are {limits.collection_items} items already, as many as the settings allow.")


def _swap_in(transaction: Transaction, kind: EntryKind, copy_id: int, entry_id: int, cause: EventCause) -> int:
    """Give the entry the content of a copy in the trash; return the id of the new copy of its own content.

    The copy is removed. No other entry may have its slug or its place in a locale group.
    """
    replaced_id = copy_to_trash(transaction, kind, entry_id, cause.at)
    match kind:
        case EntryKind.POST:
            _restore_post(transaction, copy_id, entry_id, cause)
        case EntryKind.PAGE:
            _restore_page(transaction, copy_id, entry_id, cause)
        case EntryKind.ITEM:
            stored = items.ITEM_VERSIONS.of(transaction, (copy_id,), in_trash=True)
            first = stored[0]
            change = ItemChange(entry_id, first.collection, tuple(map(change_of_version, stored)), first.addresses)
            version_changes.save_entry(transaction, change, Origin.API, cause.at, _restoration(cause))
    entry_state.set_origin(transaction, kind, entry_id, Origin.API)
    remove_former_version(transaction, kind, copy_id)
    return replaced_id


def _restore_post(transaction: Transaction, copy_id: int, entry_id: int, cause: EventCause) -> None:
    post = posts.get_trashed_post(transaction, copy_id)
    posts.update_post(transaction, entry_id, {"group_id": post.group_id})
    change = replace(change_of_post(post), id=entry_id)
    save_post(transaction, change, owner="", origin=Origin.API, at=cause.at, cause=_restoration(cause))
    posts.set_markdown(transaction, entry_id, posts.find_markdown(transaction, copy_id))


def _restore_page(transaction: Transaction, copy_id: int, entry_id: int, cause: EventCause) -> None:
    stored = pages.PAGE_VERSIONS.of(transaction, (copy_id,), in_trash=True)
    versions = tuple(map(change_of_version, stored))
    first, named = stored[0], pages.find_page_title(transaction, copy_id, in_trash=True)
    title, titles = named[2:] if named else (first.title, {})
    change = PageChange(entry_id, first.page_type, first.slug, title, versions, first.addresses, titles)
    schema = load_content_schema(transaction)
    save_page(transaction, change, schema, origin=Origin.API, at=cause.at, cause=_restoration(cause))
