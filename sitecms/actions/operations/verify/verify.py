"""What is looked at, in which order, and what is mended."""

import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sitecms.actions.operations.reindex import reindex
from sitecms.actions.operations.verify.derived_columns import column_findings, mend_columns
from sitecms.actions.operations.verify.finding import RESTORE, Finding, FindingKind
from sitecms.actions.operations.verify.frozen_store import store_at_rest
from sitecms.actions.operations.verify.media import MediaState, media_findings, media_state, mend_files
from sitecms.actions.operations.verify.references import reference_findings
from sitecms.actions.operations.verify.search_rows import search_findings
from sitecms.actions.operations.verify.states import claim_findings, dead_owners, state_findings
from sitecms.actions.originals import Originals
from sitecms.errors import MediaUnusable
from sitecms.media.library import MediaLibrary, open_library
from sitecms.media.library_lock import media_held
from sitecms.progress import Progress
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.entries.media_files import correct_media
from sitecms.store.maintenance import integrity, row_digests
from sitecms.store.maintenance.invalid_states import mend_states
from sitecms.store.opening import open_database
from sitecms.store.writes.claims import release_claims
from sitecms.store.writes.owners import Owners
from sitecms.store.writes.site_locks import site_locks

ROW_REMEDY = "write it anew, or restore a backup (sitecms restore)"
_SEARCH = {
    FindingKind.SEARCH_DAMAGED,
    FindingKind.SEARCH_MISSING,
    FindingKind.SEARCH_EXTRA,
    FindingKind.SEARCH_STALE,
}
_STATES = {FindingKind.WRITE_IMPOSSIBLE, FindingKind.DELIVERY_IMPOSSIBLE, FindingKind.RESERVATION_LEFT}
_MEDIA = {
    FindingKind.MEDIA_MISSING,
    FindingKind.MEDIA_UNKNOWN,
    FindingKind.MEDIA_EXTRA,
    FindingKind.MEDIA_DAMAGED,
    FindingKind.MEDIA_SIZE,
    FindingKind.TEMPORARY_LEFT,
}


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Everything that was found, what was mended of it included."""

    findings: tuple[Finding, ...]
    seconds: float

    @property
    def left(self) -> int:
        """How many findings still stand."""
        return sum(not finding.is_mended for finding in self.findings)


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look at the site found; `media` None: the store could not be read."""

    findings: tuple[Finding, ...]
    media: MediaState | None
    dead: tuple[str, ...]


def verify_store(
    settings: SiteSettings, at: datetime, *, repair: bool = False, progress: Progress | None = None
) -> VerifyReport:
    """Look at the store and the media library; with `repair` mend what can be made anew, and look once more.

    Looks at the store as it was at one moment, so that what others write meanwhile is not taken for a fault. Nothing is
    removed but what processes left half-made. Raises StoreUnusable where there is no store.
    """
    started = time.perf_counter()
    if not isinstance(settings.store, Path) or not settings.store.is_file():
        open_database(settings.store).close()
    library = open_library(settings)
    with media_held(library):
        look = _look(settings, library, at, progress)
        findings = look.findings
        if repair and look.media and any(finding.is_mendable for finding in findings):
            _mend(settings, library, look, at)
            after = set(_look(settings, library, at, progress).findings)
            findings = tuple(each if each in after else each.mended() for each in findings)
    return VerifyReport(findings, time.perf_counter() - started)


def _look(settings: SiteSettings, library: MediaLibrary, at: datetime, progress: Progress | None) -> _Look:
    with store_at_rest(settings, progress) as (database, found):
        if database is None:
            state = MediaState({}, {}, frozenset(library.names()), Originals(settings.folder, {}))
            return _Look((*found, *media_findings(state, library, at, progress)), None, ())
        return _look_at_content(database, settings, library, found, at, progress)


def _look_at_content(
    database: Database,
    settings: SiteSettings,
    library: MediaLibrary,
    found: list[Finding],
    at: datetime,
    progress: Progress | None,
) -> _Look:
    """Everything in the store, and the library beside it. Where content cannot be read, nothing more is looked at."""
    try:
        with database.reading() as session:
            found += [
                Finding(FindingKind.ROW_DAMAGED, f"{each.table} row {each.row}", each.problem, ROW_REMEDY)
                for each in row_digests.damaged_rows(session)
            ]
        return _look_at_rows(database, settings, library, found, at, progress)
    except (MediaUnusable, OSError):
        raise
    except Exception as error:  # noqa: BLE001 - damage takes any form
        if not any(finding.kind is FindingKind.ROW_DAMAGED for finding in found):
            problem = f"cannot be read as it should be ({type(error).__name__}: {error})"
            found.append(Finding(FindingKind.STORE_DAMAGED, "the store", problem, RESTORE))
        return _Look(tuple(found), None, ())


def _look_at_rows(
    database: Database,
    settings: SiteSettings,
    library: MediaLibrary,
    found: list[Finding],
    at: datetime,
    progress: Progress | None,
) -> _Look:
    """Raises whatever reading damaged content may raise; what was found until then is in `found`."""
    with database.reading() as session:
        found += [
            Finding(FindingKind.KEY_DANGLING, f"{key.table} row {key.row}", f"names no row of {key.parent}", RESTORE)
            for key in integrity.dangling_keys(session)
        ]
        broken = integrity.broken_json(session)
        found += [
            Finding(FindingKind.JSON_BROKEN, f"{table} row {row}", f"{column} is no JSON", RESTORE)
            for table, row, column in broken
        ]
        if broken:
            return _Look(tuple(found), None, ())
        if not any(finding.kind is FindingKind.SEARCH_DAMAGED for finding in found):
            found += search_findings(database, session)
        found += [*column_findings(session), *reference_findings(session), *state_findings(session)]
        media = media_state(session, settings.folder)
        locks = site_locks(settings)
        dead = dead_owners(session, Owners(locks).is_alive)
        locks.close()
    found += claim_findings(_still_claiming(settings, dead))
    found += media_findings(media, library, at, progress)
    return _Look(tuple(found), media, dead)


def _still_claiming(settings: SiteSettings, dead: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the dead that hold something by now too: a worker that ended in good order has let go."""
    if not dead:
        return ()
    database = open_database(settings.store)
    try:
        with database.reading() as session:
            return tuple(owner for owner in dead_owners(session, lambda owner: owner not in dead))
    finally:
        database.close()


def _mend(settings: SiteSettings, library: MediaLibrary, look: _Look, at: datetime) -> None:
    """Make anew what was found wrong, in the store as it is by now."""
    kinds = {finding.kind for finding in look.findings if finding.is_mendable}
    if any(finding.kind is FindingKind.ROW_DAMAGED for finding in look.findings):
        kinds -= {FindingKind.COLUMN_STALE, *_STATES}  # a row that is written to gets a digest that fits its damage
    database = open_database(settings.store)
    try:
        if kinds & _SEARCH:
            reindex(database)
        media = mend_files(look.media, library, at) if kinds & _MEDIA and look.media else ()
        with database.writing() as transaction:
            if FindingKind.COLUMN_STALE in kinds:
                mend_columns(transaction)
            if kinds & _STATES:
                mend_states(transaction, at)
            if FindingKind.CLAIM_ABANDONED in kinds:
                release_claims(transaction, look.dead, at)
            for each in media:
                correct_media(transaction, each)
    finally:
        database.close()
