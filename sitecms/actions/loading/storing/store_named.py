"""Storage of pages and items: first by name alone, so that files may refer to each other."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from sitecms.actions.loading.reading.file_checks import removed_notes
from sitecms.actions.loading.reading.prepared import Prepared
from sitecms.actions.loading.reading.raw import RawItems, RawPage
from sitecms.actions.loading.storing.changed_entries import WHOLE, ChangedEntries
from sitecms.actions.loading.storing.claim_named import claim_items, claim_page, release_items
from sitecms.actions.loading.storing.claims import Claims
from sitecms.actions.loading.storing.clean_entries import FieldCleaner, StoreLookup, clean_items, clean_page
from sitecms.actions.references import ItemsByValues
from sitecms.actions.writing.save_entry import save_page
from sitecms.content.change import EntryKind, ItemChange, Origin, PageChange
from sitecms.content.schema.types import ContentSchema
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Transaction
from sitecms.store.entries import items, pages

Pair = tuple[str, int]


class NamedEntries:
    """Steps `release`, `claim`, `clean` and `store`, each of which is done for all files before the next.

    `notes` are about removed markup, by path of the file.
    """

    def __init__(
        self,
        transaction: Transaction,
        settings: SiteSettings,
        schema: ContentSchema,
        claims: Claims,
        at: datetime,
        changed: ChangedEntries,
    ) -> None:
        self._transaction = transaction
        self._schema = schema
        self._limit = settings.limits.collection_items
        self._claims = claims
        self._at = at
        self._changed = changed
        self._wheres = ItemsByValues()
        self._ids: dict[str, list[int]] = {}
        self.notes: dict[str, tuple[str, ...]] = {}
        self._clean: dict[str, PageChange | tuple[ItemChange, ...]] = {}

    def release(self, prepared: Prepared) -> None:
        """Release the items that another file of the load names."""
        if isinstance(prepared.content, RawItems):
            collection = self._schema.collection(prepared.file.group)
            release_items(self._transaction, prepared.file.path, collection, prepared.content, self._claims)

    def claim(self, prepared: Prepared) -> tuple[Pair, ...]:
        """Find or make the entries that the file means, by name alone."""
        file, content = prepared.file, prepared.content
        if isinstance(content, RawPage):
            page_id = claim_page(self._transaction, file.path, file.group or None, content, self._claims, self._at)
            self._ids[file.path] = [page_id]
            return ((EntryKind.PAGE.value, page_id),)
        if not isinstance(content, RawItems):
            return ()
        collection = self._schema.collection(file.group)
        ids = claim_items(self._transaction, file.path, collection, content, self._claims, self._at, self._limit)
        self._ids[file.path] = ids
        for item_id, item in zip(ids, content.items, strict=True):
            for version in item.versions:
                self._wheres.add(file.group, item_id, dict(version.fields))
        return tuple((EntryKind.ITEM.value, item_id) for item_id in ids)

    def clean(self, prepared: Prepared) -> None:
        """Check what the file's entries hold."""
        file, content = prepared.file, prepared.content
        ids, lookup = self._ids[file.path], StoreLookup(self._transaction, prepared.media, self._wheres)
        if not isinstance(content, RawPage | RawItems):
            return
        cleaner = FieldCleaner(file.path, self._schema, lookup, content.locate, self._at)
        if isinstance(content, RawPage):
            self._clean[file.path] = clean_page(ids[0], file.group or None, content, cleaner, self._schema)
        else:
            self._clean[file.path] = clean_items(ids, file.group, content, cleaner, self._schema)
        self.notes[file.path] = tuple(removed_notes(file, cleaner.removed))

    def store(self, prepared: Prepared) -> Iterator[tuple[Pair, Mapping[str, str]]]:
        """Store what the file's entries hold; each with what was replaced of it."""
        change = self._clean[prepared.file.path]
        if isinstance(change, PageChange):
            yield (EntryKind.PAGE.value, change.id), self._store_page(change)
            return
        if self._changed.keeps_live:
            self._changed.remember(EntryKind.ITEM, items.item_versions(self._transaction, [each.id for each in change]))
        for each in change:
            pair = (EntryKind.ITEM.value, each.id)
            found = items.save_item(self._transaction, each, Origin.FILE, self._at)
            self._changed.save(pair, found)
            yield pair, {f"{each.id}.{name}": value for name, value in found.items()}
        self._place(prepared.file.path, [each.id for each in change])

    def _place(self, path: str, ids: Sequence[int]) -> None:
        """Keep the order of the file; items that changed places among those it had before count as changed.

        Items that it no longer lists come last, like those of requests, unless another file has them.
        """
        before = self._claims.earlier(path, EntryKind.ITEM)
        here, there = set(ids), set(before)
        left = [each for each in before if each not in here]
        items.place_last(
            self._transaction, [each for each in left if not self._claims.is_elsewhere(path, EntryKind.ITEM, each)]
        )
        if items.place_items(self._transaction, ids):
            self._changed.is_shown = True
        stayed = zip((each for each in before if each in here), (each for each in ids if each in there), strict=True)
        for old, new in stayed:
            if old != new:
                self._changed.save((EntryKind.ITEM.value, new), {WHOLE: ""})

    def _store_page(self, change: PageChange) -> Mapping[str, str]:
        pair = (EntryKind.PAGE.value, change.id)
        if self._changed.keeps_live:
            self._changed.remember(EntryKind.PAGE, pages.page_versions(self._transaction, change.id))
        found = save_page(self._transaction, change, self._schema, origin=Origin.FILE, at=self._at)
        self._changed.save(pair, found)
        if change.id in self._claims.renamed_pages:
            self._changed.save(pair, {WHOLE: change.slug})
        return found
