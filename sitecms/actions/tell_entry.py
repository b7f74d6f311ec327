"""Record the events of entries (decisions, Webhooks): saved, published, deleted; in the caller's transaction."""

from dataclasses import dataclass
from datetime import datetime

from sitecms.actions.record_event import record_event
from sitecms.content.event import Event, Happening, Told, item_event, page_event, post_event, write_failed_event
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.status import Status, Version
from sitecms.content.write import EntryKind, Write
from sitecms.store import items, pages, posts
from sitecms.store.database import Session, Transaction
from sitecms.store.documents import load_content_schema
from sitecms.store.post_names import get_post_name

SYSTEM = "sitecms"
_SAVED = {Status.PUBLISHED: Happening.PUBLISHED, Status.DRAFT: Happening.DRAFT, Status.SCHEDULED: Happening.DRAFT}


@dataclass(frozen=True, slots=True)
class Teller:
    """What events say besides the entry: who changed it (a token's name), when, and by which write, if by one."""

    default_locale: str
    at: datetime
    editor: str = SYSTEM
    write_id: str | None = None


def tell_saved(
    transaction: Transaction, kind: EntryKind, entry_id: int, locale: str, status: Status, teller: Teller
) -> None:
    """After an entry was saved with that status in one locale (a post has but one): published, or saved as a draft."""
    found = _variants(transaction, kind, entry_id)
    mine = [entry for entry in found if entry.locale == locale and entry.status is status]
    if kind is EntryKind.POST:
        _tell_post(transaction, _SAVED[status], entry_id, teller)
    elif mine:
        _tell_variant(transaction, _SAVED[status], mine[0], teller)


def tell_published(transaction: Transaction, kind: EntryKind, entry_id: int, teller: Teller) -> None:
    """After an entry came to be seen by readers: one event for each locale in which it is published."""
    if kind is EntryKind.POST:
        if posts.get_post_by_id(transaction, entry_id).status is Status.PUBLISHED:
            _tell_post(transaction, Happening.PUBLISHED, entry_id, teller)
        return
    for entry in _variants(transaction, kind, entry_id):
        if entry.version is Version.LIVE and entry.status is Status.PUBLISHED:
            _tell_variant(transaction, Happening.PUBLISHED, entry, teller)


def tell_deleted(transaction: Transaction, kind: EntryKind, entry_id: int, teller: Teller) -> None:
    """Before an entry goes to the trash: one event, of a page or item in the default locale if it is there."""
    if kind is EntryKind.POST:
        _tell_post(transaction, Happening.DELETE, entry_id, teller)
        return
    found = sorted(
        _variants(transaction, kind, entry_id),
        key=lambda entry: (entry.locale != teller.default_locale, entry.version is not Version.LIVE),
    )
    if found:
        _tell_variant(transaction, Happening.DELETE, found[0], teller)


def tell_write_failed(transaction: Transaction, write: Write, teller: Teller) -> None:
    """After a write that was accepted ended rejected or failed."""
    record_event(transaction, write_failed_event(write, Told(teller.editor, teller.at)), teller.at, write.id)


def _variants(session: Session, kind: EntryKind, entry_id: int) -> tuple[Page | Item, ...]:
    """All versions of a page or item, by locale, the draft before the live one."""
    if kind is EntryKind.PAGE:
        return pages.page_versions(session, entry_id)
    return items.item_versions(session, (entry_id,)) if kind is EntryKind.ITEM else ()


def _tell_post(transaction: Transaction, happening: Happening, post_id: int, teller: Teller) -> None:
    post = get_post_name(transaction, post_id)
    record_event(transaction, post_event(happening, post, teller.default_locale), teller.at, teller.write_id)


def _tell_variant(transaction: Transaction, happening: Happening, entry: Page | Item, teller: Teller) -> None:
    told = Told(teller.editor, teller.at)
    record_event(transaction, _event(transaction, happening, entry, told), teller.at, teller.write_id)


def _event(session: Session, happening: Happening, entry: Page | Item, told: Told) -> Event:
    if isinstance(entry, Page):
        return page_event(happening, entry, told)
    return item_event(happening, entry, load_content_schema(session).collections.get(entry.collection), told)
