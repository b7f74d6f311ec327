"""Assignment of entries to files: those that exist are found, others are created by name alone.

An entry that has a slug is known by it. One that a file lists is known by its id, else by its label and place.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sitecms.actions.loading.reading.prepared import Prepared
from sitecms.actions.loading.reading.raw import RawEntry
from sitecms.actions.loading.storing.claims import Claims, RequestedEntry, requested
from sitecms.actions.loading.storing.context import LoadContext
from sitecms.actions.loading.storing.entry_names import Pair, rename_entry
from sitecms.actions.writing.known_entries import reserved_name
from sitecms.actions.writing.new_entries import NewEntries
from sitecms.content.change import AS_IN_FILE, Origin
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.schema import Collection
from sitecms.documents import locator
from sitecms.errors import FileError, InvalidFiles
from sitecms.store.entries import entry_state, items
from sitecms.store.entries.entry_rows import find_identity, find_named, insert_entry
from sitecms.store.entries.trash import find_entry_of, find_part
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.writes.writes import find_creation


class EntryClaims:
    """The entries that files claim in one attempt; `new` are posts that are not stored yet.

    `given_ids` are the ids of listed entries that files of the load name, `inserted` entries that have no content yet.
    """

    def __init__(self, context: LoadContext, claims: Claims, new: NewEntries, given_ids: frozenset[int]) -> None:
        self._context = context
        self._transaction = context.transaction
        self._claims = claims
        self._new = new
        self._given_ids = given_ids
        self.inserted: set[Pair] = set()

    def release(self, prepared: Prepared) -> None:
        """Release the listed entries that the file no longer has, by id or label, and that another file names."""
        path, entries = prepared.file.path, prepared.entries
        gone = self._given_ids.intersection(self._claims.earlier(path)) - {entry.id for entry in entries}
        if not gone or KINDS[prepared.kind].has_slug:
            return
        collection = self._collection(prepared)
        labels = {
            _label(version.change.fields, collection) for entry in entries for version in entry.versions if not entry.id
        }
        stored = VERSIONS[EntryKind.ITEM].of(self._transaction, tuple(gone))
        gone -= {item.id for item in stored if _label(item.fields, collection) in labels}
        self._claims.released |= {(prepared.kind.value, entry_id) for entry_id in gone}

    def claim(self, prepared: Prepared) -> tuple[int | None, ...]:
        """Return the ids of the file's entries, in its order; create those that references can name.

        None is an entry that is created with its content. Raises InvalidFiles.
        """
        if not KINDS[prepared.kind].has_slug:
            return self._claim_listed(prepared)
        return tuple(self._claim_named(prepared, entry) for entry in prepared.entries)

    def _claim_named(self, prepared: Prepared, entry: RawEntry) -> int | None:
        """Return the id of an entry with a slug, and give it the slug of the file."""
        kind, claims = entry.kind, self._claims
        earlier = claims.earlier(prepared.file.path)
        own = next((each for each in earlier if entry_state.is_there(self._transaction, kind.value, each)), None)
        holder = self._new.find(entry.slug) if not KINDS[kind].is_target else None
        holder = holder or find_named(self._transaction, kind, entry.group, entry.slug)
        request = requested(prepared, entry)
        if own is not None and holder not in (None, own):
            claims.refuse(holder or 0, request)
        if own is None and holder is not None:
            claims.find(holder, request)
        else:
            claims.check_reserved(reserved_name(kind, entry.group, entry.slug), own, request)
        entry_id = holder if own is None else own
        self._check_id(prepared, entry, entry_id)
        if entry_id is None and KINDS[kind].is_target:
            entry_id = self._insert(entry, entry.id)
        elif own is not None and KINDS[kind].is_target and rename_entry(self._transaction, (kind, own), entry.slug):
            claims.renamed.add((kind.value, own))
        if entry_id is not None:
            claims.check(entry_id, request)
        return entry_id

    def _insert(self, entry: RawEntry, entry_id: int | None) -> int:
        """Insert an entry by its name alone, which references can then name."""
        own: dict[str, object] = {"type": entry.group}
        if KINDS[entry.kind].has_slug:
            own |= {"slug": entry.slug, "title": entry.title, "titles": dict(entry.titles)}
        own["addresses"] = entry.addresses.as_json()
        made = Origin.FILE, self._context.at
        inserted = insert_entry(self._transaction, entry.kind, own, made, entry_id)
        self.inserted.add((entry.kind.value, inserted))
        return inserted

    def _check_id(self, prepared: Prepared, entry: RawEntry, entry_id: int | None) -> None:
        """Raise InvalidFiles if the file gives its entry an id that the entry cannot have."""
        if entry.id in (None, entry_id):
            return
        kind = entry.kind
        problem, remedy = f"is {entry.id}, the id of another {kind}", "choose another id, or leave it out"
        if entry_id is not None:
            problem = f"is {entry.id}, while this {kind} has the id {entry_id}, which never changes"
            remedy = "leave it out"
        elif not self._is_taken(kind, entry.id or 0):
            return
        file = prepared.file
        raise InvalidFiles([FileError(file.path, "id", problem, remedy, locator(file.file)(("id",)))])

    def _is_taken(self, kind: EntryKind, entry_id: int) -> bool:
        """Return whether an entry has the id, or is about to have it."""
        if not KINDS[kind].is_target and self._new.has_id(entry_id):
            return True
        is_promised = find_creation(self._transaction, kind, entry_id) is not None
        return is_promised or entry_state.exists(self._transaction, kind, entry_id)

    def _claim_listed(self, prepared: Prepared) -> tuple[int, ...]:
        """Return the ids of the entries that a file lists; create new ones.

        An entry without an id is the file's former one with the same label, else the one at the same place, else a
        deleted one with the same label. Raises InvalidFiles if an id is used twice or belongs to another file or
        collection, and if all collections together have more items than the site allows.
        """
        collection, path = self._collection(prepared), prepared.file.path
        earlier = self._claims.earlier_listed(path, prepared.kind, collection.key)
        chosen = self._matched(prepared, earlier, collection)
        self._match_trashed(prepared, collection, chosen)
        ids: dict[int, None] = {}
        for entry, match in zip(prepared.entries, chosen, strict=True):
            entry_id = entry.id or match or items.next_item_id(self._transaction, self._given_ids)
            request = requested(prepared, entry, entry_id)
            if entry_id in ids:
                raise request.error(f"is {entry_id}, as above", "each needs its own")
            if find_identity(self._transaction, prepared.kind, entry_id) is None:
                self._insert(entry, entry_id)
                self._claims.check(entry_id, request)
            else:
                self._claim_stored(entry_id, collection.key, request)
            ids[entry_id] = None
        self._check_limit(prepared, earlier, tuple(ids))
        return tuple(ids)

    def _collection(self, prepared: Prepared) -> Collection:
        return self._context.schema.collection(prepared.file.group)

    def _claim_stored(self, entry_id: int, collection: str, request: RequestedEntry) -> None:
        """Claim a stored item, also one from the trash. Raises InvalidFiles."""
        kind, transaction = request.kind, self._transaction
        holder = find_identity(transaction, kind, entry_id)
        if holder and holder.type != collection:
            problem = f'is {entry_id}, an {kind} of the collection "{holder.type}"'
            raise request.error(problem, "choose another id, or leave it out")
        if not entry_state.is_there(transaction, kind, entry_id):
            if part := self._described_part(kind, entry_id):
                remedy = (
                    f"choose another id, or leave it out; `sitecms trash restore {kind} {entry_id}` brings that back"
                )
                raise request.error(f"is {entry_id}, {part}, in the trash", remedy)
            if entry_state.origin_of(transaction, kind, entry_id, in_trash=True) in AS_IN_FILE:
                self._claims.check(entry_id, request)
                return
        self._claims.find(entry_id, request)

    def _described_part(self, kind: EntryKind, trashed_id: int) -> str | None:
        """Return what an id in the trash is a former version or a locale of; None if it is an entry of its own."""
        former_of = find_entry_of(self._transaction, kind, trashed_id)
        if former_of is not None:
            return f"a former version of the {kind} {former_of}"
        if part := find_part(self._transaction, kind, trashed_id):
            return f'the locale "{part[1]}" of the {kind} {part[0]}'
        return None

    def _check_limit(self, prepared: Prepared, earlier: Sequence[int], ids: Sequence[int]) -> None:
        """Raise InvalidFiles if the file adds items and the site then has more than it allows."""
        stored, limit = items.count_items(self._transaction), self._context.settings.limits.collection_items
        if stored + len(ids) <= limit:
            return
        path, kind = prepared.file.path, prepared.kind.value

        def is_there(entry_id: int) -> bool:
            return entry_state.is_there(self._transaction, kind, entry_id)

        before = {entry_id for entry_id in earlier if is_there(entry_id)}
        unlisted = {each for each in before.difference(ids) if not self._claims.is_elsewhere(path, (kind, each))}
        given_up = unlisted if self._context.prune else set[int]()
        total = stored + sum(not is_there(entry_id) for entry_id in ids) - len(given_up)
        if total > limit and len(set(ids) - before) > len(given_up):
            remedy = f"site.toml allows {limit} of all collections together: [limits] collection_items"
            if unlisted - given_up:
                remedy += "; --prune removes items that are no longer listed"
            raise InvalidFiles([FileError(path, "", f"brings the number of the site's items to {total}", remedy)])

    def _matched(self, prepared: Prepared, earlier: Sequence[int], collection: Collection) -> list[int | None]:
        """Return for each entry without an id the file's former one with the same label, else at the same place."""
        entries, absent = prepared.entries, self._claims.absent(prepared.file.path)
        stored = [
            item for item in VERSIONS[EntryKind.ITEM].of(self._transaction, earlier) if item.type == collection.key
        ]
        released = {entry_id for _kind, entry_id in self._claims.released}
        free = {item.id for item in stored} - {entry.id for entry in entries if entry.id} - released
        by_label: dict[str, list[int]] = defaultdict(list)
        for item in stored:
            by_label[_label(item.fields, collection)].append(item.id)
        chosen: list[int | None] = []
        for entry in entries:
            labels = [_label(version.change.fields, collection) for version in entry.versions if entry.id is None]
            match = next((item_id for label in labels for item_id in by_label[label] if item_id in free), None)
            free.discard(match or 0)
            chosen.append(match)
        for number, entry in enumerate(entries):
            same_place = earlier[number] if number < len(earlier) and earlier[number] not in absent else None
            if chosen[number] is None and entry.id is None and same_place in free:
                chosen[number] = same_place
                free.discard(same_place or 0)
        return chosen

    def _match_trashed(self, prepared: Prepared, collection: Collection, chosen: list[int | None]) -> None:
        """Choose a trashed item of the same label for each that is in no file, so that references to it hold again."""
        open_places = [number for number, entry in enumerate(prepared.entries) if (chosen[number] or entry.id) is None]
        by_label: dict[str, dict[int, None]] = defaultdict(dict)
        for item in items.trashed_items(self._transaction, collection.key) if open_places else ():
            pair = (prepared.kind.value, item.id)
            if item.id not in self._given_ids and not self._claims.is_elsewhere(prepared.file.path, pair):
                by_label[_label(item.fields, collection)][item.id] = None
        for number in open_places if by_label else ():
            labels = [_label(version.change.fields, collection) for version in prepared.entries[number].versions]
            free = (item_id for label in labels for item_id in by_label[label] if item_id not in chosen)
            chosen[number] = next(free, None)


def _label(fields: Mapping[str, object], collection: Collection) -> str:
    return str(fields.get(collection.label))
