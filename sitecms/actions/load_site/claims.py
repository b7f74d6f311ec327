"""Which entries the files of this load mean: those they were loaded into before, those they name, or new ones."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sitecms.actions.load_site.prepare_entries import RawItem, RawItems, RawPage
from sitecms.content.schema import Collection
from sitecms.content.write import EntryKind, Origin, PostChange
from sitecms.errors import Fault, InvalidFiles
from sitecms.store import entries, items, pages, posts
from sitecms.store.database import Transaction
from sitecms.store.loaded_files import LoadedFile


class Claims:
    """Entries by the file that owns them, for one load."""

    def __init__(self, known: Mapping[str, LoadedFile], present: frozenset[str]) -> None:
        self._known = known
        self._owner = {entry: path for path, file in known.items() if path in present for entry in file.entries}

    def earlier(self, path: str, kind: EntryKind) -> tuple[int, ...]:
        """The entries the file was loaded into before."""
        file = self._known.get(path)
        return tuple(key for of, key in file.entries if of == kind.value) if file else ()

    def check(self, path: str, kind: EntryKind, entry_id: int, place: str, name: str) -> None:
        """Raises InvalidFiles if the entry belongs to another file that is still there."""
        owner = self._owner.get((kind.value, entry_id), path)
        if owner != path:
            raise InvalidFiles([Fault(path, place, f'is "{name}", as in {owner}', "each needs its own")])
        self._owner[kind.value, entry_id] = path


def claim_post(transaction: Transaction, path: str, change: PostChange, claims: Claims) -> int | None:
    """The post that the file means; None: a new one."""
    for post_id in claims.earlier(path, EntryKind.POST):
        if entries.is_there(transaction, EntryKind.POST.value, post_id):
            return post_id
    post_id_found = posts.find_post_id(transaction, change.slug)
    if post_id_found is not None:
        claims.check(path, EntryKind.POST, post_id_found, "slug", change.slug)
    return post_id_found


def claim_page(
    transaction: Transaction, path: str, page_type: str | None, page: RawPage, claims: Claims, at: datetime
) -> tuple[int, bool]:
    """The page that the file means, made if it is new; and whether it was."""
    for page_id in claims.earlier(path, EntryKind.PAGE):
        if entries.is_there(transaction, EntryKind.PAGE.value, page_id):
            return page_id, False
    found = pages.find_page_id(transaction, page_type, page.slug)
    if found is not None:
        claims.check(path, EntryKind.PAGE, found, "slug", page.slug)
        return found, False
    made = pages.insert_page(transaction, page_type, page.slug, page.title, Origin.FILE, at)
    claims.check(path, EntryKind.PAGE, made, "slug", page.slug)
    return made, True


def claim_items(
    transaction: Transaction, path: str, collection: Collection, raw: RawItems, claims: Claims, at: datetime
) -> tuple[list[int], list[int]]:
    """The items that the file means, in its order, and those of them that are new.

    An item without an id is the one this file had before with the same label, else the one at the same place.
    Raises InvalidFiles where an id stands twice or belongs to another file or collection.
    """
    earlier = claims.earlier(path, EntryKind.ITEM)
    chosen = _matched(transaction, earlier, collection, raw.items)
    seen: set[int] = set()
    new = []
    ids = []
    for number, (item, match) in enumerate(zip(raw.items, chosen, strict=True)):
        item_id = item.id or match
        if item_id is not None and item_id in seen:
            line = raw.locate((number, "id"))
            raise InvalidFiles([Fault(path, f"[{number}].id", f"is {item_id}, as above", "each needs its own", line)])
        if item_id is None or items.find_collection_of(transaction, item_id) is None:
            item_id = items.insert_item(transaction, collection.key, Origin.FILE, at, item_id)
            new.append(item_id)
        _check_item(transaction, path, collection.key, item_id, number, raw, claims)
        seen.add(item_id)
        ids.append(item_id)
    return ids, new


def _check_item(
    transaction: Transaction, path: str, collection: str, item_id: int, number: int, raw: RawItems, claims: Claims
) -> None:
    holder = items.find_collection_of(transaction, item_id)
    if holder != collection:
        problem = f'is {item_id}, an item of the collection "{holder}"'
        line = raw.locate((number, "id"))
        raise InvalidFiles([Fault(path, f"[{number}].id", problem, "choose another id, or leave it out", line)])
    claims.check(path, EntryKind.ITEM, item_id, f"[{number}].id", str(item_id))


def _matched(
    transaction: Transaction, earlier: tuple[int, ...], collection: Collection, raw: Sequence[RawItem]
) -> list[int | None]:
    stored = items.item_versions(transaction, earlier) if earlier else ()
    by_label = {str(item.fields.get(collection.label)): item.id for item in reversed(stored)}
    free = {item.id for item in stored} - {item.id for item in raw if item.id}
    chosen: list[int | None] = []
    for item in raw:
        labels = [str(version.fields.get(collection.label)) for version in item.versions]
        match = next((by_label[label] for label in labels if by_label.get(label) in free), None)
        match = None if item.id else match
        free.discard(match or 0)
        chosen.append(match)
    for number, item in enumerate(raw):
        if chosen[number] is None and item.id is None and number < len(earlier) and earlier[number] in free:
            chosen[number] = earlier[number]
            free.discard(earlier[number])
    return chosen
