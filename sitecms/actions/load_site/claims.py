"""Which entries the files of this load mean: those they were loaded into before, those they name, or new ones."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import PurePath

from sitecms.actions.load_site.prepare_entries import RawItem, RawItems, RawPage
from sitecms.content.schema import Collection
from sitecms.content.write import EntryKind, Origin, PostChange
from sitecms.documents import Locate
from sitecms.errors import Fault, InvalidFiles
from sitecms.store import entries, items, pages, posts
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
        if owner != path:
            remedy = "each needs its own"
            if kind is EntryKind.PAGE:
                remedy += "; a page in several locales is one .yaml file, with fields: {en: {...}, es: {...}}"
            raise InvalidFiles([Fault(path, place, f'is "{name}", as in {owner}', remedy, line)])
        self._owner[kind.value, entry_id] = path

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


def claim_items(
    transaction: Transaction, path: str, collection: Collection, raw: RawItems, claims: Claims, at: datetime
) -> list[int]:
    """The items that the file means, in its order; those that are new are made.

    An item without an id is the one this file had before with the same label, else the one at the same place.
    Raises InvalidFiles where an id stands twice or belongs to another file or collection.
    """
    earlier = claims.earlier_items(path, collection.key)
    chosen = _matched(transaction, earlier, collection, raw.items)
    ids: list[int] = []
    for number, (item, match) in enumerate(zip(raw.items, chosen, strict=True)):
        item_id = item.id or match or items.next_item_id(transaction, claims.given_ids)
        if item_id in ids:
            line = raw.locate((number, "id"))
            raise InvalidFiles([Fault(path, f"[{number}].id", f"is {item_id}, as above", "each needs its own", line)])
        if items.find_collection_of(transaction, item_id) is None:
            items.insert_item(transaction, collection.key, Origin.FILE, at, item_id)
        _check_item(transaction, path, collection.key, item_id, number, raw, claims)
        ids.append(item_id)
    return ids


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
    transaction: Transaction, earlier: tuple[int, ...], collection: Collection, raw: Sequence[RawItem]
) -> list[int | None]:
    stored = [item for item in items.item_versions(transaction, earlier) if item.collection == collection.key]
    free = {item.id for item in stored} - {item.id for item in raw if item.id}
    by_label: dict[str, list[int]] = defaultdict(list)
    for item in stored:
        by_label[str(item.fields.get(collection.label))].append(item.id)
    chosen: list[int | None] = []
    for entry in raw:
        labels = [str(version.fields.get(collection.label)) for version in entry.versions if entry.id is None]
        match = next((item_id for label in labels for item_id in by_label[label] if item_id in free), None)
        free.discard(match or 0)
        chosen.append(match)
    for number, entry in enumerate(raw):
        if chosen[number] is None and entry.id is None and number < len(earlier) and earlier[number] in free:
            chosen[number] = earlier[number]
            free.discard(earlier[number])
    return chosen
