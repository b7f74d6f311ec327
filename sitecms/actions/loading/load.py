"""Steps of a load: find the files, find the changed ones, and store these.

This module imports little at its top, since most loads find no changed file.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache, partial
from itertools import chain, count
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sitecms.actions.garbage_collection import without_collector
from sitecms.actions.loading.reading.files import INDEPENDENT, WITH_PAGES, ContentFile, find_files
from sitecms.actions.loading.reading.media_import import MediaImport
from sitecms.actions.loading.reading.schema_files import read_content_schema
from sitecms.actions.loading.report import LoadReport
from sitecms.actions.permalinks import address_settings
from sitecms.content.change import AS_IN_FILE, Origin
from sitecms.content.fields import own_types
from sitecms.content.fingerprint import digest
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.errors import InvalidInput
from sitecms.files import is_in_git
from sitecms.media.library import open_library
from sitecms.plugins.values import LoadResult
from sitecms.progress import Progress
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database, Session
from sitecms.store.entries import media_files
from sitecms.store.site_state import documents, loaded_files
from sitecms.store.site_state.file_changes import planned_digests
from sitecms.store.site_state.loaded_files import LoadedFile

if TYPE_CHECKING:
    from sitecms.actions.loading.reading.git_dates import GitDates
    from sitecms.actions.loading.reading.linked_files import LinkedFiles

NOT_PRUNED = "Nothing was pruned, because not everything in content/ could be read."


@without_collector()
def load_site(
    database: Database,
    settings: SiteSettings,
    at: datetime,
    *,
    prune: bool = False,
    adopt: bool = False,
    progress: Progress | None = None,
) -> LoadReport:
    """Load the changed files into the store; skip an unchanged file, whatever was done to its entries.

    Raises InvalidFiles if the content schema has errors: without it no entry can be read. Other errors are in the
    report, and nothing of their files is stored.
    """
    started = time.perf_counter()
    schema = read_content_schema(settings.folder, own_types(settings.plugins))
    with database.reading() as session:
        known, mark, history = loaded_files.all_loaded_files(session), session.change_mark(), _history(settings)
        found = find_files(settings, schema, known, at, history.files if history else {})
        files = found.files
        same_shape = _has_same_shape(session, settings, schema)
        report_upload = partial(progress, "Uploading media") if progress else None
        source = MediaImport(settings.folder, open_library(settings), media_files.all_media(session), at, report_upload)
        notes, linked = list(found.notes), cache(partial(_linked_files, settings))
        redated = _redated(files, known)
        known |= redated
        changed = [file for file in files if _is_changed(session, file, known, source, linked, notes)]
        _note_stored_paths(session, settings, known, changed, linked)
    changed = _not_written_back(database, known, changed)
    _restamp(database, files, known, redated)
    report = LoadReport(0, unchanged=len(files) - len(changed), errors=found.errors)
    is_anything_gone = known.keys() - found.present or any(file.absent for file in known.values())
    if changed or is_anything_gone or not same_shape:
        from sitecms.actions.loading.changes import Changes, Options, load_changes
        from sitecms.actions.loading.reading.prepared import Reading

        source.links = linked()
        counted = count(1)

        def tick() -> None:
            if progress:
                progress("Reading files", next(counted), len(changed))

        changes = Changes(found, changed, known, mark, same_shape=same_shape)
        reading, options = Reading(settings, schema, source), Options(prune=prune and found.is_whole, adopt=adopt)
        report = load_changes(database, reading, changes, options, tick)
    notes += history.notes if history and report.loaded else ()
    if prune and not found.is_whole:
        notes.append(NOT_PRUNED)
    invalid = sorted({error.file for error in report.errors if error.file.startswith("content/")})
    left_out = tuple(path for path in invalid if path not in known)
    if report.loaded or report.pruned or report.pruned_items:
        notes += settings.plugins.tell("site_loaded", result=LoadResult(report.loaded, len(report.errors)))
    seconds = time.perf_counter() - started
    return replace(report, notes=(*report.notes, *notes), left_out=left_out, seconds=seconds)


def _not_written_back(
    database: Database, known: Mapping[str, LoadedFile], changed: list[ContentFile]
) -> list[ContentFile]:
    """Return the changed files without those that a write-back had not noted when this load asked what is loaded.

    They say what the store said then. One that was killed before it could note them is finished by the next.
    """
    if all(file.path in known and known[file.path].digest == file.digest for file in changed):
        return changed
    with database.reading() as session:
        planned, noted = planned_digests(session), loaded_files.all_loaded_files(session)

    def is_written_back(file: ContentFile) -> bool:
        before, now = (files[file.path].digest if file.path in files else "" for files in (known, noted))
        return before != file.digest and (now == file.digest or planned.issuperset(_digests(file)))

    return [file for file in changed if not is_written_back(file)]


def _digests(file: ContentFile) -> Sequence[str]:
    """Return the digest of a content file, or those of a page's files in each locale."""
    if not file.variants:
        return (file.digest,)
    try:
        return [digest((file.folder / path).read_bytes()) for path in (file.path, *file.variants)]
    except OSError:  # gone since it was found: reading it says so
        return ("",)


def _has_same_shape(session: Session, settings: SiteSettings, schema: ContentSchema) -> bool:
    """Return whether content schema, locales and settings of addresses are those of the last load."""
    same_schema = documents.load_content_schema(session) == schema
    same_locales = documents.load_locales(session) == settings.locales
    return (
        same_schema
        and same_locales
        and documents.load_address_settings(session)[:1] == (address_settings(settings, schema),)
    )


def _history(settings: SiteSettings) -> "GitDates | None":
    """Return the dates that Git has for files; None for a folder outside of any work tree, which needs no Git."""
    if not is_in_git(settings.folder):
        return None
    from sitecms.actions.loading.reading.git_dates import read_git_dates

    return read_git_dates(settings)


def _linked_files(settings: SiteSettings) -> "LinkedFiles":
    from sitecms.actions.loading.reading.linked_files import LinkedFiles  # most loads without a change need none

    return LinkedFiles(settings)


def _note_stored_paths(
    session: Session,
    settings: SiteSettings,
    known: Mapping[str, LoadedFile],
    changed: Sequence[ContentFile],
    linked: "Callable[[], LinkedFiles]",
) -> None:
    """Give the targets of links the paths of the stored entries of changed files, which may have errors now."""
    reread = [file.path for file in changed if file.path in known and file.kind in WITH_PAGES]
    if not reread:
        return
    from sitecms.actions.entry_paths import stored_path
    from sitecms.store.entries.addresses import addresses_of

    files = {pair: path for path in reread for pair in known[path].entries}
    found: dict[str, dict[str, str]] = {}
    ids = {kind: [entry_id for of, entry_id in files if of == kind] for kind in EntryKind}
    for stored in chain.from_iterable(addresses_of(session, kind, *ids[kind]) for kind in EntryKind if ids[kind]):
        with suppress(OverflowError):  # a day that the time zone does not have
            path = stored_path(stored, settings)
            found.setdefault(files[stored.kind.value, stored.id], {}).setdefault(stored.locale, path)
    linked().stored = found


def _redated(files: Sequence[ContentFile], known: Mapping[str, LoadedFile]) -> dict[str, LoadedFile]:
    """Return the files that were committed since the last load and say their times themselves, with their new dates."""
    redated: dict[str, LoadedFile] = {}
    for file in files:
        before = known.get(file.path)
        is_same = before is not None and before.digest == file.digest and not file.variants
        if before is None or not is_same or before.git_dates == file.dates or file.kind not in WITH_PAGES:
            continue
        from sitecms.actions.loading.reading.times import states_own_times  # most loads find no new commit

        if states_own_times(file.file, file.path):
            redated[file.path] = before._replace(dates_json=loaded_files.dates_json(file.dates, before.undated))
    return redated


def _restamp(
    database: Database, files: Sequence[ContentFile], known: Mapping[str, LoadedFile], redated: Mapping[str, LoadedFile]
) -> None:
    """Update stamps and dates of files whose bytes are unchanged."""
    stamped = ((file, known[file.path]) for file in files if file.stamp and file.path in known)
    touched = [file for file, before in stamped if before.stamp != file.stamp and before.digest == file.digest]
    if touched or redated:
        with database.writing(counts_as_change=False, is_durable=False) as transaction:
            for file in touched:
                loaded_files.update_stamp(transaction, file.digest, file.path, file.stamp)
            for record in redated.values():
                loaded_files.update_dates(transaction, record)


def _is_changed(
    session: Session,
    file: ContentFile,
    known: Mapping[str, LoadedFile],
    source: MediaImport,
    linked: "Callable[[], LinkedFiles]",
    notes: list[str],
) -> bool:
    """Return whether the file has to be loaded: its own bytes, its media, or what it depends on changed.

    A file with the same bytes is not loaded over entries that were edited through the API since; changed media are
    noted then.
    """
    before = known.get(file.path)
    if before is None or before.digest != file.digest:
        return True
    is_committed = before.git_dates != file.dates
    stale = [address for address, stamp in before.media.items() if not source.is_current(address, stamp)]
    is_independent = file.kind in INDEPENDENT
    is_moved = any(not linked().is_current(path, link) for path, link in before.links.items())
    if not stale and not is_moved and not is_committed and (is_independent or before.context == file.context):
        return False
    from sitecms.store.entries import entry_state

    origins = {pair: entry_state.origin_of(session, *pair) for pair in before.present}
    edited = next((pair for pair, origin in origins.items() if origin == Origin.API), None)
    if edited:
        whose = f"the {edited[0]} {edited[1]} was edited through the API since"
        notes += (f"{file.path}: {address} {_stale(address, before, source, whose)}" for address in stale)
    return all(origin in AS_IN_FILE for origin in origins.values())


def _stale(address: str, before: LoadedFile, source: MediaImport, whose: str) -> str:
    """Return a note about a media file whose new content is not used."""
    with suppress(InvalidInput):
        taken = source.take(address)
        if taken is None:
            return f"is gone, but {whose}: it keeps the one it has"
        if taken.name == before.media[address].name:
            return "was missing in the media library, and is there again"
    return f"changed, but {whose}: nothing was updated; change the file to load it"
