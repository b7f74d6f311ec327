"""Entries whose file is gone, and items that their file no longer lists: kept, or deleted by a load that prunes."""

from collections.abc import Iterable, Mapping, Sequence, Set

from msgspec import Struct, field

from sitecms.actions.loading.report import LostItem, PrunedEdit
from sitecms.actions.loading.storing.context import LoadContext
from sitecms.actions.loading.storing.entry_names import Pair, rename_entry
from sitecms.actions.loading.storing.store_entries import EntryStorage
from sitecms.content.change import Origin
from sitecms.content.kinds import EntryKind
from sitecms.store.entries import entry_state
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state import loaded_files
from sitecms.store.site_state.loaded_files import LoadedFile


class GoneEntries(Struct, frozen=True):
    """Entries that the files of a load no longer contain. With `prune` they go to the trash, otherwise they stay.

    `known` are all recorded files, `gone` the paths of those that do not exist any more, and `stored` the entries of
    this load. The entries of `yielding` go to the trash in any case: a file of this load has their slug or address.
    `edits` collects the deleted entries that were edited through the API.
    """

    context: LoadContext
    known: Mapping[str, LoadedFile]
    gone: Sequence[str]
    stored: EntryStorage
    yielding: Mapping[Pair, str]
    edits: list[PrunedEdit] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def files(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the files that are gone: (those whose entries stay, those whose entries were deleted).

        A file that was moved is in neither: its entries belong to the new file. Authors and terms always stay.
        """
        vanished, pruned = [], []
        owned = self._owned_by_present() if self.gone else set()
        for path in self.gone:
            held = self.known[path].entries
            left = [
                pair for pair in held if pair not in owned and entry_state.is_there(self.context.transaction, *pair)
            ]
            left = self._without_yielding(path, left)
            is_told = bool(left) or not held
            if is_told and not self.context.prune:
                vanished.append(path)
                continue
            self._delete(path, left)
            loaded_files.delete_loaded_file(self.context.transaction, path)
            if is_told:
                pruned.append(path)
        return tuple(vanished), tuple(pruned)

    def _without_yielding(self, path: str, left: list[Pair]) -> list[Pair]:
        """Move the entries to the trash whose slug or address a file of this load has, and return the others."""
        if self.context.prune or self.yielding.keys().isdisjoint(left):
            return left
        yielding = [pair for pair in left if pair in self.yielding]
        self._delete(path, yielding)
        for kind, key in yielding:
            taker = self.yielding[kind, key] or "another file"
            back = f"sitecms trash restore {kind} {key}"
            self.notes.append(f"{path} is gone, and {taker} has its address: its {kind} is in the trash ({back})")
        return [pair for pair in left if pair not in self.yielding]

    def items(self, skipped: Set[str]) -> tuple[LostItem, ...]:
        """Return the items that their files no longer list: all of them, or with `prune` those that were deleted.

        Nothing of the `skipped` files is deleted, because they have errors.
        """
        found: list[LostItem] = []
        owned: Set[Pair] | None = None
        for path, file in self.known.items():
            if path in self.gone or not file.absent:
                continue
            owned = self._owned_by_present() if owned is None else owned
            left = [
                each
                for each in file.absent
                if each not in owned and entry_state.is_there(self.context.transaction, *each)
            ]
            found += self._lost_items(path, left)
            if self.context.prune and path not in skipped:
                self._delete(path, left)
                left = []
            if len(left) < len(file.absent):
                loaded_files.save_loaded_file(self.context.transaction, file.with_absent(left))
        return tuple(found)

    def _lost_items(self, path: str, left: Sequence[Pair]) -> Iterable[LostItem]:
        labels: dict[int, str] = {}
        for item in VERSIONS[EntryKind.ITEM].of(self.context.transaction, [item_id for _kind, item_id in left]):
            collection = self.context.schema.collections.get(item.type)
            labels.setdefault(item.id, str(item.fields.get(collection.label, "")) if collection else "")
        return (LostItem(path, item_id, label) for item_id, label in labels.items())

    def _owned_by_present(self) -> set[Pair]:
        present = (file for path, file in self.known.items() if path not in self.gone)
        owned = (pair for pairs in self.stored.claimed.values() for pair in pairs)
        return {*owned, *(pair for file in present for pair in file.present)}

    def _delete(self, path: str, pairs: Sequence[Pair]) -> None:
        if pairs:  # most loads delete nothing, and need not import this
            from sitecms.actions.writing.trash import delete_entry
        for kind, key in pairs:
            if entry_state.origin_of(self.context.transaction, kind, key) == Origin.API:
                self.edits.append(PrunedEdit(path, EntryKind(kind), key))
            delete_entry(self.context.transaction, EntryKind(kind), key, self.context.at)
            self.stored.changed.delete((kind, key))
            if (kind, key) in self.stored.slugs:  # in the trash it gets its own slug back, which reserves nothing
                rename_entry(self.context.transaction, (kind, key), self.stored.slugs[kind, key])
