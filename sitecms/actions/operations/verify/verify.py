"""Steps of the integrity check: the order of the checks, and the repair.

The store is checked as of one moment while other processes write to it.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from msgspec import Struct, field

from sitecms.actions.operations.reindex import reindex
from sitecms.actions.operations.verify.checks import (
    RESTORE,
    MediaRecords,
    VerifyKind,
    claim_findings,
    column_findings,
    damage,
    dead_owners,
    media_findings,
    media_state,
    reference_findings,
    repair_columns,
    repair_files,
    repairable,
    search_findings,
    state_findings,
)
from sitecms.actions.originals import Originals
from sitecms.content.fields import own_types
from sitecms.errors import MediaUnusable, StoreNotWritable, StoreUnusable
from sitecms.findings import Finding
from sitecms.media.library import MediaLibrary, open_library, protected_media
from sitecms.progress import Progress
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.store.database import Database, Session
from sitecms.store.entries.media_files import correct_media
from sitecms.store.maintenance import integrity, row_digests
from sitecms.store.maintenance.integrity import repair_states
from sitecms.store.maintenance.media_usage import MediaUse
from sitecms.store.maintenance.store_copy import copy_store
from sitecms.store.opening import open_database, open_store
from sitecms.store.writes.claims import release_claims, site_locks
from sitecms.temporary_folders import temporary_folder

ROW_REMEDY = "write the entry again, or restore a backup (sitecms restore)"
_SEARCH = {VerifyKind.SEARCH_DAMAGED, VerifyKind.SEARCH_MISSING, VerifyKind.SEARCH_EXTRA, VerifyKind.SEARCH_STALE}
_STATES = {VerifyKind.WRITE_IMPOSSIBLE, VerifyKind.DELIVERY_IMPOSSIBLE, VerifyKind.RESERVATION_LEFT}
_MEDIA = {
    VerifyKind.MEDIA_MISSING,
    VerifyKind.MEDIA_UNKNOWN,
    VerifyKind.MEDIA_EXTRA,
    VerifyKind.MEDIA_DAMAGED,
    VerifyKind.MEDIA_SIZE,
    VerifyKind.TEMPORARY_LEFT,
}


@contextmanager
def frozen_store(settings: SiteSettings, progress: Progress | None) -> Iterator[tuple[Database | None, list[Finding]]]:
    """Give a store that one read transaction shows in full, and the damage of its file or tables.

    The store is None if it cannot be read. An SQLite file is copied, since the check of the search index needs a second
    connection to the same state.
    """
    if progress:
        progress("Store", 0, 1)
    if isinstance(settings.store, ServiceUrl):
        yield from _on_server(settings.store, progress)
        return
    with temporary_folder("verify", settings.folder / STATE_FOLDER) as folder:
        yield from _copy_of_file(settings.store, folder / "store.db", progress)


def _on_server(url: ServiceUrl, progress: Progress | None) -> Iterator[tuple[Database | None, list[Finding]]]:
    database = open_database(url)
    try:
        findings = [_store_damaged(str(url), problem) for problem in database.read(integrity.unreadable)]
        if progress:
            progress("Store", 1, 1)
        yield None if findings else database, findings
    finally:
        database.close()


def _copy_of_file(
    store: Path, copy: Path, progress: Progress | None
) -> Iterator[tuple[Database | None, list[Finding]]]:
    findings = _file_damage(store, copy)
    if progress:
        progress("Store", 1, 1)
    if any(finding.kind == VerifyKind.STORE_DAMAGED for finding in findings):
        yield None, findings
        return
    try:
        database = open_database(copy, moving=True)  # a store that is being moved can be checked too
    except StoreNotWritable:
        raise
    except Exception as error:  # noqa: BLE001 - damage can raise any error
        yield None, [*findings, _store_damaged(store.name, str(error))]
        return
    try:
        yield database, findings
    finally:
        database.close()


def _file_damage(store: Path, copy: Path) -> list[Finding]:
    """Copy the file and return what SQLite's own checks find in the copy."""
    try:
        copy_store(store, copy)
        problems = (*integrity.damage(copy), *integrity.schema_damage(copy))
    except StoreNotWritable:  # the copy: the disk is full
        raise
    except (StoreUnusable, UnicodeDecodeError) as error:
        problems = (str(error),)
    return [
        repairable(VerifyKind.SEARCH_DAMAGED, "the search index", problem)
        if "fts5" in problem.lower()
        else _store_damaged(store.name, problem)
        for problem in problems
    ]


def _store_damaged(name: str, problem: str) -> Finding:
    return damage(VerifyKind.STORE_DAMAGED, f"the store {name}", problem, RESTORE)


class VerifyReport(Struct, frozen=True):
    """All findings, including those that were repaired."""

    findings: tuple[Finding, ...]
    seconds: float

    @property
    def left(self) -> int:
        """Number of findings that are not repaired."""
        return sum(not finding.is_repaired for finding in self.findings)


class _Inspection(Struct):
    """One pass over the store and the media library.

    `media` stays None if the content of the store cannot be read. `dead` are the workers with abandoned claims.
    """

    settings: SiteSettings
    library: MediaLibrary
    at: datetime
    progress: Progress | None
    findings: list[Finding] = field(default_factory=list)
    media: MediaRecords | None = None
    dead: tuple[str, ...] = ()

    def run(self) -> "_Inspection":
        """Check everything that can be read, and return the inspection."""
        with frozen_store(self.settings, self.progress) as (database, damages):
            self.findings += damages
            if database is None:
                used = {name: MediaUse("", is_shown=False) for name in self.library.names()}
                unknown = MediaRecords({}, used, {}, Originals(self.settings.folder, {}))
                self._check_media(unknown)
            else:
                self._check_store(database)
        return self

    def has(self, kind: VerifyKind) -> bool:
        """Return whether a finding of the kind was made."""
        return any(finding.kind == kind for finding in self.findings)

    def _check_store(self, database: Database) -> None:
        database.field_types = own_types(self.settings.plugins)
        """Check the rows, then what they contain, until damage makes reading fail."""
        try:
            with database.reading() as session:
                self.findings += [
                    damage(VerifyKind.ROW_DAMAGED, f"{each.table} row {each.row}", each.problem, ROW_REMEDY)
                    for each in row_digests.damaged_rows(session)
                ]
            with database.reading() as session:
                media = self._check_content(database, session)
            if media is not None:
                self.findings += claim_findings(self._still_claiming())
                self._check_media(media)
                self.media = media
        except (MediaUnusable, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - damage can raise any error
            self.media, self.dead = None, ()
            if not self.has(VerifyKind.ROW_DAMAGED):
                problem = f"cannot be read ({type(error).__name__}: {error})"
                self.findings.append(damage(VerifyKind.STORE_DAMAGED, "the store", problem, RESTORE))

    def _check_content(self, database: Database, session: Session) -> MediaRecords | None:
        """Return what the store records about media files; None if its JSON cannot be read."""
        self.findings += [
            damage(VerifyKind.KEY_DANGLING, f"{key.table} row {key.row}", f"refers to no row of {key.parent}", RESTORE)
            for key in integrity.dangling_keys(session)
        ]
        invalid_json = integrity.broken_json(session)
        self.findings += [
            damage(VerifyKind.JSON_BROKEN, f"{table} row {row}", f"{column} is not valid JSON", RESTORE)
            for table, row, column in invalid_json
        ]
        if invalid_json:
            return None
        if not self.has(VerifyKind.SEARCH_DAMAGED):
            self.findings += search_findings(database, session)
        self.findings += column_findings(session)
        self.findings += reference_findings(session)
        self.findings += state_findings(session)
        locks = site_locks(self.settings)
        self.dead = dead_owners(session, locks.is_held)
        locks.close()
        return media_state(session, self.settings.folder)

    def _still_claiming(self) -> tuple[str, ...]:
        """Return the dead workers that still have claims: one that ended regularly has released its own by now."""
        if not self.dead:
            return ()
        database = open_store(self.settings)
        try:
            return database.read(dead_owners, lambda owner: owner not in self.dead)
        finally:
            database.close()

    def _check_media(self, state: MediaRecords) -> None:
        self.findings += media_findings(state, self.library, self.at, self.progress)


def verify_store(
    settings: SiteSettings, at: datetime, *, repair: bool = False, progress: Progress | None = None
) -> VerifyReport:
    """Check the store and the media library; with `repair`, correct what can be derived again, and check again.

    The store is checked at one moment, so that concurrent writes are not taken for damage. Nothing is removed except
    incomplete files of processes that were killed. Raises StoreUnusable if there is no store.
    """
    started = time.perf_counter()
    if not isinstance(settings.store, Path) or not settings.store.is_file():
        open_store(settings).close()
    library = open_library(settings)
    with protected_media(library):
        inspection = _Inspection(settings, library, at, progress).run()
        findings = inspection.findings
        if repair and inspection.media and any(finding.is_repairable for finding in findings):
            _repair(inspection, inspection.media)
            remaining = set(_Inspection(settings, library, at, progress).run().findings)
            findings = [each if each in remaining else each.repaired() for each in findings]
    return VerifyReport(tuple(findings), time.perf_counter() - started)


def _repair(inspection: _Inspection, media: MediaRecords) -> None:
    """Correct what is repairable in the current store and library."""
    kinds = {finding.kind for finding in inspection.findings if finding.is_repairable}
    if inspection.has(VerifyKind.ROW_DAMAGED):
        kinds -= {VerifyKind.COLUMN_STALE, *_STATES}  # writing to a damaged row would give it a digest that fits
    database = open_store(inspection.settings)
    try:
        if kinds & _SEARCH:
            reindex(database)
        rows = repair_files(media, inspection.library, inspection.at) if kinds & _MEDIA else ()
        with database.writing() as transaction:
            if VerifyKind.COLUMN_STALE in kinds:
                repair_columns(transaction)
            if kinds & _STATES:
                repair_states(transaction, inspection.at)
            if VerifyKind.CLAIM_ABANDONED in kinds:
                release_claims(transaction, inspection.dead, inspection.at)
            for row in rows:
                correct_media(transaction, row)
    finally:
        database.close()
