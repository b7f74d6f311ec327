"""Assignment of pages and items to files: entries that exist are found, others are created by name alone."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from datetime import datetime

from sitecms.actions.loading.reading.raw import RawItem, RawItems, RawPage
from sitecms.actions.loading.storing.claims import Claims, RequestedEntry
from sitecms.content.change import EntryKind, Origin
from sitecms.content.schema import Collection
from sitecms.errors import FileError, InvalidFiles
from sitecms.store.database import Transaction
from sitecms.store.entries import entry_state, items, pages
from sitecms.store.entries.trash import find_entry_of, find_part
from sitecms.store.writes.reservations import page_name
from sitecms.store.writes.writes import find_creation


def claim_page(
    transaction: Transaction, path: str, page_type: str | None, page: RawPage, claims: Claims, at: datetime
) -> int:
    """Return the id of the file's page, created if it is new, and give the page the slug of the file."""
    mine = claims.earlier(path, EntryKind.PAGE)
    there = [page_id for page_id in mine if entry_state.is_there(transaction, EntryKind.PAGE.value, page_id)]
    holder = pages.find_page_id(transaction, page_type, page.slug)
    line = page.locate(("slug",))
    if there and holder not in (None, there[0]):
        claims.refuse(path, EntryKind.PAGE, holder or 0, page.slug, line)
    requested = RequestedEntry(path, "slug", page.slug, lambda: line, page.adopt)
    _check_page_id(transaction, path, page, there[0] if there else holder)
    if not there and holder is not None:
        claims.find(EntryKind.PAGE, holder, requested)
        return holder
    claims.check_reserved(EntryKind.PAGE, page_name(page_type, page.slug), there[0] if there else None, requested)
    if there:
        if pages.rename_page(transaction, there[0], page.slug, Origin.FILE):
            claims.renamed_pages.add(there[0])
        return there[0]
    found = pages.insert_page(transaction, page_type, page.slug, page.title, Origin.FILE, at, page.id)
    claims.check(path, EntryKind.PAGE, found, "slug", page.slug, line)
    return found


def _check_page_id(transaction: Transaction, path: str, page: RawPage, page_id: int | None) -> None:
    """Raise InvalidFiles if the file gives its page an id that the page cannot have."""
    if page.id in (None, page_id):
        return
    problem, remedy = f"is {page.id}, the id of another page", "choose another id, or leave it out"
    if page_id is not None:
        problem, remedy = f"is {page.id}, while this page has the id {page_id}, which never changes", "leave it out"
    elif not entry_state.exists(transaction, EntryKind.PAGE, page.id or 0) and not find_creation(
        transaction, EntryKind.PAGE, page.id or 0
    ):
        return
    raise InvalidFiles([FileError(path, "id", problem, remedy, page.locate(("id",)))])


def release_items(transaction: Transaction, path: str, collection: Collection, raw: RawItems, claims: Claims) -> None:
    """Release the items that the file no longer has, by id or label, and that another file of this load names."""
    requested = claims.given_ids.intersection(claims.earlier(path, EntryKind.ITEM))
    requested -= {item.id for item in raw.items if item.id}
    if requested:
        labels = {_label(version.fields, collection) for item in raw.items for version in item.versions if not item.id}
        stored = items.item_versions(transaction, tuple(requested))
        claims.released |= requested - {item.id for item in stored if _label(item.fields, collection) in labels}


def claim_items(
    transaction: Transaction,
    path: str,
    collection: Collection,
    raw: RawItems,
    claims: Claims,
    at: datetime,
    limit: int,
) -> list[int]:
    """Return the ids of the file's items, in its order; create new items.

    An item without an id is the file's former item with the same label, else the one at the same place, else a deleted
    one with the same label. Raises InvalidFiles if an id is used twice or belongs to another file or collection, and if
    all collections together have more items than `limit`.
    """
    earlier = claims.earlier_items(path, collection.key)
    absent = {item_id for item_id in earlier if claims.is_absent(path, item_id)}
    chosen = _matched(transaction, earlier, absent, collection, raw.items, claims.released)
    _match_trashed(transaction, path, collection, raw.items, claims, chosen)
    ids: dict[int, None] = {}
    for number, (item, match) in enumerate(zip(raw.items, chosen, strict=True)):
        item_id = item.id or match or items.next_item_id(transaction, claims.given_ids)
        if item_id in ids:
            line = raw.locate((number, "id"))
            raise InvalidFiles(
                [FileError(path, f"[{number}].id", f"is {item_id}, as above", "each needs its own", line)]
            )
        if items.find_collection_of(transaction, item_id) is None:
            items.insert_item(transaction, collection.key, Origin.FILE, at, item_id)
            claims.check(path, EntryKind.ITEM, item_id, f"[{number}].id", str(item_id), raw.locate((number, "id")))
        else:
            _check_item(transaction, path, collection.key, item_id, number, raw, claims)
        ids[item_id] = None
    _check_limit(transaction, path, earlier, list(ids), claims, limit)
    return list(ids)


def _check_limit(
    transaction: Transaction, path: str, earlier: Sequence[int], ids: Sequence[int], claims: Claims, limit: int
) -> None:
    """Raise InvalidFiles if the file adds items and the site then has more than the limit."""
    held = items.count_items(transaction)
    if held + len(ids) <= limit:
        return

    def is_there(item_id: int) -> bool:
        return entry_state.is_there(transaction, EntryKind.ITEM.value, item_id)

    before = {item_id for item_id in earlier if is_there(item_id)}
    given_up = {item_id for item_id in before.difference(ids) if not claims.is_elsewhere(path, EntryKind.ITEM, item_id)}
    unlisted, given_up = given_up, given_up if claims.prune else set()
    total = held + sum(not is_there(item_id) for item_id in ids) - len(given_up)
    if total > limit and len(set(ids) - before) > len(given_up):
        remedy = f"site.toml allows {limit} of all collections together: [limits] collection_items"
        if unlisted - given_up:
            remedy += "; --prune removes items that are no longer listed"
        raise InvalidFiles([FileError(path, "", f"brings the number of the site's items to {total}", remedy)])


def _check_item(
    transaction: Transaction, path: str, collection: str, item_id: int, number: int, raw: RawItems, claims: Claims
) -> None:
    holder = items.find_collection_of(transaction, item_id)
    line = raw.locate((number, "id"))
    if holder != collection:
        problem = f'is {item_id}, an item of the collection "{holder}"'
        raise InvalidFiles([FileError(path, f"[{number}].id", problem, "choose another id, or leave it out", line)])
    if not entry_state.is_there(transaction, EntryKind.ITEM, item_id):
        if part := _describe_trashed(transaction, item_id):
            remedy = f"choose another id, or leave it out; `sitecms trash restore item {item_id}` brings that back"
            raise InvalidFiles([FileError(path, f"[{number}].id", f"is {item_id}, {part}, in the trash", remedy, line)])
        if entry_state.origin_of(transaction, EntryKind.ITEM, item_id, in_trash=True) == Origin.FILE:
            claims.check(path, EntryKind.ITEM, item_id, f"[{number}].id", str(item_id), line)
            return
    requested = RequestedEntry(path, f"[{number}].id", str(item_id), lambda: line, raw.items[number].adopt)
    claims.find(EntryKind.ITEM, item_id, requested)


def _describe_trashed(transaction: Transaction, trashed_id: int) -> str | None:
    """Return the item that an id in the trash is a former version or a locale of; None if it is an item of its own."""
    former_of = find_entry_of(transaction, EntryKind.ITEM, trashed_id)
    if former_of is not None:
        return f"a former version of the item {former_of}"
    if part := find_part(transaction, EntryKind.ITEM, trashed_id):
        return f'the locale "{part[1]}" of the item {part[0]}'
    return None


def _matched(
    transaction: Transaction,
    earlier: tuple[int, ...],
    absent: Set[int],
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
        same_place = earlier[number] if number < len(earlier) and earlier[number] not in absent else None
        if chosen[number] is None and entry.id is None and same_place in free:
            chosen[number] = same_place
            free.discard(same_place or 0)
    return chosen


def _match_trashed(
    transaction: Transaction,
    path: str,
    collection: Collection,
    raw: Sequence[RawItem],
    claims: Claims,
    chosen: list[int | None],
) -> None:
    """Choose a trashed item of the same label for each item that is in no file, so that references to it hold again."""
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
