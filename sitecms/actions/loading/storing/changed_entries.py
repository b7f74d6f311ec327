"""Entries that a load changed: the source of its events, and the reason to build the site again.

Events (API reference, Webhooks) are recorded after everything is stored, in the same transaction. They equal the events
of writes with the same result: `published` for a version that is live now, `draft` for one that is not (a scheduled one
counts as a draft until its time), `unpublished` for a live version of a page or item that was removed while the entry
stays, and `delete`. Only changes have events: one for each post, and one for each locale and version of a page or item.
Deletions come first, since another entry may have the slug now.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct, field

from sitecms.actions.loading.storing.entry_names import Pair
from sitecms.actions.writing.entry_events import SAVED, EventCause, entry_event, main_version, record_events
from sitecms.content.entry import FIELDS, Entry
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.status import Version
from sitecms.content.webhooks.event import Event, Transition
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes.webhooks import all_webhooks

WHOLE = ""
"""Stands for all versions of an entry: its slug or title changed, or it is back from the trash."""


class ChangedEntries(Struct):
    """Entries by kind and id, collected while files are stored.

    `saved` contains the versions that changed, such as `en.live`; a post has only one, WHOLE. `live_before` contains
    the former live versions of pages and items by locale; it is filled if anybody hears of events (`keeps_live`).
    `is_shown`: readers may see a change without an event, of authors, terms, the content schema or the order of items.
    """

    keeps_live: bool = False
    saved: dict[Pair, set[str]] = field(default_factory=dict)
    deleted: dict[Pair, None] = field(default_factory=dict)
    live_before: dict[Pair, dict[str, Entry]] = field(default_factory=dict)
    is_shown: bool = False

    def save(self, pair: Pair, replaced: Mapping[str, str]) -> None:
        """Note an entry that was saved, and what was replaced of it, by `locale.version.field`."""
        if replaced:
            self.saved.setdefault(pair, set()).update(map(_version_of, replaced))

    def delete(self, pair: Pair) -> None:
        """Note an entry that went to the trash."""
        self.deleted[pair] = None

    def remember(self, session: Session, kind: EntryKind, ids: Sequence[int]) -> None:
        """Keep the live versions of entries that are about to be saved, of kinds where one may go alone."""
        for each in VERSIONS[kind].of(session, ids) if KINDS[kind].has_draft_version else ():
            if each.is_live:
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
    return ".".join(parts[:2]) if len(parts) > 1 and parts[0] != FIELDS else WHOLE


def hears_of_events(transaction: Transaction) -> bool:
    """Return whether there are webhooks, or plug-ins that listen."""
    return transaction.listener is not None or bool(all_webhooks(transaction))


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
        for _kind, versions in self._versions(self._changed.deleted, in_trash=True):
            yield self._event(Transition.DELETE, main_version(versions, self._cause.default_locale))

    def saved(self) -> Iterator[Event]:
        """Make the events of the entries that were saved and are not in the trash."""
        for kind, versions in self._versions(self._changed.saved, in_trash=False):
            yield from self._of_versions(versions, (kind, versions[0].id))

    def _of_versions(self, versions: list[Entry], pair: Pair) -> Iterator[Event]:
        places = self._changed.saved[pair]
        now = {(each.locale, each.version): each for each in versions}
        taken_off = set()
        for locale, live in self._changed.live_before.get(pair, {}).items():
            if (locale, Version.LIVE) not in now:
                taken_off.add(locale)
                yield self._event(Transition.UNPUBLISHED, now.get((locale, Version.DRAFT), live))
        for (locale, version), each in now.items():
            is_changed = f"{locale}.{version}" in places or (WHOLE in places and version is Version.LIVE)
            if is_changed and locale not in taken_off:
                yield self._event(SAVED[each.status], each)

    def _event(self, transition: Transition, entry: Entry) -> Event:
        return entry_event(transition, entry, self._collections, self._cause)

    def _versions(self, pairs: Iterable[Pair], *, in_trash: bool) -> Iterator[tuple[str, list[Entry]]]:
        """Yield kind and all versions of these entries, of those that are in the trash or of the others."""
        for kind, stored in VERSIONS.items():
            entries: dict[int, list[Entry]] = {}
            ids = [entry_id for of, entry_id in pairs if of == kind]
            for each in stored.of(self._transaction, ids, in_trash=in_trash):
                entries.setdefault(each.id, []).append(each)
            yield from ((kind, versions) for versions in entries.values())
