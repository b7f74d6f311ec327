"""References of entries: found in what is written, looked up in the store, and followed level by level."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sitecms.content.entry import Entry
from sitecms.content.fields import ItemMatch, RawReference
from sitecms.content.fields.group import targets_in
from sitecms.content.kinds import KINDS, EntryKind, declared_fields
from sitecms.content.query import Visibility
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, ItemTarget, PageTarget, Target
from sitecms.content.response_size import SizeLimit
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.errors import NotFound
from sitecms.store.database import Session
from sitecms.store.entries import items, pages
from sitecms.store.entries.entry_queries import MAX_STORED_BYTES
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.references import find_targets, visible_targets
from sitecms.store.entries.versions import VERSIONS

Find: TypeAlias = Callable[[frozenset[Target]], Mapping[Target, Entry]]


def expand_references(
    entries: Iterable[Entry], schema: ContentSchema, *, levels: int, find: Find
) -> dict[Target, Entry]:
    """Return the entries that are shown at `levels` levels of references; 1 means none (API reference, Parameters).

    `find` returns the targets that exist and are visible; each level is one look-up, however many entries it has.
    """
    found: dict[Target, Entry] = {}
    frontier: Iterable[Entry] = entries
    for _level in range(levels - 1):
        wanted = {target for entry in frontier for target in targets_of(entry, schema)} - found.keys()
        if not wanted:
            break
        new = find(frozenset(wanted))
        found.update(new)
        frontier = new.values()
    return found


def target_of(entry: Entry) -> Target:
    """Return the target by which references name this entry."""
    if KINDS[entry.kind].has_slug:
        return PageTarget(entry.type, entry.slug)
    return ItemTarget(entry.type, entry.id)


def specs_of(entry: Entry, schema: ContentSchema) -> tuple[FieldSpec, ...]:
    """Return the declared fields of this entry; none if the schema no longer has its type."""
    try:
        return declared_fields(schema, entry.kind, entry.type, entry.slug)
    except NotFound:
        return ()


def targets_of(entry: Entry, schema: ContentSchema) -> Iterator[Target]:
    """Yield the targets in the entry's own fields, components and repeaters included."""
    return targets_in(entry.fields, specs_of(entry, schema), schema)


class ItemsByValues:
    """Search of items by the values of their fields: among the items of a running load first, then in the store."""

    def __init__(self) -> None:
        self._loading: dict[str, list[tuple[int, dict[str, object]]]] = {}
        self._indexes: dict[tuple[str, tuple[str, ...]], dict[tuple[object, ...], int]] = {}

    def add(self, collection: str, item_id: int, fields: dict[str, object]) -> None:
        """Add an item of the running load, whose fields are not in the store yet."""
        self._loading.setdefault(collection, []).append((item_id, fields))
        self._indexes.clear()

    def find(self, session: Session, match: ItemMatch) -> int | None:
        """Return the id of the first item that has these values in any locale, or None."""
        names = tuple(sorted(match.where))
        key = match.collection, names
        if key not in self._indexes:
            self._indexes[key] = self._index(session, match.collection, names)
        return self._indexes[key].get(tuple(match.where[name] for name in names))

    def _index(self, session: Session, collection: str, names: Sequence[str]) -> dict[tuple[object, ...], int]:
        """Return the first item of a collection by its values of these fields; lists and objects never match."""
        loading = self._loading.get(collection, ())
        ids = {item_id for item_id, _ in loading}
        stored = (
            (item.id, item.fields)
            for item in VERSIONS[EntryKind.ITEM].of_type(session, collection)
            if item.id not in ids
        )
        index: dict[tuple[object, ...], int] = {}
        for item_id, fields in (*loading, *stored):
            values = tuple(fields.get(name) for name in names)
            if not any(isinstance(value, list | dict) for value in values):
                index.setdefault(values, item_id)
        return index


def find_reference(
    session: Session, targets: tuple[str, ...], raw: RawReference, by_values: ItemsByValues
) -> Target | None:
    """Return the entry that the reference means, or None; the first target that has such an entry wins."""
    match raw:
        case int():
            collections = tuple(target for target in targets if not target.startswith(PAGE_TARGET_PREFIX))
            collection = items.item_exists(session, raw, collections)
            return ItemTarget(collection, raw) if collection else None
        case str():
            page = pages.find_page_by_slug(session, raw, page_types_of(targets))
            return PageTarget(*page) if page else None
        case ItemTarget():
            return raw if items.item_exists(session, raw.id, (raw.collection,)) else None
        case PageTarget():
            return raw if find_named(session, EntryKind.PAGE, raw.page_type, raw.slug) else None
        case ItemMatch():
            item_id = by_values.find(session, raw)
            return ItemTarget(raw.collection, item_id) if item_id else None


def page_types_of(targets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the page types among the targets of a reference; "" stands for Single Pages."""
    names = (target.removeprefix(PAGE_TARGET_PREFIX) for target in targets if target.startswith(PAGE_TARGET_PREFIX))
    return tuple("" if name == SINGLE_PAGES else name for name in names)


class References(Struct, frozen=True):
    """Referenced entries within the requested levels, and the visible targets `beyond` them."""

    entries: Mapping[Target, Entry]
    beyond: frozenset[Target]

    def may_name(self, target: Target) -> bool:
        """Return whether the target is visible to the reader."""
        return target in self.beyond or target in self.entries


def resolve_references(
    session: Session, entries: Sequence[Entry], schema: ContentSchema, scope: Visibility, levels: int
) -> References:
    """Follow the references of the entries `levels` deep, with two queries for each level.

    Targets that are unpublished or not in the locale are left out, at the last level too. Raises InvalidRequest if
    the entries exceed the size of an answer.
    """
    limit = SizeLimit(MAX_STORED_BYTES)
    entries_by_target = expand_references(
        entries, schema, levels=levels, find=lambda targets: find_targets(session, targets, scope, limit)
    )
    named = {target for entry in (*entries, *entries_by_target.values()) for target in targets_of(entry, schema)}
    return References(entries_by_target, visible_targets(session, named - entries_by_target.keys(), scope))
