"""Items: one YAML list for each collection, in the order of the collection.

An entry without an id gets its id when something refers to it: a clone gives ids in the order of the files.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import orjson
from msgspec.structs import replace

from sitecms.actions.exporting.entry_files import EntryWriter
from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.post_like_keys import post_like_keys
from sitecms.actions.syncing.edits import Edit, NotWritten, Plan
from sitecms.actions.syncing.media_places import place_media
from sitecms.actions.syncing.site_files import CHANGED, SiteFiles
from sitecms.actions.syncing.versions_in_file import (
    DRAFT,
    drafts_over,
    forms_of,
    main_versions,
    merged,
    of_file,
    without_draft,
)
from sitecms.actions.syncing.written_form import new_form
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import FieldSpec
from sitecms.documents import read_yaml
from sitecms.documents.comparison import is_same
from sitecms.documents.rewriting import BYTE_ORDER_MARK, rewrite_yaml
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.entry_rows import find_identity
from sitecms.store.entries.items import places_of
from sitecms.store.entries.references import referred_items
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.file_changes import note_file_change
from sitecms.store.site_state.loaded_files import FileLink, LoadedFile, MediaStamp, find_depending, find_loaded_file

_ENDINGS = (".yaml", ".yml")
_ADDRESSES = ("path", "aliases")
Used = Mapping[str, MediaStamp | FileLink]


def collection_file(session: Session, item_id: int) -> str:
    """Return the path of the file that lists an item, whether it exists or not."""
    item = find_identity(session, EntryKind.ITEM, item_id)
    paths = [f"content/collections/{item.type if item else ''}{ending}" for ending in _ENDINGS]
    return next((path for path in paths if find_loaded_file(session, path)), paths[0])


def plan_items(site: SiteFiles, session: Session, kind: EntryKind, path: str, changed: Sequence[int]) -> Plan:
    """Return the edit that makes the file of a collection say of these items what the store has."""
    collection = path.rpartition("/")[2].rpartition(".")[0]
    if collection not in site.schema.collections:
        raise NotWritten(f"the collection {collection} is not declared")
    loaded = find_loaded_file(session, path)
    file = site.current(loaded) if loaded else None
    stored = _stored(session, changed)
    listed = [item_id for _kind, item_id in loaded.present] if loaded and file else []
    unlisted = _stored(session, [each for each in places_of(session, collection) if each not in {*listed, *stored}])
    texts = [_text(each) for group in (*stored.values(), *unlisted.values()) for each in group]
    media = place_media(session, site.folder, texts, loaded)
    specs, writer = site.schema.collection(collection).fields, site.writer(media)
    new_writer = site.writer(media, omits_unset=True)
    if loaded is None or file is None:
        before = site.check_free(session, path)
        entries = _new_entries(site, session, collection, new_writer)
        after = before if before is not None else rewrite_yaml("", entries).encode()
        pairs = [(kind.value, int(entry["id"])) for entry in entries]
        return Plan((Edit(path, before, after),), media.copies(), row=partial(_row, site, path, loaded, pairs, {}))
    before = file.file.read_bytes()
    written: Any = read_yaml(file.file, path) or []
    if file.digest != loaded.digest:  # an interrupted write-back has written it
        listed = _listed_now(written, listed, tuple(places_of(session, collection)), path)
    there = dict(zip(listed, written, strict=True))
    numbers = {item_id: number for number, item_id in enumerate(listed) if item_id in stored}
    old, used = _read(site, session, file, loaded, stored, numbers)
    absent = {item_id for _kind, item_id in loaded.absent} - set(changed)
    has_unnamed = any("id" not in there[item_id] for item_id in numbers)
    referred = referred_items(session, collection) if has_unnamed else frozenset()
    entries, ids = [], list[int]()
    for item_id in places_of(session, collection):
        if item_id in absent:
            continue
        if item_id not in there:
            group = stored.get(item_id) or _stored(session, (item_id,))[item_id]
            entry = _new_entry(site, group, new_writer)
        elif item_id in numbers:
            entry = _merged(there[item_id], old[item_id], stored[item_id], specs, writer, site)
            if entry is not None and item_id in referred:
                entry = {"id": item_id} | entry
        else:
            entry = there[item_id]
        if entry is not None:
            entries.append(entry)
            ids.append(item_id)
    text = before.decode("utf-8")
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    after = (mark + rewrite_yaml(text.removeprefix(mark), entries)).encode()
    undated = [pair for pair in loaded.undated if pair[1] not in numbers]
    pairs = [(kind.value, item_id) for item_id in ids]
    row = partial(_row, site, path, loaded, pairs, {**loaded.media, **loaded.links, **used}, undated=undated)
    drafts = frozenset(item_id for item_id, group in stored.items() if drafts_over(group, site.settings.locales))
    others = partial(note_referring, path, frozenset((kind.value, item_id) for item_id in changed))
    return Plan((Edit(path, before, after),), media.copies(), row=row, note_others=others, with_drafts=drafts)


def _new_entries(site: SiteFiles, session: Session, collection: str, writer: EntryWriter) -> list[dict[str, Any]]:
    """Return the entries of a new file, which has all items of the collection."""
    order = tuple(places_of(session, collection))
    groups = _stored(session, order)
    return [entry for each in order if (entry := _new_entry(site, groups[each], writer))]


def _new_entry(site: SiteFiles, group: Sequence[Entry], writer: EntryWriter) -> dict[str, Any] | None:
    """Return the entry of an item that no file lists; None if it is in no locale of the site."""
    facts = writer.item_facts(group, "", with_drafts=False)
    return facts and new_form(facts, site)


def note_referring(path: str, changed: frozenset[tuple[str, int]], transaction: Transaction) -> None:
    """Note the entries of files that name items of this one by their values, which may be others now."""
    for kind, entry_id in find_depending(transaction, path):
        if (kind, entry_id) not in changed:
            note_file_change(transaction, EntryKind(kind), entry_id)


def _listed_now(written: Sequence[Any], listed: Sequence[int], order: Sequence[int], path: str) -> list[int]:
    """Return the ids of the items in a file that was written after its record: those without one are in their order."""
    named = {entry["id"] for entry in written if "id" in entry}
    others = iter([item_id for item_id in order if item_id in listed and item_id not in named])
    ids = [entry["id"] if "id" in entry else next(others, 0) for entry in written]
    if 0 in ids or next(others, 0):
        raise NotWritten(CHANGED.format(path=path))
    return ids


def _stored(session: Session, ids: Sequence[int]) -> dict[int, list[Entry]]:
    groups: dict[int, list[Entry]] = {}
    for version in VERSIONS[EntryKind.ITEM].of(session, ids):
        groups.setdefault(version.id, []).append(version)
    return groups


def _text(version: Entry) -> str:
    return orjson.dumps(dict(version.fields)).decode()


def _read(
    site: SiteFiles,
    session: Session,
    file: ContentFile,
    loaded: LoadedFile,
    stored: Mapping[int, Sequence[Entry]],
    numbers: Mapping[int, int],
) -> tuple[dict[int, tuple[Entry, ...]], Used]:
    """Return the versions of these items as a load makes them of the file, and the media that they name."""
    texts = [_text(version) for versions in stored.values() for version in versions]
    read = site.read(session, file, loaded, texts)
    entries = {item_id: read.entries[number] for item_id, number in numbers.items()}
    cleaned = site.versions(session, read, tuple(entries.values()))
    found = {}
    for (item_id, entry), changes in zip(entries.items(), cleaned, strict=True):
        shape = replace(stored[item_id][0], addresses=entry.addresses)
        found[item_id] = of_file(shape, changes, loaded.loaded_at)
    return found, read.media.used


def _row(
    site: SiteFiles,
    path: str,
    loaded: LoadedFile | None,
    pairs: Sequence[tuple[str, int]],
    used: Used,
    session: Session,
    undated: Sequence[tuple[str, int]] = (),
) -> LoadedFile | None:
    file = site.find(path, loaded)
    if file is None:
        return None
    numbers = {item_id: number for number, (_kind, item_id) in enumerate(pairs)}
    if loaded is None:
        _old, used = _read_new(site, session, file, numbers)
    return site.record(path, loaded, pairs, used, undated)


def _read_new(
    site: SiteFiles, session: Session, file: ContentFile, numbers: Mapping[int, int]
) -> tuple[dict[int, tuple[Entry, ...]], Used]:
    """Read a file that was just made."""
    stored = _stored(session, tuple(numbers))
    empty = LoadedFile(file.path, "", "", "[]", "{}", 0, "")
    there = {item_id: number for item_id, number in numbers.items() if item_id in stored}
    return _read(site, session, file, empty, stored, there)


def _merged(
    written: Mapping[str, Any],
    old: Sequence[Entry],
    new: Sequence[Entry],
    specs: Sequence[FieldSpec],
    writer: EntryWriter,
    site: SiteFiles,
) -> dict[str, Any] | None:
    """Return the entry of one item as the store has it; None if it is in no locale of the site."""
    codes = site.settings.locales
    if not main_versions(new, codes):
        return None
    before, after = (forms_of(main_versions(each, codes), specs, writer) for each in (old, new))
    entry = merged(written, before, after, site, post_like_keys(specs))
    was, now = writer.addresses(old[0]), writer.addresses(new[0])
    for name in _ADDRESSES:
        if not is_same(was.get(name), now.get(name)):
            entry.pop(name, None)
            entry |= {name: now[name]} if name in now else {}
    drafts = [drafts_over(each, codes) for each in (old, new)]
    entry = without_draft(entry, drafts[1].keys())
    if isinstance(entry.get(DRAFT), dict):
        before, after = (forms_of(each, specs, writer, is_over=True) for each in drafts)
        entry[DRAFT] = merged(entry[DRAFT], before, after, site)
    return entry
