"""Deletions: carried out at once, soft, and written down like every other write (decisions, Writes)."""

from dataclasses import replace
from datetime import datetime

from sitecms.actions.accept_write.desk import STALE, WARNINGS, Caller, Desk, key_of
from sitecms.actions.accept_write.items import check_collection, get_known_item
from sitecms.actions.accept_write.known_posts import KnownPost, find_variant, get_known
from sitecms.actions.accept_write.pages import check_page_type, get_known_page
from sitecms.actions.accept_write.posts import NOT_ALLOWED
from sitecms.actions.delete_entry import delete_and_tell
from sitecms.actions.tell_entry import Teller, tell_write_failed
from sitecms.content.fieldvalue import FieldValue
from sitecms.content.write import EntryKind, Operation, Write, WriteStatus
from sitecms.errors import Forbidden, NotFound, Stale
from sitecms.store import entries, writes
from sitecms.store.database import Transaction
from sitecms.store.documents import load_content_schema

CANCELLED = "The entry was deleted before this write was applied."


def delete_post(desk: Desk, caller: Caller, slug: str, locale: str = "") -> None:
    """The post of that slug, or its variant in a locale that is named. Raises NotFound and Forbidden."""
    chosen = desk.locale(locale) if locale else ""
    with desk.database.writing() as transaction:
        post: KnownPost | None = get_known(transaction, slug)
        if post is not None and chosen not in ("", post.locale):
            post = find_variant(transaction, post.group_id, chosen)
        if post is None:
            raise NotFound("Not found.")
        if not caller.token.limits.allow_posts_of(post.author):
            raise Forbidden(NOT_ALLOWED)
        key = key_of(EntryKind.POST, post.group_id)
        delete(transaction, desk, caller, EntryKind.POST, post.id, key, {"slug": post.slug, "locale": post.locale})


def delete_page(desk: Desk, caller: Caller, page_type: str, slug: str, locale: str = "") -> None:
    """The page in all locales; the type `*` stands for any. Raises NotFound and Forbidden."""
    desk.locale(locale)
    with desk.database.writing() as transaction:
        page_id, found_type = get_known_page(transaction, load_content_schema(transaction), page_type, slug)
        check_page_type(caller, found_type)
        payload: dict[str, FieldValue] = {"slug": slug, "page_type": found_type}
        delete(transaction, desk, caller, EntryKind.PAGE, page_id, key_of(EntryKind.PAGE, page_id), payload)


def delete_item(desk: Desk, caller: Caller, key: str, item_id: str, locale: str = "") -> None:
    """The item in all locales. Raises NotFound and Forbidden."""
    desk.locale(locale)
    with desk.database.writing() as transaction:
        collection = load_content_schema(transaction).collection(key)
        number = get_known_item(transaction, collection.key, item_id)
        check_collection(caller, collection.key)
        payload: dict[str, FieldValue] = {"collection": collection.key}
        delete(transaction, desk, caller, EntryKind.ITEM, number, key_of(EntryKind.ITEM, number), payload)


def delete(
    transaction: Transaction,
    desk: Desk,
    caller: Caller,
    kind: EntryKind,
    entry_id: int,
    entry_key: str,
    payload: dict[str, FieldValue],
) -> None:
    """The entry goes to the trash, and open writes to it are rejected. Raises Stale."""
    if caller.is_fresh is not None and (writes.is_waiting(transaction, entry_key) or not caller.is_fresh()):
        raise Stale(STALE)
    at = desk.clock()
    cancelled = writes.cancel(transaction, entry_key, entry_id, CANCELLED, at)
    deletion = _deletion(desk, caller, kind, entry_id, entry_key, payload, at)
    writes.insert_write(transaction, deletion)
    teller = Teller(desk.settings.default_locale, at, caller.token.name, deletion.id)
    for write in cancelled:
        tell_write_failed(transaction, write, replace(teller, write_id=write.id))
    if entries.is_there(transaction, kind.value, entry_id):
        delete_and_tell(transaction, kind, entry_id, teller)


def _deletion(
    desk: Desk,
    caller: Caller,
    kind: EntryKind,
    entry_id: int,
    entry_key: str,
    payload: dict[str, FieldValue],
    at: datetime,
) -> Write:
    return Write(
        id=desk.new_id(),
        sequence=0,
        kind=kind,
        operation=Operation.DELETE,
        entry_key=entry_key,
        entry_id=entry_id,
        payload={**payload, WARNINGS: {}},
        status=WriteStatus.APPLIED,
        attempt=0,
        errors={},
        accepted_at=at,
        finished_at=at,
        token_id=caller.token.id,
    )
