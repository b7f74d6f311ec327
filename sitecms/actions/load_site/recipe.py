"""The steps of a load."""

import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime

from sitecms.actions.load_site.again import files_to_read_again, read_next_time
from sitecms.actions.load_site.files import ContentFile, FileKind, find_files
from sitecms.actions.load_site.media_import import MediaImport
from sitecms.actions.load_site.prepared import prepare
from sitecms.actions.load_site.report import LoadReport
from sitecms.actions.load_site.schema_files import read_content_schema
from sitecms.actions.load_site.storing import Storing
from sitecms.actions.reindex import reindex_pages
from sitecms.content.schema import ContentSchema
from sitecms.content.write import Origin
from sitecms.media.library import MediaLibrary
from sitecms.settings import SiteSettings
from sitecms.store import documents, entries, loaded_files, media_files
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.loaded_files import LoadedFile

Progress = Callable[[str, int, int], None]


def load_site(
    database: Database,
    settings: SiteSettings,
    at: datetime,
    *,
    prune: bool = False,
    progress: Progress | None = None,
) -> LoadReport:
    """Bring the store to what the files say; an unchanged file is skipped, whatever became of its entries.

    Raises InvalidFiles if the content schema has faults: without it no entry can be read. Other faults are in the
    report, and nothing of their files is stored.
    """
    started = time.perf_counter()
    schema = read_content_schema(settings.folder)
    files, strays = find_files(settings, schema)
    with database.reading() as session:
        known = loaded_files.all_loaded_files(session)
        same_schema = documents.load_content_schema(session) == schema
        source = MediaImport(settings.folder, MediaLibrary(settings.media_dir), media_files.all_media(session), at)
        changed = [file for file in files if _is_changed(session, file, known, source)]
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if progress:
            progress("Reading files", done, len(changed))

    prepared, faults = prepare(changed, settings, schema, source, tick)
    present = frozenset((*(file.path for file in files), *(stray.file for stray in strays)))
    report = LoadReport(0, unchanged=len(files) - len(changed))
    if prepared or known.keys() - present or not same_schema:
        with database.writing() as transaction:
            if documents.save_content_schema(transaction, schema):
                reindex_pages(transaction, schema)  # which fields are searched may have changed
            by_now, before = loaded_files.all_loaded_files(transaction), entries.all_targets(transaction)
            storing = Storing(transaction, settings, schema, by_now, present, at, prune=prune)
            storing.media(source)
            storing.files([each for each in prepared if not _was_just_loaded(each.file, known, by_now)])
            vanished, pruned = storing.gone()
            faulty = {fault.file for fault in (*faults, *storing.faults)}
            again, lost = files_to_read_again(transaction, [file for file in files if file.path not in faulty], before)
            second = _store_again(transaction, settings, schema, again, lost, source, present)
            report = _together(storing, second, {file.path for file in files} - faulty)
            report = replace(report, vanished=vanished, pruned=pruned)
    order = {file.path: number for number, file in enumerate(files)}
    faults += (*strays, *report.faults)
    faults.sort(key=lambda fault: (order.get(fault.file, 0), fault.line or 0))
    return replace(report, seconds=time.perf_counter() - started, faults=tuple(faults))


def _together(first: Storing, second: LoadReport, sound: Set[str]) -> LoadReport:
    """What both turns did with the files that were sound in the first."""
    unfit = {fault.file for fault in second.faults}
    loaded = dict.fromkeys(path for path in (*first.loaded, *second.loaded) if path not in unfit)
    return LoadReport(
        seconds=0,
        loaded=tuple(loaded),
        unchanged=len(sound - unfit - loaded.keys()),
        replaced=first.replaced,
        faults=(*first.faults, *second.faults),
        notes=tuple(first.notes),
    )


def _store_again(
    transaction: Transaction,
    settings: SiteSettings,
    schema: ContentSchema,
    files: Sequence[ContentFile],
    lost: Set[str],
    source: MediaImport,
    present: frozenset[str],
) -> LoadReport:
    """Load files whose references led nowhere once more; faults count for those that `lost` theirs in this load."""
    if not files:
        return LoadReport(0)
    prepared, faults = prepare(files, settings, schema, source, lambda: None)
    storing = Storing(transaction, settings, schema, loaded_files.all_loaded_files(transaction), present, source.at)
    storing.media(source)
    storing.files(prepared)
    told = tuple(fault for fault in (*faults, *storing.faults) if fault.file in lost)
    read_next_time(transaction, {fault.file for fault in told})
    return LoadReport(0, loaded=tuple(storing.loaded), faults=told)


def _was_just_loaded(file: ContentFile, before: Mapping[str, LoadedFile], by_now: Mapping[str, LoadedFile]) -> bool:
    """Whether another load, running beside this one, has stored the file as it is since this one looked."""
    found = by_now.get(file.path)
    if found is None or found == before.get(file.path):
        return False
    return (found.digest, found.context) == (file.digest, file.context)


def _is_changed(session: Session, file: ContentFile, known: Mapping[str, LoadedFile], source: MediaImport) -> bool:
    """Whether the file has to be loaded: its own bytes, its media, or what it depends on changed.

    Where only the schema or the settings changed, entries that were edited through the API since stay as they are.
    """
    before = known.get(file.path)
    if before is None or before.digest != file.digest:
        return True
    if not all(source.is_current(address, stamp) for address, stamp in before.media.items()):
        return True
    if before.context == file.context or file.kind in (FileKind.AUTHORS, FileKind.CATEGORIES, FileKind.TAGS):
        return False
    return all(entries.origin_of(session, kind, key) == Origin.FILE.value for kind, key in before.entries)
