"""Items: one YAML list for each collection, in the order of the collection.

An entry without an id gets its id when something refers to it: a clone gives ids in the order of the files.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sitecms.actions.exporting.entry_files import drafts_over
from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.syncing.edits import Edit, NotWritten, Plan
from sitecms.actions.syncing.entry_merge import EntryMerge
from sitecms.actions.syncing.media_places import place_media
from sitecms.actions.syncing.site_files import CHANGED, SiteFiles
from sitecms.actions.syncing.whole_entries import Used, entries_in_file, stored_entries
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.documents import read_yaml
from sitecms.documents.rewriting import rewrite_file
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_rows import find_identity
from sitecms.store.entries.items import places_of
from sitecms.store.entries.references import referred_items
from sitecms.store.site_state.file_changes import note_file_change
from sitecms.store.site_state.loaded_files import LoadedFile, find_depending, find_loaded_file

_ENDINGS = (".yaml", ".yml")


def collection_file(session: Session, item_id: int) -> str:
    """Return the path of the file that lists an item, whether it exists or not."""
    item = find_identity(session, EntryKind.ITEM, item_id)
    paths = [f"content/collections/{item.type if item else ''}{ending}" for ending in _ENDINGS]
    return next((path for path in paths if find_loaded_file(session, path)), paths[0])


def plan_items(site: SiteFiles, session: Session, kind: EntryKind, changed: Sequence[int]) -> Plan:
    """Return the edit that makes the file of a collection say of these items what the store has."""
    path = collection_file(session, changed[0])
    collection = path.rpartition("/")[2].rpartition(".")[0]
    if collection not in site.schema.collections:
        raise NotWritten(f"the {KINDS[kind].type_label} {collection} is not declared")
    loaded, order = find_loaded_file(session, path), tuple(places_of(session, collection))
    file = site.current(loaded) if loaded else None
    there, absent, undated = dict[int, Any](), set[int](), list[tuple[str, int]]()
    if loaded and file:
        there = _written(file, loaded, order)
        absent = {item_id for _kind, item_id in loaded.absent} - set(changed)
        undated = [pair for pair in loaded.undated if pair[1] not in changed]
    stored = stored_entries(session, site, kind, [each for each in order if each in changed or each not in there])
    media = place_media(session, site.folder, [text for each in stored.values() for text in each.texts], loaded)
    numbers = {item_id: number for number, item_id in enumerate(there) if item_id in stored}
    old, used = entries_in_file(session, site, file, loaded, stored, numbers) if file else ({}, {})
    has_unnamed = any("id" not in there[item_id] for item_id in numbers)
    referred = referred_items(session, collection) if has_unnamed else frozenset()
    entries = dict[int, dict[str, Any]]()
    for item_id in (item_id for item_id in order if item_id not in absent):
        if item_id not in stored:
            entry = there[item_id]
        else:
            merge = EntryMerge(
                site, media, site.schema.collection(collection).fields, stored[item_id], old.get(item_id)
            )
            entry = _entry(merge, there.get(item_id), is_referred=item_id in referred)
        if entry is not None:
            entries[item_id] = entry
    before = file.file.read_bytes() if file else site.check_free(session, path)
    is_written = file is None and before is not None  # by an interrupted write-back
    after = before if is_written else rewrite_file(path, before or b"", [*entries.values()])
    pairs = [(kind.value, item_id) for item_id in entries]
    known = {**loaded.media, **loaded.links, **used} if loaded and file else None
    return Plan(
        (Edit(path, before, after),),
        media.copies(),
        row=partial(_row, site, path, loaded, pairs, known, undated),
        note_others=partial(note_referring, path, frozenset((kind.value, item_id) for item_id in changed)),
        with_drafts=frozenset(
            item_id for item_id, each in stored.items() if drafts_over(each.versions, site.settings.locales)
        ),
    )


def _entry(merge: EntryMerge, written: Mapping[str, Any] | None, *, is_referred: bool) -> dict[str, Any] | None:
    """Return the entry of an item, of which None is written yet; None if it is in no locale of the site."""
    if not merge.in_locales():
        return None
    item_id = merge.new.first.id
    if written is None:
        return {"id": item_id, **merge.new_entry()}
    entry, _text = merge.merged(written, None)
    return {"id": item_id} | entry if is_referred else entry


def note_referring(path: str, changed: frozenset[tuple[str, int]], transaction: Transaction) -> None:
    """Note the entries of files that name items of this one by their values, which may be others now."""
    for kind, entry_id in find_depending(transaction, path):
        if (kind, entry_id) not in changed:
            note_file_change(transaction, EntryKind(kind), entry_id)


def _written(file: ContentFile, loaded: LoadedFile, order: Sequence[int]) -> dict[int, Any]:
    """Return the entries of a file by the ids of the items.

    In one that was written after its record, by an interrupted write-back, those without an id are in their order.
    """
    written: Any = read_yaml(file.file, file.path) or []
    ids = [item_id for _kind, item_id in loaded.present]
    if file.digest != loaded.digest:
        named = {entry["id"] for entry in written if "id" in entry}
        others = iter([item_id for item_id in order if item_id in ids and item_id not in named])
        ids = [entry["id"] if "id" in entry else next(others, 0) for entry in written]
        if 0 in ids or next(others, 0):
            raise NotWritten(CHANGED.format(path=file.path))
    return dict(zip(ids, written, strict=True))


def _row(
    site: SiteFiles,
    path: str,
    loaded: LoadedFile | None,
    pairs: Sequence[tuple[str, int]],
    used: Used | None,
    undated: Sequence[tuple[str, int]],
    session: Session,
) -> LoadedFile | None:
    file = site.find(path, loaded)
    if file is None:
        return None
    if used is None:
        ids = [item_id for _kind, item_id in pairs]
        stored = stored_entries(session, site, EntryKind.ITEM, ids)
        numbers = {item_id: number for number, item_id in enumerate(ids) if item_id in stored}
        _entries, used = entries_in_file(session, site, file, None, stored, numbers)
    return site.record(path, loaded, pairs, used, undated)
