"""Trash of entries: moving them there, restoring them or their former versions, and the events of both.

An entry in the trash leaves every read and the search index at once.
"""

from datetime import datetime
from typing import NamedTuple

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
from sitecms.actions.writing.free_addresses import REMEDY, AddressRule
from sitecms.actions.writing.known_entries import count_known_items, find_variant_id, is_taken
from sitecms.actions.writing.request_fields import share_untranslatable
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.actions.writing.search_rows import index_entry, index_rows, unindex_rows
from sitecms.content.change import EntryChange, Origin, change_of_entry, change_of_versions
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.revision import ChangeCause, ChangeKind, ChangeSource
from sitecms.errors import Conflict
from sitecms.settings.operations import Limits
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import entry_state
from sitecms.store.entries.entry_rows import change_entry, find_identity
from sitecms.store.entries.entry_state import exists, is_there, versions_of
from sitecms.store.entries.trash import (
    copy_to_trash,
    find_entry_of,
    find_part,
    forget_former_version,
    move_to_trash,
    part_locale,
    put_part_back,
    remove_former_version,
    take_out,
)
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
        if entry.is_live:
            record_unpublished(transaction, entry, cause)
    unindex_rows(transaction, kind, index_rows(transaction, kind, entry_id))
    part_locale(transaction, kind, entry_id, locale, cause.at)
    index_entry(transaction, kind, entry_id)


def delete_entry(transaction: Transaction, kind: EntryKind, entry_id: int, at: datetime) -> None:
    """Move the entry to the trash; its slug is free."""
    unindex_rows(transaction, kind, index_rows(transaction, kind, entry_id))
    move_to_trash(transaction, kind, entry_id, at)


class Restored(Struct, frozen=True):
    """Id of a restored entry. `replaced_id` is the copy, in the trash, of the version that a former one replaced."""

    id: int
    replaced_id: int | None = None


def restore_entry(
    transaction: Transaction, kind: EntryKind, entry_id: int, settings: SiteSettings, cause: EventCause
) -> Restored:
    """Restore an entry, or one locale of an entry, from the trash; or give an entry its former version back.

    Raises NotFound if it is not in the trash, Conflict where its place is taken, or the address of what is published.
    """
    restored = _restore(transaction, kind, entry_id, settings.limits, cause)
    AddressRule(transaction, load_content_schema(transaction), settings).check_published(kind, restored.id)
    return restored


def _restore(transaction: Transaction, kind: EntryKind, entry_id: int, limits: Limits, cause: EventCause) -> Restored:
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
    _check_place(transaction, kind, entry_id, former_of)
    replaced_id = _swap_in(transaction, kind, entry_id, former_of, cause)
    record_all_saved(transaction, kind, former_of, cause)
    return Restored(former_of, replaced_id)


def _restoration(cause: EventCause) -> ChangeCause:
    """Return the cause of a restoration from the trash, for the history of the entry."""
    source = ChangeSource.COMMAND if cause.editor == SYSTEM else ChangeSource.USER
    return ChangeCause(source, cause.editor, ChangeKind.RESTORE)


def _take_out(transaction: Transaction, kind: EntryKind, entry_id: int, limits: Limits) -> None:
    """Take the entry out of the trash and index it. Raises Conflict where its place is taken."""
    _check_place(transaction, kind, entry_id)
    take_out(transaction, kind, entry_id)
    if KINDS[kind].creates_several:
        _check_limit(transaction, limits)
    unindex_rows(transaction, kind, index_rows(transaction, kind, entry_id))
    index_entry(transaction, kind, entry_id)


def _restore_locale(
    transaction: Transaction, kind: EntryKind, part_id: int, entry_id: int, locale: str, cause: EventCause
) -> None:
    """Give one locale back to its page or item; untranslatable fields take the value that they have there now."""
    if not is_there(transaction, kind.value, entry_id):
        raise Conflict("entry", f"The {kind} {entry_id} is in the trash itself: restore that one first.")
    if any(entry.locale == locale for entry in versions_of(transaction, kind, entry_id)):
        raise Conflict("locale", f"The {kind} {entry_id} has the locale {locale!r} again. Delete that one first.")
    put_part_back(transaction, kind, part_id, entry_id)
    stored = versions_of(transaction, kind, entry_id)
    versions = share_untranslatable(stored, locale, specs_of(stored[0], load_content_schema(transaction)))
    context = SaveContext(transaction, Origin.API, cause.at, _restoration(cause))
    save_entry(context, change_of_versions(stored[0], versions))
    unindex_rows(transaction, kind, index_rows(transaction, kind, entry_id))  # the save indexes it if values changed
    index_entry(transaction, kind, entry_id)
    record_all_saved(transaction, kind, entry_id, cause, locale)


class _Place(NamedTuple):
    """The place that must be free when an entry leaves the trash; a page has no locale group."""

    type: str
    slug: str
    group_id: int = 0
    locale: str = ""


def _place_of(session: Session, kind: EntryKind, entry_id: int) -> _Place | None:
    """Return the place that an entry in the trash had; None for one without a slug, or one that is not there."""
    own = find_identity(session, kind, entry_id)
    if own is None or own.slug is None or own.deleted_at is None:
        return None
    return _Place(own.type, own.slug, own.group_id or 0, own.locale or "")


def _check_place(session: Session, kind: EntryKind, entry_id: int, own_id: int | None = None) -> None:
    """Raise Conflict if another entry than `own_id` has the slug or the place in a group of an entry in the trash."""
    place = _place_of(session, kind, entry_id)
    if place is None:
        return
    if is_taken(session, kind, place.type, place.slug, own_id):
        name = f"{place.type}/{place.slug}".lstrip("/")
        raise Conflict("slug", f"The {kind} {name!r} is another one now. {REMEDY}")
    if place.group_id and find_variant_id(session, kind, place.group_id, place.locale) not in (None, own_id):
        message = f"Another post took the place of {place.slug!r} as the variant in {place.locale!r}."
        raise Conflict("locale", f"{message} {REMEDY}")


def _check_limit(session: Session, limits: Limits) -> None:
    """Raise Conflict if there are more items than the limit allows, the restored one included."""
    if count_known_items(session) > limits.collection_items:
        raise Conflict("limit", f"There are {limits.collection_items} items already, as many as the settings allow.")


def _swap_in(transaction: Transaction, kind: EntryKind, copy_id: int, entry_id: int, cause: EventCause) -> int:
    """Give the entry the content of a copy in the trash; return the id of the new copy of its own content.

    The copy is removed. No other entry may have its slug or its place in a locale group.
    """
    replaced_id = copy_to_trash(transaction, kind, entry_id, cause.at)
    change = _former_entry(transaction, kind, copy_id, entry_id)
    save_entry(SaveContext(transaction, Origin.API, cause.at, _restoration(cause)), change)
    entry_state.set_origin(transaction, kind, entry_id, Origin.API)
    remove_former_version(transaction, kind, copy_id)
    return replaced_id


def _former_entry(transaction: Transaction, kind: EntryKind, copy_id: int, entry_id: int) -> EntryChange:
    """Return the change that gives an entry the content of its copy in the trash; it joins the group of that."""
    former = change_of_entry(versions_of(transaction, kind, copy_id, in_trash=True))
    own = find_identity(transaction, kind, copy_id)
    change_entry(transaction, kind, entry_id, {"group_id": own.group_id if own else None})
    names = {"title": own.title, "titles": own.titles} if own and former.title is None else {}
    return replace(former, id=entry_id, **names)
