"""Which entries the files of this load mean: those they were loaded into before, those they name, or new ones."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import PurePath

from sitecms.actions.loading.storing.conflicts import TakeOver, Wanted
from sitecms.content.change import EntryKind, PostChange
from sitecms.documents import Locate
from sitecms.errors import FileError, InvalidFiles
from sitecms.store.database import Transaction
from sitecms.store.entries import entry_state, posts
from sitecms.store.site_state.loaded_files import LoadedFile
from sitecms.store.writes import writes


class Claims:
    """Entries by the file that owns them, for one load; `given_ids` are the item ids that files of it name."""

    def __init__(
        self,
        known: Mapping[str, LoadedFile],
        present: frozenset[str],
        take_over: TakeOver,
        given_ids: frozenset[int] = frozenset(),
        *,
        prune: bool = False,
    ) -> None:
        self._known = known
        self._present = present
        self._take_over = take_over
        self.given_ids = given_ids
        self.prune = prune
        self.released: set[int] = set()
        self.renamed_pages: set[int] = set()
        self._new_owner: dict[tuple[str, int], str] = {}

    @cached_property
    def _owner(self) -> dict[tuple[str, int], str]:
        return {entry: path for path, file in self._known.items() if path in self._present for entry in file.present}

    @cached_property
    def _left(self) -> dict[tuple[str, int], str]:
        """Entries of files that are gone, and items that their file no longer lists."""
        gone = self._known.keys() - self._present
        lost = {path: file.entries if path in gone else file.absent for path, file in self._known.items()}
        return {entry: path for path, pairs in lost.items() for entry in pairs}

    def earlier(self, path: str, kind: EntryKind) -> tuple[int, ...]:
        """The entries the file was loaded into before."""
        file = self._known.get(path)
        return tuple(key for of, key in file.entries if of == kind.value) if file else ()

    def is_absent(self, path: str, item_id: int) -> bool:
        """Return whether the file did not list the item any more when it was last loaded."""
        file = self._known.get(path)
        return file is not None and (EntryKind.ITEM.value, item_id) in file.absent

    def earlier_items(self, path: str, collection: str) -> tuple[int, ...]:
        """The items the file was loaded into before or, for a new file, those that a file left which is gone."""
        if found := self.earlier(path, EntryKind.ITEM):
            return found
        items_left = {pair: of for pair, of in self._left.items() if pair[0] == EntryKind.ITEM}
        same = {pair for pair, of in items_left.items() if PurePath(of).stem == collection}
        same -= self._owner.keys() | self._new_owner.keys()
        return tuple(sorted(item_id for _kind, item_id in same))

    def check(self, path: str, kind: EntryKind, entry_id: int, place: str, name: str, line: int | None = None) -> None:
        """Raises InvalidFiles if the entry belongs to another file that is still there."""
        owner = self._owner_of(path, kind, entry_id)
        if owner != path and not (kind is EntryKind.ITEM and entry_id in self.released):
            remedy = "each needs its own"
            if kind is EntryKind.PAGE:
                remedy += "; a page in several locales is one .yaml file, with fields: {en: {...}, es: {...}}"
            raise InvalidFiles([FileError(path, place, f'is "{name}", as in {owner}', remedy, line)])
        self._new_owner[kind.value, entry_id] = path
        if kind is EntryKind.ITEM:
            self.released.discard(entry_id)

    def find(self, kind: EntryKind, entry_id: int, wanted: Wanted) -> None:
        """Claim an entry that is there already for the file.

        Raises InvalidFiles if it belongs to another file that is still there.
        """
        self.check(wanted.path, kind, entry_id, wanted.place, wanted.name, wanted.line)
        pair = (kind.value, entry_id)
        if entry_id in self.earlier(wanted.path, kind) or pair in self._left or pair in self._owner:
            self._take_over.keep(kind, entry_id)
        else:
            self._take_over.want(kind, entry_id, wanted)

    def check_reserved(self, kind: EntryKind, name: str, mine: int | None, wanted: Wanted) -> None:
        """Raises InvalidFiles if a write that was accepted and is not applied yet is to have the name."""
        self._take_over.check_reserved(kind, name, mine, wanted)

    def is_elsewhere(self, path: str, kind: EntryKind, entry_id: int) -> bool:
        """Whether the entry belongs to another file."""
        return self._owner_of(path, kind, entry_id) != path

    def _owner_of(self, path: str, kind: EntryKind, entry_id: int) -> str:
        """The file that the entry belongs to; this one if it belongs to none. Its own are known without the others."""
        if owner := self._new_owner.get((kind.value, entry_id)):
            return owner
        return path if entry_id in self.earlier(path, kind) else self._owner.get((kind.value, entry_id), path)

    def refuse(self, path: str, kind: EntryKind, entry_id: int, slug: str, line: int | None) -> None:
        """Raises InvalidFiles: the file has its own entry, so it cannot have this one's slug."""
        self.check(path, kind, entry_id, "slug", slug, line)
        problem, remedy = f'is "{slug}", the slug of another {kind}', "choose another one"
        if left := self._left.get((kind.value, entry_id)):
            problem = f'is "{slug}", as in {left}, which is gone while its {kind} is kept'
            remedy = "load with --prune to remove that one, or choose another slug"
        raise InvalidFiles([FileError(path, "slug", problem, remedy, line)])


def claim_post(transaction: Transaction, path: str, change: PostChange, claims: Claims, locate: Locate) -> int | None:
    """The post that the file means; None: a new one."""
    mine = claims.earlier(path, EntryKind.POST)
    there = [post_id for post_id in mine if entry_state.is_there(transaction, EntryKind.POST.value, post_id)]
    holder = posts.find_post_id(transaction, change.slug)
    wanted = Wanted(path, "slug", change.slug, locate(("slug",)), change.adopt)
    if holder is None or holder in there:
        claims.check_reserved(EntryKind.POST, change.slug, there[0] if there else None, wanted)
        return there[0] if there else None
    if there:
        claims.refuse(path, EntryKind.POST, holder, change.slug, wanted.line)
    claims.find(EntryKind.POST, holder, wanted)
    return holder


def check_post_id(transaction: Transaction, path: str, change: PostChange, post_id: int | None, locate: Locate) -> None:
    """Raises InvalidFiles where the file gives its post an id that this one cannot have."""
    if change.id in (None, post_id):
        return
    problem, remedy = f"is {change.id}, the id of another post", "choose another id, or leave it out"
    if post_id is not None:
        problem, remedy = f"is {change.id}, and this post has the id {post_id} for good", "leave it out"
    elif not _is_taken(transaction, change.id or 0):
        return
    raise InvalidFiles([FileError(path, "id", problem, remedy, locate(("id",)))])


def _is_taken(transaction: Transaction, post_id: int) -> bool:
    """Whether there is, or is about to be, a post of that id."""
    is_promised = writes.find_creation(transaction, EntryKind.POST, post_id) is not None
    return is_promised or posts.id_is_taken(transaction, post_id)
