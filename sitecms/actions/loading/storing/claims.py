"""Ownership of entries by files, and conflicts with entries of other writers."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import PurePath

from msgspec import Struct

from sitecms.actions.loading.report import FormerVersion
from sitecms.actions.writing.new_posts import NewPosts
from sitecms.clock import format_timestamp
from sitecms.content.change import Applied, EntryKind, Origin, PostChange
from sitecms.documents import Locate
from sitecms.errors import FileError, InvalidFiles
from sitecms.store.database import Transaction
from sitecms.store.entries import entry_state, posts
from sitecms.store.entries.trash import copy_to_trash, remove_former_version
from sitecms.store.entries.working_copies import find_copy
from sitecms.store.site_state.loaded_files import LoadedFile
from sitecms.store.writes import writes
from sitecms.store.writes.reservations import count_reservations, find_reserved

Pair = tuple[str, int]

_ORIGINS = {Origin.API: "was written through the API", Origin.FILE: "was loaded from another file"}


class RequestedEntry(Struct, frozen=True):
    """An entry that a file names and was not loaded into before; `is_adopted`: the file may change it.

    `line_of` reads the file again, which only errors need.
    """

    path: str
    place: str
    name: str
    line_of: Callable[[], int | None]
    is_adopted: bool

    @property
    def line(self) -> int | None:
        """Line of the name in the file."""
        return self.line_of()


class AdoptionGuard:
    """Guard of entries of other writers: refuses changes to them, and keeps former versions of those that are allowed.

    `adopt` permits it to all files. `given_ids` are the ids of items that files of this load name.
    """

    def __init__(
        self, transaction: Transaction, at: datetime, given_ids: Collection[int] = (), *, adopt: bool = False
    ) -> None:
        self._transaction = transaction
        self._at = at
        self._given_ids = given_ids
        self._adopt = adopt
        self._requested: dict[Pair, RequestedEntry] = {}
        self._copies: dict[Pair, int] = {}
        self._changed: dict[Pair, str] = {}

    def keep(self, kind: EntryKind, entry_id: int) -> None:
        """Copy the entry to the trash if it was written through the API since a file was last loaded into it."""
        pair = (kind.value, entry_id)
        if pair not in self._copies and entry_state.origin_of(self._transaction, *pair, in_trash=True) == Origin.API:
            self._copy(kind, entry_id)

    def request(self, kind: EntryKind, entry_id: int, requested: RequestedEntry) -> None:
        """Note that a file names an entry of another writer."""
        pair = (kind.value, entry_id)
        if pair not in self._copies:
            self._copy(kind, entry_id)
        self._requested[pair] = requested

    def check(self, pair: Pair, replaced: Mapping[str, str]) -> None:
        """Raise InvalidFiles if the file replaced something in an entry of another writer without permission."""
        requested = self._requested.get(pair)
        if requested is None or requested.is_adopted or self._adopt or not replaced:
            return
        kind = EntryKind(pair[0])
        written = entry_state.last_written(self._transaction, kind, self._copies[pair])
        origin, at = written or (Origin.API, self._at)
        what = "id of an item" if kind is EntryKind.ITEM else f"slug of the {kind} {pair[1]}"
        problem = f'"{requested.name}" is the {what} that {_ORIGINS[origin]} (last on {format_timestamp(at)})'
        other = "leave the id out" if kind is EntryKind.ITEM else "choose another slug"
        remedy = f"{other}; or let this file replace it: adopt: true in the file, or sitecms load --adopt"
        raise InvalidFiles([FileError(requested.path, requested.place, problem, remedy, requested.line)])

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

    def check_reserved(self, kind: EntryKind, name: str, mine: int | None, requested: RequestedEntry) -> None:
        """Raise InvalidFiles if an accepted write that is not applied yet has reserved the name."""
        reserved = find_reserved(self._transaction, kind, name) if self._has_reservations else None
        if reserved and reserved.entry_id != mine:
            problem = f'"{requested.name}" is the slug of a {kind} that was sent through the API and is not stored yet'
            remedy = "load again in a moment, see sitecms writes list; or choose another slug"
            raise InvalidFiles([FileError(requested.path, requested.place, problem, remedy, requested.line)])

    @cached_property
    def _has_reservations(self) -> bool:
        return count_reservations(self._transaction) > 0

    def _copy(self, kind: EntryKind, entry_id: int) -> None:
        taken = self._given_ids if kind is EntryKind.ITEM else ()
        copy_id = copy_to_trash(self._transaction, kind, entry_id, self._at, taken)
        self._copies[kind.value, entry_id] = copy_id


class Claims:
    """Entries by the file that owns them, for one load; `given_ids` are the item ids in its files."""

    def __init__(
        self,
        known: Mapping[str, LoadedFile],
        present: frozenset[str],
        guard: AdoptionGuard,
        given_ids: frozenset[int] = frozenset(),
        *,
        prune: bool = False,
    ) -> None:
        self._known = known
        self._present = present
        self._guard = guard
        self.given_ids = given_ids
        self.prune = prune
        self.released: set[int] = set()
        self.renamed_pages: set[int] = set()
        self._new_owner: dict[tuple[str, int], str] = {}

    @cached_property
    def _owner(self) -> dict[tuple[str, int], str]:
        return {entry: path for path, file in self._known.items() if path in self._present for entry in file.present}

    @cached_property
    def _unlisted(self) -> dict[tuple[str, int], str]:
        """Entries of files that are gone, and items that their file no longer lists."""
        gone = self._known.keys() - self._present
        lost = {path: file.entries if path in gone else file.absent for path, file in self._known.items()}
        return {entry: path for path, pairs in lost.items() for entry in pairs}

    def earlier(self, path: str, kind: EntryKind) -> tuple[int, ...]:
        """Return the entries that the file was loaded into before."""
        file = self._known.get(path)
        return tuple(key for of, key in file.entries if of == kind.value) if file else ()

    def is_absent(self, path: str, item_id: int) -> bool:
        """Return whether the file did not list the item any more when it was last loaded."""
        file = self._known.get(path)
        return file is not None and (EntryKind.ITEM.value, item_id) in file.absent

    def earlier_items(self, path: str, collection: str) -> tuple[int, ...]:
        """Return the items of the file's last load; for a new file, those of a file of the same name that is gone."""
        if found := self.earlier(path, EntryKind.ITEM):
            return found
        items_left = {pair: of for pair, of in self._unlisted.items() if pair[0] == EntryKind.ITEM}
        same = {pair for pair, of in items_left.items() if PurePath(of).stem == collection}
        same -= self._owner.keys() | self._new_owner.keys()
        return tuple(sorted(item_id for _kind, item_id in same))

    def check(self, path: str, kind: EntryKind, entry_id: int, place: str, name: str, line: int | None = None) -> None:
        """Raise InvalidFiles if the entry belongs to another file that exists."""
        owner = self._owner_of(path, kind, entry_id)
        if owner != path and not (kind is EntryKind.ITEM and entry_id in self.released):
            remedy = "give each file its own"
            if kind is EntryKind.PAGE:
                remedy += "; a page in several locales is one .yaml file, with fields: {en: {...}, es: {...}}"
            raise InvalidFiles([FileError(path, place, f'"{name}" is used in {owner} too', remedy, line)])
        self._new_owner[kind.value, entry_id] = path
        if kind is EntryKind.ITEM:
            self.released.discard(entry_id)

    def find(self, kind: EntryKind, entry_id: int, requested: RequestedEntry) -> None:
        """Claim an existing entry for the file.

        Raises InvalidFiles if it belongs to another file that exists.
        """
        self.check(requested.path, kind, entry_id, requested.place, requested.name, requested.line)
        pair = (kind.value, entry_id)
        if entry_id in self.earlier(requested.path, kind) or pair in self._unlisted or pair in self._owner:
            self._guard.keep(kind, entry_id)
        else:
            self._guard.request(kind, entry_id, requested)

    def check_reserved(self, kind: EntryKind, name: str, mine: int | None, requested: RequestedEntry) -> None:
        """Raise InvalidFiles if an accepted write that is not applied yet has reserved the name."""
        self._guard.check_reserved(kind, name, mine, requested)

    def is_elsewhere(self, path: str, kind: EntryKind, entry_id: int) -> bool:
        """Return whether the entry belongs to another file."""
        return self._owner_of(path, kind, entry_id) != path

    def owner_of(self, pair: Pair) -> str:
        """Return the file that owns the entry, "" for none."""
        return self._new_owner.get(pair) or self._owner.get(pair, "")

    def _owner_of(self, path: str, kind: EntryKind, entry_id: int) -> str:
        """Return the file that owns the entry, by default this one; its own entries are looked up first."""
        if owner := self._new_owner.get((kind.value, entry_id)):
            return owner
        return path if entry_id in self.earlier(path, kind) else self._owner.get((kind.value, entry_id), path)

    def refuse(self, path: str, kind: EntryKind, entry_id: int, slug: str, line: int | None) -> None:
        """Raise InvalidFiles: the file has its own entry, so it cannot have the slug of this one."""
        self.check(path, kind, entry_id, "slug", slug, line)
        problem, remedy = f'"{slug}" is the slug of another {kind}', "choose another slug"
        raise InvalidFiles([FileError(path, "slug", problem, remedy, line)])


def claim_post(
    transaction: Transaction, path: str, change: PostChange, claims: Claims, new: NewPosts, locate: Locate
) -> int | None:
    """Return the id of the file's post; None: it is new."""
    mine = claims.earlier(path, EntryKind.POST)
    there = [post_id for post_id in mine if entry_state.is_there(transaction, EntryKind.POST.value, post_id)]
    holder = new.find(change.slug) or posts.find_post_id(transaction, change.slug)
    requested = RequestedEntry(path, "slug", change.slug, lambda: locate(("slug",)), change.adopt)
    if holder is None or holder in there:
        claims.check_reserved(EntryKind.POST, change.slug, there[0] if there else None, requested)
        return there[0] if there else None
    if there:
        claims.refuse(path, EntryKind.POST, holder, change.slug, requested.line)
    claims.find(EntryKind.POST, holder, requested)
    return holder


def check_post_id(
    transaction: Transaction, path: str, change: PostChange, post_id: int | None, new: NewPosts, locate: Locate
) -> None:
    """Raise InvalidFiles if the file gives its post an id that the post cannot have."""
    if change.id in (None, post_id):
        return
    problem, remedy = f"is {change.id}, the id of another post", "choose another id, or leave it out"
    if post_id is not None:
        problem, remedy = f"is {change.id}, while this post has the id {post_id}, which never changes", "leave it out"
    elif not new.has_id(change.id or 0) and not _is_taken(transaction, change.id or 0):
        return
    raise InvalidFiles([FileError(path, "id", problem, remedy, locate(("id",)))])


def _is_taken(transaction: Transaction, post_id: int) -> bool:
    """Return whether a post has the id, or is about to have it."""
    is_promised = writes.find_creation(transaction, EntryKind.POST, post_id) is not None
    return is_promised or posts.id_is_taken(transaction, post_id)


def draft_notes(transaction: Transaction, path: str, applied: Applied) -> Iterator[str]:
    """Yield a note if a user has unpublished changes of a post that the file has changed."""
    copy = find_copy(transaction, applied.id) if applied.replaced else None
    if copy:
        stays = "the draft stays, and publishing it replaces the file's values of the same fields"
        yield f"{path}: {copy.user_name} saved a draft of this post in the studio on {copy.saved_at:%Y-%m-%d}; {stays}"
