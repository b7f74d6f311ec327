"""Entries that a load may not change in silence: those of other writers, and those edited through the API since."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from sitecms.actions.loading.report import FormerVersion
from sitecms.clock import format_timestamp
from sitecms.content.change import EntryKind, Origin
from sitecms.errors import FileError, InvalidFiles
from sitecms.store.database import Transaction
from sitecms.store.entries import entry_state
from sitecms.store.entries.trash import copy_to_trash, remove_former_version
from sitecms.store.writes.reservations import count_reservations, find_reserved

Pair = tuple[str, int]
_ORIGINS = {Origin.API: "was written through the API", Origin.FILE: "was loaded from another file"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """An entry that a file names and was not loaded into before; `is_adopted`: the file may change it."""

    path: str
    place: str
    name: str
    line: int | None
    is_adopted: bool


class TakeOver:
    """Refuses files that would change an entry of another writer, and keeps former versions of those it changes.

    `adopt` allows it to all files. `given_ids` are the ids of items that files of this load name.
    """

    def __init__(
        self, transaction: Transaction, at: datetime, given_ids: Collection[int] = (), *, adopt: bool = False
    ) -> None:
        self._transaction = transaction
        self._at = at
        self._given_ids = given_ids
        self._adopt = adopt
        self._wanted: dict[Pair, Wanted] = {}
        self._copies: dict[Pair, int] = {}
        self._changed: dict[Pair, str] = {}

    def keep(self, kind: EntryKind, entry_id: int) -> None:
        """Copy the entry to the trash if it was written through the API since a file was last loaded into it."""
        pair = (kind.value, entry_id)
        if pair not in self._copies and entry_state.origin_of(self._transaction, *pair, in_trash=True) == Origin.API:
            self._copy(kind, entry_id)

    def want(self, kind: EntryKind, entry_id: int, wanted: Wanted) -> None:
        """Note that a file names an entry of another writer."""
        pair = (kind.value, entry_id)
        if pair not in self._copies:
            self._copy(kind, entry_id)
        self._wanted[pair] = wanted

    def check(self, pair: Pair, replaced: Mapping[str, str]) -> None:
        """Raises InvalidFiles if a file replaced something of an entry of another writer, and was not told to."""
        wanted = self._wanted.get(pair)
        if wanted is None or wanted.is_adopted or self._adopt or not replaced:
            return
        kind = EntryKind(pair[0])
        written = entry_state.last_written(self._transaction, kind, self._copies[pair])
        origin, at = written or (Origin.API, self._at)
        problem = (
            f'is "{wanted.name}", as of the {kind} {pair[1]}: it {_ORIGINS[origin]}, last on '
            f"{format_timestamp(at)}, and this file was not loaded into it before"
        )
        other = "leave the id out" if kind is EntryKind.ITEM else "choose another slug"
        remedy = (
            f"{other}; or replace that {kind} by adopt: true in the file, or load --adopt, which keep its former "
            "version in the trash"
        )
        raise InvalidFiles([FileError(wanted.path, wanted.place, problem, remedy, wanted.line)])

    def was_edited(self, pair: Pair) -> bool:
        """Return whether the entry was written through the API, or by another writer, before this load."""
        return pair in self._copies

    def note_changed(self, path: str, pair: Pair) -> None:
        """Keep the copy of the entry: the file replaced something of it."""
        self._changed[pair] = path

    def finish(self) -> tuple[FormerVersion, ...]:
        """The former versions that are in the trash; copies of entries that no file changed are removed."""
        for (kind, _entry_id), copy_id in [item for item in self._copies.items() if item[0] not in self._changed]:
            remove_former_version(self._transaction, EntryKind(kind), copy_id)
        return tuple(
            FormerVersion(
                path, EntryKind(kind), entry_id, self._copies[kind, entry_id], (kind, entry_id) in self._wanted
            )
            for (kind, entry_id), path in self._changed.items()
        )

    def check_reserved(self, kind: EntryKind, name: str, mine: int | None, wanted: Wanted) -> None:
        """Raises InvalidFiles if a write that was accepted and is not applied yet is to have the name."""
        reserved = find_reserved(self._transaction, kind, name) if self._has_reservations else None
        if reserved and reserved.entry_id != mine:
            problem = f'is "{wanted.name}", the slug of a {kind} that was sent through the API and is not stored yet'
            remedy = "load again in a moment (sitecms writes list shows it), or choose another slug"
            raise InvalidFiles([FileError(wanted.path, wanted.place, problem, remedy, wanted.line)])

    @cached_property
    def _has_reservations(self) -> bool:
        return count_reservations(self._transaction) > 0

    def _copy(self, kind: EntryKind, entry_id: int) -> None:
        taken = self._given_ids if kind is EntryKind.ITEM else ()
        copy_id = copy_to_trash(self._transaction, kind, entry_id, self._at, taken)
        self._copies[kind.value, entry_id] = copy_id
