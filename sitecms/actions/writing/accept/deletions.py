"""Deletions: carried out at once, soft, and written down like every other write (decisions, Writes)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from sitecms.actions.events.entry_events import Teller, tell_write_failed
from sitecms.actions.writing.accept.acceptance import STALE, WARNINGS, Caller, Desk, find_repeated, key_of
from sitecms.actions.writing.accept.items import check_collection, get_known_item
from sitecms.actions.writing.accept.known_posts import KnownPost, find_variant, get_known
from sitecms.actions.writing.accept.pages import NO_PAGE, check_page_type, get_known_page
from sitecms.actions.writing.accept.posts import NOT_ALLOWED
from sitecms.actions.writing.accept.waiting import locales_of, withdraw
from sitecms.actions.writing.delete_entry import delete_and_tell, delete_locale_and_tell
from sitecms.content.change import EntryKind, Operation, Write, WriteStatus
from sitecms.content.field_value import FieldValue
from sitecms.errors import Forbidden, NotFound, Stale
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import common
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes import writes

CANCELLED = "The entry was deleted before this write was applied."
LOCALE_CANCELLED = 'The locale "{locale}" of the entry was deleted before this write was applied.'
NOT_FOUND = "Not found."


@dataclass(frozen=True, slots=True)
class _Deletion:
    """The entry to delete; with a `locale`, only the versions of a page or item in that locale."""

    kind: EntryKind
    entry_id: int
    entry_key: str
    payload: dict[str, FieldValue]
    locale: str = ""


def delete_post(desk: Desk, caller: Caller, slug: str, locale: str = "") -> None:
    """Delete the post of that slug, or its variant in the locale. Raises what `_delete` does, and Forbidden."""
    chosen = desk.locale(locale) if locale else ""

    def find(session: Session) -> _Deletion:
        post: KnownPost | None = get_known(session, slug)
        if post is not None and chosen not in ("", post.locale):
            post = find_variant(session, post.group_id, chosen)
        if post is None:
            raise NotFound(NOT_FOUND)
        if not caller.token.limits.allow_posts_of(post.author):
            raise Forbidden(NOT_ALLOWED)
        key = key_of(EntryKind.POST, post.group_id)
        return _Deletion(EntryKind.POST, post.id, key, {"slug": post.slug, "locale": post.locale})

    _delete(desk, caller, chosen, find)


def delete_page(desk: Desk, caller: Caller, page_type: str, slug: str, locale: str = "") -> None:
    """Delete the page, or its versions in the locale; the type `*` stands for any.

    Raises what `_delete` does, and Forbidden.
    """
    chosen = desk.locale(locale) if locale else ""

    def find(session: Session) -> _Deletion:
        page_id, found_type = get_known_page(session, load_content_schema(session), page_type, slug)
        check_page_type(caller, found_type)
        payload: dict[str, FieldValue] = {"slug": slug, "page_type": found_type}
        key = key_of(EntryKind.PAGE, page_id)
        return _in_locale(session, _Deletion(EntryKind.PAGE, page_id, key, payload), chosen, NO_PAGE)

    _delete(desk, caller, chosen, find)


def delete_item(desk: Desk, caller: Caller, key: str, item_id: str, locale: str = "") -> None:
    """Delete the item, or its versions in the locale. Raises what `_delete` does, and Forbidden."""
    chosen = desk.locale(locale) if locale else ""

    def find(session: Session) -> _Deletion:
        collection = load_content_schema(session).collection(key)
        number = get_known_item(session, collection.key, item_id)
        check_collection(caller, collection.key)
        payload: dict[str, FieldValue] = {"collection": collection.key}
        deletion = _Deletion(EntryKind.ITEM, number, key_of(EntryKind.ITEM, number), payload)
        return _in_locale(session, deletion, chosen, NOT_FOUND)

    _delete(desk, caller, chosen, find)


def _in_locale(session: Session, deletion: _Deletion, locale: str, not_found: str) -> _Deletion:
    """Limit a deletion to one locale, unless no other would remain. Raises NotFound if the entry is not in it.

    Only stored versions are certain to remain, since a waiting write may still fail. For an entry that is not
    stored yet, the locales of its waiting writes decide.
    """
    if not locale:
        return deletion
    kind, entry_id = deletion.kind, deletion.entry_id
    stored = {entry.locale for entry in common.versions_of(session, kind, entry_id)}
    known = stored.union(*(locales_of(write, entry_id) for write in writes.find_open(session, kind, entry_id)))
    if locale not in known:
        raise NotFound(not_found)
    payload = {**deletion.payload, "locale": locale}
    return replace(deletion, payload=payload, locale=locale if (stored or known) - {locale} else "")


def _delete(desk: Desk, caller: Caller, locale: str, find: Callable[[Session], _Deletion]) -> None:
    """Carry out the deletion that a request asks for, unless the same request was carried out before.

    The entry goes to the trash; open writes to it are rejected. Raises NotFound, KeyReused and Stale.
    """
    with desk.database.reading() as session:
        if find_repeated(session, caller):
            return
    with desk.database.writing() as transaction:
        if find_repeated(transaction, caller):
            return
        deletion = find(transaction)
        waiting = writes.find_open(transaction, deletion.kind, deletion.entry_id)
        if caller.if_match is not None and waiting:
            raise Stale(STALE)
        asked = locale or desk.locales.default
        caller.check_revision(transaction, deletion.kind, deletion.entry_id, asked)
        _carry_out(transaction, desk, caller, deletion, waiting)


def _carry_out(
    transaction: Transaction, desk: Desk, caller: Caller, deletion: _Deletion, waiting: tuple[Write, ...]
) -> None:
    at = desk.clock()
    write = _write_of(desk, caller, deletion, at)
    writes.insert_write(transaction, write, caller.key)
    teller = Teller(desk.settings.default_locale, at, caller.token.name, write.id)
    _withdraw(transaction, deletion, waiting, teller)
    if not common.is_there(transaction, deletion.kind.value, deletion.entry_id):
        return
    if deletion.locale:
        delete_locale_and_tell(transaction, deletion.kind, deletion.entry_id, deletion.locale, teller)
    else:
        delete_and_tell(transaction, deletion.kind, deletion.entry_id, teller)


def _withdraw(transaction: Transaction, deletion: _Deletion, waiting: tuple[Write, ...], teller: Teller) -> None:
    """Reject the waiting writes to what is deleted; those that write more than that lose only this part."""
    reason = LOCALE_CANCELLED.format(locale=deletion.locale) if deletion.locale else CANCELLED
    for write in waiting:
        if deletion.locale and deletion.locale not in locales_of(write, deletion.entry_id):
            continue
        if withdraw(transaction, write, deletion.entry_id, deletion.locale):
            continue
        rejected = writes.cancel(transaction, write, reason, teller.at)
        tell_write_failed(transaction, rejected, replace(teller, write_id=write.id))


def _write_of(desk: Desk, caller: Caller, deletion: _Deletion, at: datetime) -> Write:
    return Write(
        id=desk.new_id(),
        sequence=0,
        kind=deletion.kind,
        operation=Operation.DELETE,
        entry_key=deletion.entry_key,
        entry_id=deletion.entry_id,
        payload={**deletion.payload, WARNINGS: {}},
        status=WriteStatus.APPLIED,
        attempt=0,
        errors={},
        accepted_at=at,
        finished_at=at,
        token_id=caller.token.id,
    )
