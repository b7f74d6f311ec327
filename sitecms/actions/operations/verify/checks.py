"""Checks of stored content and of the media library: columns, search index, references, states, media files."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from sitecms.actions.originals import Originals, find_originals
from sitecms.actions.writing.save_context import derived_columns
from sitecms.actions.writing.search_rows import text_of_stored
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaFile
from sitecms.content.references import ItemTarget, Target
from sitecms.errors import InvalidMedia, NotFound
from sitecms.findings import Finding, Severity
from sitecms.media.decoding.cut_off import CUT_OFF, is_cut_off
from sitecms.media.library import MediaLibrary
from sitecms.media.storage.interface import is_digest_of
from sitecms.progress import Progress
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.entries import bodies, entry_state, references
from sitecms.store.entries.media_files import all_media
from sitecms.store.maintenance import integrity
from sitecms.store.maintenance.media_usage import MediaUse, entry_label, is_in_trash, used_media
from sitecms.store.search.index import TABLES, IndexDifferences, index_differences
from sitecms.store.search.texts import all_searched
from sitecms.store.site_state import documents
from sitecms.store.writes.claims import claim_owners

RESTORE = "restore a backup (sitecms restore)"
REPAIR = "repair it: sitecms verify --repair"
SETTLED_AFTER = timedelta(minutes=10)
"""A younger file may belong to a write that is being applied."""


class VerifyKind(StrEnum):
    """Kinds of findings. The words are stable: programs rely on them."""

    STORE_DAMAGED = "store-damaged"
    ROW_DAMAGED = "row-damaged"
    KEY_DANGLING = "key-dangling"
    JSON_BROKEN = "json-broken"
    SEARCH_DAMAGED = "search-damaged"
    SEARCH_MISSING = "search-missing"
    SEARCH_EXTRA = "search-extra"
    SEARCH_STALE = "search-stale"
    COLUMN_STALE = "column-stale"
    REFERENCE_DANGLING = "reference-dangling"
    MEDIA_MISSING = "media-missing"
    MEDIA_UNKNOWN = "media-unknown"
    MEDIA_EXTRA = "media-extra"
    MEDIA_DAMAGED = "media-damaged"
    MEDIA_SIZE = "media-size"
    MEDIA_CUT_OFF = "media-cut-off"
    TEMPORARY_LEFT = "temporary-left"
    CLAIM_ABANDONED = "claim-abandoned"
    WRITE_IMPOSSIBLE = "write-impossible"
    RESERVATION_LEFT = "reservation-left"
    DELIVERY_IMPOSSIBLE = "delivery-impossible"
    OUTPUT_MISSING = "output-missing"
    OUTPUT_CHANGED = "output-changed"
    OUTPUT_UNKNOWN = "output-unknown"


def damage(kind: VerifyKind, where: str, what: str, remedy: str) -> Finding:
    """Return a finding about something that a person has to correct."""
    return Finding(Severity.ERROR, kind, what, remedy, where)


def repairable(kind: VerifyKind, where: str, what: str) -> Finding:
    """Return a finding about something that `sitecms verify --repair` corrects."""
    return Finding(Severity.ERROR, kind, what, REPAIR, where, is_repairable=True)


def column_findings(session: Session) -> Iterator[Finding]:
    """Yield the posts whose derived columns do not match their body.

    A digest that does not match may mean that the body itself was changed outside sitecms.
    """
    for post_id, slug, stored, body in bodies.each_body(session):
        expected = derived_columns(body)
        wrong = [name for name in stored if stored[name] != expected[name]]
        if wrong:
            hint = "; the body may have been changed outside sitecms, so read it" if "body_digest" in wrong else ""
            what = f"{', '.join(wrong)} does not match the body{hint}"
            yield repairable(VerifyKind.COLUMN_STALE, f"post {slug} (id {post_id})", what)


def repair_columns(transaction: Transaction) -> None:
    """Derive the columns of all posts again; write only those that differ."""
    for post_id, _slug, stored, body in bodies.each_body(transaction):
        expected = derived_columns(body)
        if stored != expected:
            bodies.set_columns(transaction, post_id, expected)


def search_findings(database: Database, session: Session) -> Iterator[Finding]:
    """Yield rows of the search index that are missing, superfluous or stale. The session reads the database."""
    schema = documents.load_content_schema(session)
    for kind, table in TABLES.items():
        expected = ((each.id, each.title, text_of_stored(kind, each, schema)) for each in all_searched(session, kind))
        yield from _differing_rows(kind, table, index_differences(database, session, table, expected))


def _differing_rows(kind: EntryKind, table: str, rows: IndexDifferences) -> Iterator[Finding]:
    entry = f"{kind} version"
    for row in rows.extra:
        yield repairable(VerifyKind.SEARCH_EXTRA, f"{table} row {row}", f"there is no published {entry} {row}")
    for row in rows.missing:
        what = f"the published {entry} {row} is not in the search index"
        yield repairable(VerifyKind.SEARCH_MISSING, f"{table} row {row}", what)
    for row in rows.stale:
        what = f"the search index has other words for the {entry} {row} than it contains"
        yield repairable(VerifyKind.SEARCH_STALE, f"{table} row {row}", what)


def reference_findings(session: Session) -> list[Finding]:
    """Return the references to missing entries that entries outside the trash have."""
    existing = references.all_targets(session)
    findings: dict[tuple[str, int, str], Finding] = {}
    for kind, entry_id, named in references.all_named(session):
        missing = [target for target in named if not isinstance(target, int) and target not in existing]
        if not missing or not entry_state.is_there(session, kind, entry_id):
            continue
        for target in sorted(missing, key=lambda each: each.uri):
            where = entry_label(session, EntryKind(kind), entry_id)
            findings[kind, entry_id, target.uri] = _missing_target(session, where, target)
    return [finding for _key, finding in sorted(findings.items())]


def _missing_target(session: Session, where: str, target: Target) -> Finding:
    if isinstance(target, ItemTarget):
        label = f"the item {target.id} of {target.collection}"
    else:
        label = f"the page {target.page_type or '_single'}/{target.slug}"
    if is_in_trash(session, target):
        what, remedy = (
            f"refers to {label}, which is in the trash",
            "restore it (sitecms trash), or change the reference",
        )
    else:
        what, remedy = f"refers to {label}, which does not exist", "change the reference"
    return damage(VerifyKind.REFERENCE_DANGLING, where, what, remedy)


def state_findings(session: Session) -> Iterator[Finding]:
    """Yield writes, deliveries and reservations in states that no operation leads to."""
    for write_id, what in integrity.invalid_writes(session):
        yield repairable(VerifyKind.WRITE_IMPOSSIBLE, f"write {write_id}", what)
    for delivery_id, what in integrity.invalid_deliveries(session):
        yield repairable(VerifyKind.DELIVERY_IMPOSSIBLE, f"delivery {delivery_id}", what)
    for kind, name, write_id in integrity.stale_reservations(session):
        what = f"is reserved for the write {write_id}, which has ended"
        yield repairable(VerifyKind.RESERVATION_LEFT, f"{kind} {name}", what)


def dead_owners(session: Session, is_alive: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the workers that have claimed writes or deliveries and are not alive.

    A running worker takes such claims over by itself.
    """
    return tuple(owner for owner in claim_owners(session) if not is_alive(owner))


def claim_findings(owners: tuple[str, ...]) -> Iterator[Finding]:
    """Yield a finding for each dead worker."""
    for owner in owners:
        what = "has claimed writes or deliveries, and is not running any more"
        yield repairable(VerifyKind.CLAIM_ABANDONED, f"worker {owner}", what)


class MediaRecords(Struct, frozen=True):
    """Records of the store about media files, by file name.

    `shown_by` is the first entry that shows the file.
    """

    known: Mapping[str, MediaFile]
    used: Mapping[str, MediaUse]
    shown_by: Mapping[str, str]
    originals: Originals


def media_state(session: Session, folder: Path) -> MediaRecords:
    """Read the records; call it before the files are read."""
    originals = find_originals(session, folder)
    used = used_media(session)
    shown_by = {name: use.place for name, use in used.items() if use.is_shown}
    return MediaRecords(all_media(session), used, shown_by, originals)


def media_findings(
    state: MediaRecords, library: MediaLibrary, at: datetime, progress: Progress | None = None
) -> Iterator[Finding]:
    """Yield files that are missing, unknown to the store, superfluous or changed, and incomplete ones.

    Every file is read, except where remote storage keeps the digests that it checked on upload.
    """
    names = library.names()
    existing = set(names)
    for name in sorted((state.known.keys() | state.shown_by.keys()) - existing):
        yield _missing(name, state, library)
    for name in sorted(existing & state.shown_by.keys() - state.known.keys()):
        what = f"{state.shown_by[name]} shows it, and the store has no record of it"
        yield repairable(VerifyKind.MEDIA_UNKNOWN, f"media {name}", what)
    settled = set(library.old_names(at - SETTLED_AFTER))
    for name in sorted((existing & settled) - state.known.keys() - state.used.keys()):
        what = "is in the media library, and the store has no record of it"
        yield repairable(VerifyKind.MEDIA_EXTRA, f"media {name}", what)
    for number, (name, digest, size) in enumerate(library.storage.digests(names), 1):
        yield from _changed(name, digest, size, state, library)
        if is_digest_of(digest, name) and not library.is_remote:
            yield from _cut_off(name, state, library)
        if progress:
            progress("Media", number, len(names))
    for path in incomplete_files(library, at):
        yield repairable(VerifyKind.TEMPORARY_LEFT, f"file {path.name}", "was left by a process that ended")


def _missing(name: str, state: MediaRecords, library: MediaLibrary) -> Finding:
    shown_by = state.shown_by.get(name)
    what = f"is missing; {shown_by} shows it" if shown_by else "is missing; no entry shows it"
    if _source(name, state, library) is not None:
        return repairable(VerifyKind.MEDIA_MISSING, _where(name, state), what)
    remedy = "restore the file from a backup, or show another one"
    return damage(VerifyKind.MEDIA_MISSING, _where(name, state), what, remedy)


def _changed(name: str, digest: str, size: int, state: MediaRecords, library: MediaLibrary) -> Iterator[Finding]:
    where, known = _where(name, state), state.known.get(name)
    if not is_digest_of(digest, name):
        what = f"has other content than it was stored with (SHA-256 {digest[:32]})"
        if _source(name, state, library) is not None:
            yield repairable(VerifyKind.MEDIA_DAMAGED, where, what)
        else:
            yield damage(VerifyKind.MEDIA_DAMAGED, where, what, "restore the file from a backup")
    elif known and known.size_bytes != size:
        what = f"has {size:,} bytes, and the store records {known.size_bytes:,}"
        yield repairable(VerifyKind.MEDIA_SIZE, where, what)


def _cut_off(name: str, state: MediaRecords, library: MediaLibrary) -> Iterator[Finding]:
    """Yield a warning about a picture that was cut off before it came here; its digest is right."""
    known = state.known.get(name)
    try:
        is_broken = known is not None and is_cut_off(library.path(name), known.content_type)
    except (OSError, NotFound):  # removed meanwhile
        return
    if is_broken:
        shown_by = state.shown_by.get(name)
        what = f"is a picture that is cut off: {CUT_OFF}{f'; {shown_by} shows it' if shown_by else ''}"
        remedy = "copy or save it again, and load it"
        yield Finding(Severity.WARNING, VerifyKind.MEDIA_CUT_OFF, what, remedy, _where(name, state))


def incomplete_files(library: MediaLibrary, at: datetime) -> tuple[Path, ...]:
    """Return temporary files that no running process can be writing or removing any more."""
    oldest = (at - SETTLED_AFTER).timestamp()
    paths = [*library.folder.glob(".*.tmp"), *library.folder.glob(".*.old")]
    return tuple(sorted(path for path in paths if path.stat().st_mtime < oldest))


def repair_files(state: MediaRecords, library: MediaLibrary, at: datetime) -> tuple[MediaFile, ...]:
    """Put files back that the site folder still has; return the records of the store to add or correct.

    No file is removed whose content matches its name.
    """
    sizes = {
        name: size for name, digest, size in library.storage.digests(library.names()) if is_digest_of(digest, name)
    }
    for name in sorted((state.known.keys() | state.shown_by.keys()) - sizes.keys()):
        data = _source(name, state, library)
        if data is not None:
            library.storage.replace(name, data)
            sizes[name] = len(data)
    for path in incomplete_files(library, at):
        path.unlink(missing_ok=True)
    wrong = [name for name, size in sorted(sizes.items()) if not _is_recorded(state, name, size)]
    records = (_record(name, path, state.known.get(name), library, at) for name, path in library.each(wrong))
    return tuple(record for record in records if record)


def _is_recorded(state: MediaRecords, name: str, size: int) -> bool:
    known = state.known.get(name)
    return known is not None and known.size_bytes == size


def _record(
    name: str, path: Path | None, known: MediaFile | None, library: MediaLibrary, at: datetime
) -> MediaFile | None:
    """Return the correct record of an undamaged file; None if it is not a media file."""
    try:
        data = path.read_bytes() if path else b""
        media = library.describe(data, known.original_name if known else name, known.created_at if known else at)
    except InvalidMedia:
        return None
    return media if media.name == name else None


def _source(name: str, state: MediaRecords, library: MediaLibrary) -> bytes | None:
    """Return the right bytes from a copy in the library, or derived from the original file in the site folder."""
    for path in (library.folder / f".{name}.old", library.folder / name):
        data = _read(path)
        if is_digest_of(hashlib.sha256(data).hexdigest(), name):
            return data
    return state.originals.published(name)


def _read(path: Path) -> bytes:
    """Return the bytes of the file, none if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _where(name: str, state: MediaRecords) -> str:
    known = state.known.get(name)
    return f"media {name} ({known.original_name})" if known else f"media {name}"
