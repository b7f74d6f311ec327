"""Which entries the files of this load mean: those they were loaded into before, those they name, or new ones."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from pathlib import PurePath

from sitecms.actions.load_site.prepare_entries import RawItem, RawItems, RawPage
from sitecms.content.schema import Collection
from sitecms.content.write import EntryKind, Origin, PostChange
from sitecms.documents import Locate
from sitecms.errors import Fault, InvalidFiles
from sitecms.store import entries, items, pages, posts, writes
from sitecms.store.database import Transaction
from sitecms.store.loaded_files import LoadedFile


class Claims:
    """Entries by the file that owns them, for one load; `given_ids` are the item ids that files of it name."""

    def __init__(
        self, known: Mapping[str, LoadedFile], present: frozenset[str], given_ids: frozenset[int] = frozenset()
    ) -> None:
        self._known = known
        self._present = present
        self._owner = {entry: path for path, file in known.items() if path in present for entry in file.entries}
        self._left = {entry: path for path, file in known.items() if path not in present for entry in file.entries}
        self.given_ids = given_ids
        self.released: set[int] = set()

    def earlier(self, path: str, kind: EntryKind) -> tuple[int, ...]:
        """The entries the file was loaded into before."""
        file = self._known.get(path)
        return tuple(key for of, key in file.entries if of == kind.value) if file else ()

    def earlier_items(self, path: str, collection: str) -> tuple[int, ...]:
        """The items the file was loaded into before or, for a new file, those that a file left which is gone."""
        if found := self.earlier(path, EntryKind.ITEM):
            return found
        items_left = {pair: of for pair, of in self._left.items() if pair[0] == EntryKind.ITEM}
        same = {pair for pair, of in items_left.items() if PurePath(of).stem == collection} - self._owner.keys()
        return tuple(sorted(item_id for _kind, item_id in same))

    def check(self, path: str, kind: EntryKind, entry_id: int, place: str, name: str, line: int | None = None) -> None:
        """Raises InvalidFiles if the entry belongs to another file that is still there."""
        owner = self._owner.get((kind.value, entry_id), path)
        if owner != path and not (kind is EntryKind.ITEM and entry_id in self.released):
            remedy = "each needs its own"
            if kind is EntryKind.PAGE:
                remedy += "; a page in several locales is one .yaml file, with fields: {en: {...}, es: {...}}"
            raise InvalidFiles([Fault(path, place, f'is "{name}", as in {owner}', remedy, line)])
        self._owner[kind.value, entry_id] = path
        if kind is EntryKind.ITEM:
            self.released.discard(entry_id)

    def is_elsewhere(self, path: str, kind: EntryKind, entry_id: int) -> bool:
        """Whether the entry belongs to another file."""
        return self._owner.get((kind.value, entry_id), path) != path

    def refuse(self, path: str, kind: EntryKind, entry_id: int, slug: str, line: int | None) -> None:
        """Raises InvalidFiles: the file has its own entry, so it cannot have this one's slug."""
        self.check(path, kind, entry_id, "slug", slug, line)
        problem, remedy = f'is "{slug}", the slug of another {kind}', "choose another one"
        if left := self._left.get((kind.value, entry_id)):
            problem = f'is "{slug}", as in {left}, which is gone while its {kind} is kept'
            remedy = "load with --prune to remove that one, or choose another slug"
        raise InvalidFiles([Fault(path, "slug", problem, remedy, line)])


def claim_post(transaction: Transaction, path: str, change: PostChange, claims: Claims, locate: Locate) -> int | None:
    """The post that the file means; None: a new one."""
    mine = claims.earlier(path, EntryKind.POST)
    there = [post_id for post_id in mine if entries.is_there(transaction, EntryKind.POST.value, post_id)]
    holder = posts.find_post_id(transaction, change.slug)
    if holder is None or holder in there:
        return there[0] if there else None
    line = locate(("slug",))
    if there:
        claims.refuse(path, EntryKind.POST, holder, change.slug, line)
    claims.check(path, EntryKind.POST, holder, "slug", change.slug, line)
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
    raise InvalidFiles([Fault(path, "id", problem, remedy, locate(("id",)))])


def _is_taken(transaction: Transaction, post_id: int) -> bool:
    """Whether there is, or is about to be, a post of that id."""
    is_promised = writes.find_creation(transaction, EntryKind.POST, post_id) is not None
    return is_promised or posts.id_is_taken(transaction, post_id)


def claim_page(
    transaction: Transaction, path: str, page_type: str | None, page: RawPage, claims: Claims, at: datetime
) -> int:
    """The page that the file means, made if it is new; from now on it has the slug that the file gives it."""
    mine = claims.earlier(path, EntryKind.PAGE)
    there = [page_id for page_id in mine if entries.is_there(transaction, EntryKind.PAGE.value, page_id)]
    holder = pages.find_page_id(transaction, page_type, page.slug)
    line = page.locate(("slug",))
    if there and holder not in (None, there[0]):
        claims.refuse(path, EntryKind.PAGE, holder or 0, page.slug, line)
    if there:
        pages.rename_page(transaction, there[0], page.slug, Origin.FILE)
        return there[0]
    found = holder or pages.insert_page(transaction, page_type, page.slug, page.title, Origin.FILE, at)
    claims.check(path, EntryKind.PAGE, found, "slug", page.slug, line)
    return found


def release_items(transaction: Transaction, path: str, collection: Collection, raw: RawItems, claims: Claims) -> None:
    """Let go of the items that the file no longer has, by id or by label, and that another file of this load names."""
    wanted = claims.given_ids.intersection(claims.earlier(path, EntryKind.ITEM))
    wanted -= {item.id for item in raw.items if item.id}
    if wanted:
        labels = {_label(version.fields, collection) for item in raw.items for version in item.versions if not item.id}
        stored = items.item_versions(transaction, tuple(wanted))
        claims.released |= wanted - {item.id for item in stored if _label(item.fields, collection) in labels}


def claim_items(
    transaction: Transaction,
    path: str,
    collection: Collection,
    raw: RawItems,
    claims: Claims,
    at: datetime,
    limit: int,
) -> list[int]:
    """The items that the file means, in its order; those that are new are made.

    An item without an id is the one this file had before with the same label, else the one at the same place, else
    one of the same label that a file left in the trash. Raises InvalidFiles where an id stands twice or belongs to
    another file or collection, and where there are more items than `limit`, of all collections.
    """
    earlier = claims.earlier_items(path, collection.key)
    chosen = _matched(transaction, earlier, collection, raw.items, claims.released)
    _match_trashed(transaction, path, collection, raw.items, claims, chosen)
    ids: dict[int, None] = {}
    for number, (item, match) in enumerate(zip(raw.items, chosen, strict=True)):
        item_id = item.id or match or items.next_item_id(transaction, claims.given_ids)
        if item_id in ids:
            line = raw.locate((number, "id"))
            raise InvalidFiles([Fault(path, f"[{number}].id", f"is {item_id}, as above", "each needs its own", line)])
        if items.find_collection_of(transaction, item_id) is None:
            items.insert_item(transaction, collection.key, Origin.FILE, at, item_id)
        _check_item(transaction, path, collection.key, item_id, number, raw, claims)
        ids[item_id] = None
    _check_limit(transaction, path, earlier, list(ids), claims, limit)
    return list(ids)


def _check_limit(
    transaction: Transaction, path: str, earlier: Sequence[int], ids: Sequence[int], claims: Claims, limit: int
) -> None:
    """Raises InvalidFiles where the file adds items and there are more than the limit."""
    held = items.count_items(transaction)
    if held + len(ids) <= limit:
        return

    def is_there(item_id: int) -> bool:
        return entries.is_there(transaction, EntryKind.ITEM.value, item_id)

    before = {item_id for item_id in earlier if is_there(item_id)}
    given_up = {item_id for item_id in before.difference(ids) if not claims.is_elsewhere(path, EntryKind.ITEM, item_id)}
    total = held + sum(not is_there(item_id) for item_id in ids) - len(given_up)
    if total > limit and len(ids) > len(before):
        remedy = f"site.toml allows {limit} of all collections together: [limits] collection_items"
        raise InvalidFiles([Fault(path, "", f"makes the items of the site {total}", remedy)])


def _check_item(
    transaction: Transaction, path: str, collection: str, item_id: int, number: int, raw: RawItems, claims: Claims
) -> None:
    holder = items.find_collection_of(transaction, item_id)
    line = raw.locate((number, "id"))
    if holder != collection:
        problem = f'is {item_id}, an item of the collection "{holder}"'
        raise InvalidFiles([Fault(path, f"[{number}].id", problem, "choose another id, or leave it out", line)])
    claims.check(path, EntryKind.ITEM, item_id, f"[{number}].id", str(item_id), line)


def _matched(
    transaction: Transaction,
    earlier: tuple[int, ...],
    collection: Collection,
    raw: Sequence[RawItem],
    released: Set[int],
) -> list[int | None]:
    stored = [item for item in items.item_versions(transaction, earlier) if item.collection == collection.key]
    free = {item.id for item in stored} - {item.id for item in raw if item.id} - released
    by_label: dict[str, list[int]] = defaultdict(list)
    for item in stored:
        by_label[_label(item.fields, collection)].append(item.id)
    chosen: list[int | None] = []
    for entry in raw:
        labels = [_label(version.fields, collection) for version in entry.versions if entry.id is None]
        match = next((item_id for label in labels for item_id in by_label[label] if item_id in free), None)
        free.discard(match or 0)
        chosen.append(match)
    for number, entry in enumerate(raw):
        if chosen[number] is None and entry.id is None and number < len(earlier) and earlier[number] in free:
            chosen[number] = earlier[number]
            free.discard(earlier[number])
    return chosen


def _match_trashed(
    transaction: Transaction,
    path: str,
    collection: Collection,
    raw: Sequence[RawItem],
    claims: Claims,
    chosen: list[int | None],
) -> None:
    """Choose for items that are in no file a trashed one of the same label: what named it names it again."""
    open_places = [number for number, entry in enumerate(raw) if chosen[number] is None and entry.id is None]
    by_label: dict[str, dict[int, None]] = defaultdict(dict)
    for item in items.trashed_items(transaction, collection.key, Origin.FILE) if open_places else ():
        if item.id not in claims.given_ids and not claims.is_elsewhere(path, EntryKind.ITEM, item.id):
            by_label[_label(item.fields, collection)][item.id] = None
    for number in open_places if by_label else ():
        labels = [_label(version.fields, collection) for version in raw[number].versions]
        free = (item_id for label in labels for item_id in by_label[label] if item_id not in chosen)
        chosen[number] = next(free, None)


def _label(fields: Mapping[str, object], collection: Collection) -> str:
    return str(fields.get(collection.label))
