"""Ownership of entries by files, and conflicts with entries of other writers."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import PurePath

from msgspec import Struct

from sitecms.actions.loading.reading.last_load import LastEntry
from sitecms.actions.loading.reading.prepared import Prepared
from sitecms.actions.loading.reading.raw import RawEntry
from sitecms.actions.loading.report import FormerVersion
from sitecms.actions.loading.storing.context import LoadContext
from sitecms.actions.loading.storing.entry_names import Pair
from sitecms.clock import format_timestamp
from sitecms.content.change import Origin
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.documents import locator, place_of
from sitecms.errors import FileError, InvalidFiles
from sitecms.store.entries import entry_state
from sitecms.store.entries.trash import copy_to_trash, remove_former_version
from sitecms.store.site_state.loaded_files import LoadedFile
from sitecms.store.writes.reservations import count_reservations, find_reserved

_ORIGINS = {
    Origin.API: "was written through the API",
    Origin.FILE: "was loaded from another file",
    Origin.WRITTEN_BACK: "was written into another file",
}


class RequestedEntry(Struct, frozen=True):
    """An entry that a file names, by the value of `key` at a place; `is_adopted`: the file may change it.

    `line_of` reads the file again, which only errors need.
    """

    kind: EntryKind
    path: str
    place: str
    name: str
    line_of: Callable[[], int | None]
    is_adopted: bool

    def error(self, problem: str, remedy: str) -> InvalidFiles:
        """Return the error that the file cannot have this entry."""
        return InvalidFiles([FileError(self.path, self.place, problem, remedy, self.line_of())])


def requested(prepared: Prepared, entry: RawEntry, entry_id: int | None = None) -> RequestedEntry:
    """Return what the file says of an entry: its slug, or the id of one that is listed."""
    file, key = prepared.file, "slug" if KINDS[entry.kind].has_slug else "id"
    steps = (*entry.place, key)
    name = entry.slug or str(entry_id)
    return RequestedEntry(entry.kind, file.path, place_of(steps), name, lambda: locator(file.file)(steps), entry.adopt)


class AdoptionGuard:
    """Guard of entries of other writers: refuses changes to them, and keeps former versions of those that are allowed.

    `given_ids` are the ids of listed entries that files of this load name.
    """

    def __init__(self, context: LoadContext, given_ids: Collection[int] = ()) -> None:
        self._transaction = context.transaction
        self._at: datetime = context.at
        self._given_ids = given_ids
        self._adopt = context.adopt
        self.last: dict[Pair, LastEntry] = {}
        self._requested: dict[Pair, RequestedEntry] = {}
        self._copies: dict[Pair, int] = {}
        self._changed: dict[Pair, str] = {}

    def keep(self, kind: EntryKind, entry_id: int, find: Callable[[], Mapping[Pair, LastEntry]] = dict) -> None:
        """Keep an entry that was written through the API since a file was last loaded into it.

        It is merged if `find` returns it as its file had it, which `last` keeps; else it is copied to the trash.
        """
        pair = (kind.value, entry_id)
        if pair in self._copies or pair in self.last:
            return
        if entry_state.origin_of(self._transaction, *pair, in_trash=True) == Origin.API:
            last = find().get(pair) if entry_state.is_there(self._transaction, *pair) else None
            if last:
                self.last[pair] = last
            else:
                self.copy(kind, entry_id)

    def request(self, entry_id: int, requested: RequestedEntry) -> None:
        """Note that a file names an entry of another writer."""
        pair = (requested.kind.value, entry_id)
        self.copy(requested.kind, entry_id)
        self._requested[pair] = requested

    def check(self, pair: Pair, replaced: Mapping[str, str]) -> None:
        """Raise InvalidFiles if the file replaced something in an entry of another writer without permission."""
        requested = self._requested.get(pair)
        if requested is None or requested.is_adopted or self._adopt or not replaced:
            return
        kind = requested.kind
        written = entry_state.last_written(self._transaction, kind, self._copies[pair])
        origin, at = written or (Origin.API, self._at)
        key, other = f"id of an {kind}", "leave the id out"
        if KINDS[kind].has_slug:
            key, other = f"slug of the {kind} {pair[1]}", "choose another slug"
        problem = f'"{requested.name}" is the {key} that {_ORIGINS[origin]} (last on {format_timestamp(at)})'
        remedy = f"{other}; or let this file replace it: adopt: true in the file, or sitecms load --adopt"
        raise requested.error(problem, remedy)

    def is_requested(self, pair: Pair) -> bool:
        """Return whether a file that the entry was not loaded from names it."""
        return pair in self._requested

    def was_edited(self, pair: Pair) -> bool:
        """Return whether the entry was written through the API, or by another writer, before this load."""
        return pair in self._copies

    def note_changed(self, path: str, pair: Pair) -> None:
        """Keep the copy of the entry: the file replaced something of it."""
        self._changed[pair] = path

    def finish(self) -> tuple[FormerVersion, ...]:
        """Return the former versions that stay in the trash; remove copies of entries that no file changed."""
        for (kind, _entry_id), copy_id in [item for item in self._copies.items() if item[0] not in self._changed]:
            remove_former_version(self._transaction, EntryKind(kind), copy_id)
        return tuple(
            FormerVersion(
                path, EntryKind(kind), entry_id, self._copies[kind, entry_id], (kind, entry_id) in self._requested
            )
            for (kind, entry_id), path in self._changed.items()
        )

    def copy(self, kind: EntryKind, entry_id: int) -> None:
        """Copy the entry to the trash as it is, once."""
        if (kind.value, entry_id) in self._copies:
            return
        taken = () if KINDS[kind].has_slug else self._given_ids
        copy_id = copy_to_trash(self._transaction, kind, entry_id, self._at, taken)
        self._copies[kind.value, entry_id] = copy_id


class Claims:
    """Entries by the file that owns them, for one load; `known` are the records of the files.

    `released` are listed entries that their file gives up and another file names; `renamed` have another slug.
    """

    def __init__(self, context: LoadContext, known: Mapping[str, LoadedFile], guard: AdoptionGuard) -> None:
        self.known = known
        self._present = context.present
        self._transaction = context.transaction
        self._guard = guard
        self.released: set[Pair] = set()
        self.renamed: set[Pair] = set()
        self._new_owner: dict[Pair, str] = {}

    @cached_property
    def _owner(self) -> dict[Pair, str]:
        return {entry: path for path, file in self.known.items() if path in self._present for entry in file.present}

    @cached_property
    def _unlisted(self) -> dict[Pair, str]:
        """Entries of files that are gone, and those that their file no longer lists."""
        gone = self.known.keys() - self._present
        lost = {path: file.entries if path in gone else file.absent for path, file in self.known.items()}
        return {entry: path for path, pairs in lost.items() for entry in pairs}

    def earlier(self, path: str) -> tuple[int, ...]:
        """Return the entries that the file was loaded into before."""
        file = self.known.get(path)
        return tuple(entry_id for _kind, entry_id in file.entries) if file else ()

    def absent(self, path: str) -> frozenset[int]:
        """Return the entries that the file did not list any more when it was last loaded."""
        file = self.known.get(path)
        return frozenset(entry_id for _kind, entry_id in file.absent) if file else frozenset()

    def earlier_listed(self, path: str, kind: EntryKind, group: str) -> tuple[int, ...]:
        """Return the entries of the file's last load; for a new file, those of a file of the same name that is gone."""
        if earlier := self.earlier(path):
            return earlier
        same = {pair for pair, of in self._unlisted.items() if pair[0] == kind and PurePath(of).stem == group}
        same -= self._owner.keys() | self._new_owner.keys()
        return tuple(sorted(entry_id for _kind, entry_id in same))

    def check(self, entry_id: int, requested: RequestedEntry) -> None:
        """Give the entry to the file. Raises InvalidFiles if it belongs to another file that exists."""
        kind = requested.kind
        pair = (kind.value, entry_id)
        owner = self._owner_or(requested.path, pair)
        if owner != requested.path and pair not in self.released:
            remedy = "give each file its own"
            if KINDS[kind].has_slug and KINDS[kind].has_locales:
                remedy += f"; a {kind} in several locales is one .yaml file, with fields: {{en: {{...}}, es: {{...}}}}"
            raise requested.error(f'"{requested.name}" is used in {owner} too', remedy)
        self._new_owner[pair] = requested.path
        self.released.discard(pair)

    def find(self, entry_id: int, requested: RequestedEntry) -> None:
        """Claim an existing entry for the file. Raises InvalidFiles as `check`."""
        self.check(entry_id, requested)
        pair = (requested.kind.value, entry_id)
        if entry_id in self.earlier(requested.path) or pair in self._unlisted or pair in self._owner:
            self._guard.keep(requested.kind, entry_id)
        else:
            self._guard.request(entry_id, requested)

    def check_reserved(self, name: str, own: int | None, requested: RequestedEntry) -> None:
        """Raise InvalidFiles if an accepted write that is not applied yet has reserved the name."""
        kind = requested.kind
        reserved = find_reserved(self._transaction, kind, name) if self._has_reservations else None
        if reserved and reserved.entry_id != own:
            problem = f'"{requested.name}" is the slug of a {kind} that was sent through the API and is not stored yet'
            raise requested.error(problem, "load again in a moment, see sitecms writes list; or choose another slug")

    @cached_property
    def _has_reservations(self) -> bool:
        return count_reservations(self._transaction) > 0

    def refuse(self, entry_id: int, requested: RequestedEntry) -> None:
        """Raise InvalidFiles: the file has its own entry, so it cannot have the slug of this one."""
        self.check(entry_id, requested)
        raise requested.error(f'"{requested.name}" is the slug of another {requested.kind}', "choose another slug")

    def is_elsewhere(self, path: str, pair: Pair) -> bool:
        """Return whether the entry belongs to another file."""
        return self._owner_or(path, pair) != path

    def owner_of(self, pair: Pair) -> str:
        """Return the file that owns the entry, "" for none."""
        return self._new_owner.get(pair) or self._owner.get(pair, "")

    def _owner_or(self, path: str, pair: Pair) -> str:
        """Return the file that owns the entry, by default this one; its own entries are looked up first."""
        if owner := self._new_owner.get(pair):
            return owner
        return path if pair[1] in self.earlier(path) else self._owner.get(pair, path)
