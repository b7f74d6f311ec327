"""Entries that a load changed: the source of its events, and the reason to build the site again.

Events (API reference, Webhooks) are recorded after everything is stored, in the same transaction. They equal the events
of writes with the same result: `published` for a version that is live now, `draft` for one that is not (a scheduled one
counts as a draft until its time), `unpublished` for a live version of a page or item that was removed while the entry
stays, and `delete`. Only changes have events: one for each post, and one for each locale and version of a page or item.
Deletions come first, since another entry may have the slug now.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from msgspec import Struct, field

from sitecms.actions.loading.storing.claims import Pair
from sitecms.actions.writing.entry_events import SAVED, EventCause, entry_event, main_version, record_events
from sitecms.content.change import EntryKind
from sitecms.content.item import Item, is_live
from sitecms.content.page import Page
from sitecms.content.status import Version
from sitecms.content.webhooks.event import Event, Transition, post_event
from sitecms.store.database import Transaction
from sitecms.store.entries import items, pages
from sitecms.store.entries.post_rows import find_post_states
from sitecms.store.site_state.documents import load_content_schema

WHOLE = ""
"""Stands for all versions of an entry: its slug or title changed, or it is back from the trash."""


class ChangedEntries(Struct):
    """Entries by kind and id, collected while files are stored.

    `saved` contains the versions that changed, such as `en.live`; a post has only one, WHOLE. `live_before` contains
    the former live versions of pages and items by locale; it is filled if there are webhooks (`keeps_live`).
    `is_shown`: readers may see a change without an event, of authors, terms, the content schema or the order of items.
    """

    keeps_live: bool = False
    saved: dict[Pair, set[str]] = field(default_factory=dict)
    deleted: dict[Pair, None] = field(default_factory=dict)
    live_before: dict[Pair, dict[str, Page | Item]] = field(default_factory=dict)
    is_shown: bool = False

    def save(self, pair: Pair, replaced: Mapping[str, str]) -> None:
        """Note an entry that was saved, and what was replaced of it, by `locale.version.field`."""
        if replaced:
            self.saved.setdefault(pair, set()).update(map(_version_of, replaced))

    def delete(self, pair: Pair) -> None:
        """Note an entry that went to the trash."""
        self.deleted[pair] = None

    def remember(self, kind: EntryKind, versions: Iterable[Page | Item]) -> None:
        """Keep the live versions of pages or items that are about to be saved."""
        for each in versions:
            if is_live(each):
                self.live_before.setdefault((kind.value, each.id), {}).setdefault(each.locale, each)

    def add(self, other: "ChangedEntries") -> None:
        """Take over what a later part of the same load changed."""
        for pair, places in other.saved.items():
            self.saved.setdefault(pair, set()).update(places)
        self.deleted |= other.deleted
        self.live_before = {**other.live_before, **self.live_before}
        self.is_shown |= other.is_shown

    def __bool__(self) -> bool:
        return bool(self.saved or self.deleted or self.is_shown)


def _version_of(place: str) -> str:
    """Return the version that `locale.version.field` or `locale.version` names, WHOLE for anything else."""
    parts = place.split(".")
    return ".".join(parts[:2]) if len(parts) > 1 else WHOLE


Versions = dict[int, list[Page | Item]]


def record_load_events(transaction: Transaction, changed: ChangedEntries, at: datetime, default_locale: str) -> int:
    """Record the events of all entries that the load changed; return the number of messages."""
    events = _LoadEvents(transaction, changed, EventCause(default_locale, at))
    return record_events(transaction, [*events.deleted(), *events.saved()], at)


class _LoadEvents:
    """Makes the events of one load; reads the entries of each kind with one statement."""

    def __init__(self, transaction: Transaction, changed: ChangedEntries, cause: EventCause) -> None:
        self._transaction = transaction
        self._changed = changed
        self._cause = cause
        self._collections = load_content_schema(transaction).collections

    def deleted(self) -> Iterator[Event]:
        """Make the events of the entries that are in the trash now."""
        for state in find_post_states(self._transaction, self._ids(self._changed.deleted, EntryKind.POST)):
            if state.is_in_trash:
                yield post_event(Transition.DELETE, state.name, self._cause.default_locale)
        for kind in (EntryKind.PAGE, EntryKind.ITEM):
            ids = self._ids(self._changed.deleted, kind)
            for versions in self._versions(kind, ids, in_trash=True).values():
                yield self._event(Transition.DELETE, main_version(versions, self._cause.default_locale))

    def saved(self) -> Iterator[Event]:
        """Make the events of the entries that were saved and are not in the trash."""
        for state in find_post_states(self._transaction, self._ids(self._changed.saved, EntryKind.POST)):
            if not state.is_in_trash:
                yield post_event(SAVED[state.status], state.name, self._cause.default_locale)
        for kind in (EntryKind.PAGE, EntryKind.ITEM):
            found = self._versions(kind, self._ids(self._changed.saved, kind), in_trash=False)
            for entry_id, versions in found.items():
                yield from self._of_versions(kind, versions, self._changed.saved[kind.value, entry_id])

    def _of_versions(self, kind: EntryKind, versions: list[Page | Item], places: set[str]) -> Iterator[Event]:
        now = {(each.locale, each.version): each for each in versions}
        taken_off = set()
        for locale, live in self._changed.live_before.get((kind.value, versions[0].id), {}).items():
            if (locale, Version.LIVE) not in now:
                taken_off.add(locale)
                yield self._event(Transition.UNPUBLISHED, now.get((locale, Version.DRAFT), live))
        for (locale, version), each in now.items():
            is_changed = f"{locale}.{version}" in places or (WHOLE in places and version is Version.LIVE)
            if is_changed and locale not in taken_off:
                yield self._event(SAVED[each.status], each)

    def _event(self, transition: Transition, entry: Page | Item) -> Event:
        return entry_event(transition, entry, self._collections, self._cause)

    def _ids(self, pairs: dict[tuple[str, int], set[str]] | dict[tuple[str, int], None], kind: EntryKind) -> list[int]:
        return [entry_id for of, entry_id in pairs if of == kind.value]

    def _versions(self, kind: EntryKind, ids: list[int], *, in_trash: bool) -> Versions:
        """Return all versions of these entries by id, of those that are in the trash or of the others."""
        found: Versions = {}
        rows: tuple[Page | Item, ...]
        if kind is EntryKind.PAGE:
            rows = pages.PAGE_VERSIONS.of(self._transaction, ids, in_trash=in_trash)
        else:
            rows = items.ITEM_VERSIONS.of(self._transaction, ids, in_trash=in_trash)
        for each in rows:
            found.setdefault(each.id, []).append(each)
        return found
