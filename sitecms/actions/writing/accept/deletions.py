"""Deletions: carried out at once, soft, and recorded like every other write (API reference, Writes)."""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.writing.accept.acceptance import STALE, Caller, WriteContext, find_repeated, key_of
from sitecms.actions.writing.accept.items import check_collection, get_known_item
from sitecms.actions.writing.accept.pages import NO_PAGE, check_page_type, get_known_page
from sitecms.actions.writing.accept.post_identity import PostIdentity, find_variant, get_known_post
from sitecms.actions.writing.accept.posts import NOT_ALLOWED
from sitecms.actions.writing.entry_events import EventCause, record_write_failed
from sitecms.actions.writing.trash import delete_locale_with_event, delete_with_event
from sitecms.content.change import EntryKind
from sitecms.content.writes import Delete, Operation, SentEntry, Write, WriteStatus
from sitecms.errors import Forbidden, NotFound, Stale
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import entry_state
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes import reservations, writes

CANCELLED = "The entry was deleted before this write was applied."
LOCALE_CANCELLED = 'The locale "{locale}" of the entry was deleted before this write was applied.'
NOT_FOUND = "Not found."


class _Deletion(Struct, frozen=True):
    """The entry to delete; with a `locale`, only the versions of a page or item in that locale."""

    kind: EntryKind
    entry_id: int
    entry_key: str
    payload: Delete
    locale: str = ""


def delete_post(context: WriteContext, caller: Caller, slug: str, locale: str = "") -> None:
    """Delete the post of that slug, or its variant in the locale. Raises what `_delete` does, and Forbidden."""
    chosen = context.locale(locale) if locale else ""

    def find(session: Session) -> _Deletion:
        post: PostIdentity | None = get_known_post(session, slug)
        if post is not None and chosen not in ("", post.locale):
            post = find_variant(session, post.group_id, chosen)
        if post is None:
            raise NotFound(NOT_FOUND)
        if not caller.limits.allow_posts_of(post.author):
            raise Forbidden(NOT_ALLOWED)
        key = key_of(EntryKind.POST, post.group_id)
        return _Deletion(EntryKind.POST, post.id, key, Delete(post.slug, locale=post.locale))

    _delete(context, caller, chosen, find)


def delete_page(context: WriteContext, caller: Caller, page_type: str, slug: str, locale: str = "") -> None:
    """Delete the page, or its versions in the locale; the type `*` stands for any.

    Raises what `_delete` does, and Forbidden.
    """
    chosen = context.locale(locale) if locale else ""

    def find(session: Session) -> _Deletion:
        page_id, found_type = get_known_page(session, load_content_schema(session), page_type, slug)
        check_page_type(caller, found_type)
        key = key_of(EntryKind.PAGE, page_id)
        deletion = _Deletion(EntryKind.PAGE, page_id, key, Delete(slug, found_type))
        return _in_locale(session, deletion, chosen, NO_PAGE)

    _delete(context, caller, chosen, find)


def delete_item(context: WriteContext, caller: Caller, key: str, item_id: str, locale: str = "") -> None:
    """Delete the item, or its versions in the locale. Raises what `_delete` does, and Forbidden."""
    chosen = context.locale(locale) if locale else ""

    def find(session: Session) -> _Deletion:
        collection = load_content_schema(session).collection(key)
        number = get_known_item(session, collection.key, item_id)
        check_collection(caller, collection.key)
        payload = Delete(type=collection.key)
        deletion = _Deletion(EntryKind.ITEM, number, key_of(EntryKind.ITEM, number), payload)
        return _in_locale(session, deletion, chosen, NOT_FOUND)

    _delete(context, caller, chosen, find)


def _in_locale(session: Session, deletion: _Deletion, locale: str, not_found: str) -> _Deletion:
    """Limit a deletion to one locale, unless no other would remain. Raises NotFound if the entry is not in it.

    Only stored versions are certain to remain, since a waiting write may still fail. For an entry that is not
    stored yet, the locales of its waiting writes decide.
    """
    if not locale:
        return deletion
    kind, entry_id = deletion.kind, deletion.entry_id
    stored = {entry.locale for entry in entry_state.versions_of(session, kind, entry_id)}
    known = stored.union(*(locales_of(write, entry_id) for write in writes.find_open(session, kind, entry_id)))
    if locale not in known:
        raise NotFound(not_found)
    payload = replace(deletion.payload, locale=locale)
    return replace(deletion, payload=payload, locale=locale if (stored or known) - {locale} else "")


def _delete(context: WriteContext, caller: Caller, locale: str, find: Callable[[Session], _Deletion]) -> None:
    """Delete the entry that `find` returns, unless the same request was answered before.

    The entry goes to the trash; open writes to it are rejected. Raises NotFound, KeyReused and Stale.
    """
    with context.database.reading() as session:
        if find_repeated(session, caller):
            return
    with context.database.writing() as transaction:
        if find_repeated(transaction, caller):
            return
        deletion = find(transaction)
        waiting = writes.find_open(transaction, deletion.kind, deletion.entry_id)
        if caller.if_match is not None and waiting:
            raise Stale(STALE)
        asked = locale or context.locales.default
        caller.check_revision(transaction, deletion.kind, deletion.entry_id, asked)
        _carry_out(transaction, context, caller, deletion, waiting)


def _carry_out(
    transaction: Transaction, context: WriteContext, caller: Caller, deletion: _Deletion, waiting: tuple[Write, ...]
) -> None:
    at = context.clock()
    write = _write_of(context, caller, deletion, at)
    writes.insert_write(transaction, write, caller.key)
    cause = EventCause(context.settings.default_locale, at, caller.by.name, write.id)
    _withdraw(transaction, deletion, waiting, cause)
    if not entry_state.is_there(transaction, deletion.kind.value, deletion.entry_id):
        return
    if deletion.locale:
        delete_locale_with_event(transaction, deletion.kind, deletion.entry_id, deletion.locale, cause)
    else:
        delete_with_event(transaction, deletion.kind, deletion.entry_id, cause)


def _withdraw(transaction: Transaction, deletion: _Deletion, waiting: tuple[Write, ...], cause: EventCause) -> None:
    """Reject the waiting writes to the deleted entry or locale; a write to more than that loses only this part."""
    reason = LOCALE_CANCELLED.format(locale=deletion.locale) if deletion.locale else CANCELLED
    for write in waiting:
        if deletion.locale and deletion.locale not in locales_of(write, deletion.entry_id):
            continue
        if _withdraw_part(transaction, write, deletion.entry_id, deletion.locale):
            continue
        rejected = writes.cancel(transaction, write, reason, cause.at)
        record_write_failed(transaction, rejected, replace(cause, write_id=write.id))


def _write_of(context: WriteContext, caller: Caller, deletion: _Deletion, at: datetime) -> Write:
    return Write(
        id=context.new_id(),
        sequence=0,
        kind=deletion.kind,
        operation=Operation.DELETE,
        entry_key=deletion.entry_key,
        entry_id=deletion.entry_id,
        payload=deletion.payload,
        status=WriteStatus.APPLIED,
        attempt=0,
        errors={},
        accepted_at=at,
        finished_at=at,
        token_id=caller.token_id,
        user_id=caller.user_id,
    )


def locales_of(write: Write, entry_id: int) -> frozenset[str]:
    """Return the locales of a page or item that a waiting write changes."""
    return frozenset(locale for entry in write.entries if entry.id == entry_id for locale in entry.fields)


def _withdraw_part(transaction: Transaction, write: Write, entry_id: int, locale: str) -> bool:
    """Remove one entry, or one locale of it ("": all locales), from a waiting write.

    A worker that is applying the write loses its claim, and the rest of the write is applied again. Returns False
    if nothing would be left: then the write stays as it is, for the caller to reject.
    """
    entries = tuple(_without(entry, locale) if entry.id == entry_id else entry for entry in write.entries)
    left = tuple(entry for entry in entries if entry.fields or entry.id != entry_id)
    if not left:
        return False
    writes.replace_payload(transaction, write, replace(write.save, entries=left))
    if len(left) < len(entries):
        reservations.release_item(transaction, entry_id)
    return True


def _without(entry: SentEntry, locale: str) -> SentEntry:
    """Return the entry without the fields in a locale ("": without all)."""
    return replace(entry, fields={code: entry.fields[code] for code in entry.fields if locale not in ("", code)})
