"""Checks of the media library: its files against their names, the store's records, and the entries that show them."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sitecms.actions.operations.verify.finding import VerifyKind, damage, repairable
from sitecms.actions.originals import Originals, find_originals
from sitecms.content.media import MediaFile
from sitecms.errors import InvalidMedia
from sitecms.findings import Finding
from sitecms.media.library import MediaLibrary
from sitecms.media.storage.interface import is_digest_of
from sitecms.progress import Progress
from sitecms.store.database import Session
from sitecms.store.entries.media_files import all_media
from sitecms.store.maintenance.media_usage import MediaUse, used_media

SETTLED_AFTER = timedelta(minutes=10)
"""A younger file may belong to a write that is being applied."""


@dataclass(frozen=True, slots=True)
class MediaState:
    """Records of the store about media files, by file name.

    `shown_by` is the first entry that shows the file.
    """

    known: Mapping[str, MediaFile]
    used: Mapping[str, MediaUse]
    shown_by: Mapping[str, str]
    originals: Originals


def media_state(session: Session, folder: Path) -> MediaState:
    """Read the records; call it before the files are read."""
    originals = find_originals(session, folder)
    used = used_media(session)
    shown_by = {name: use.place for name, use in used.items() if use.is_shown}
    return MediaState(all_media(session), used, shown_by, originals)


def media_findings(
    state: MediaState, library: MediaLibrary, at: datetime, progress: Progress | None = None
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
    for number, (name, digest, size) in enumerate(library.digests(names), 1):
        yield from _changed(name, digest, size, state, library)
        if progress:
            progress("Media", number, len(names))
    for path in incomplete_files(library, at):
        yield repairable(VerifyKind.TEMPORARY_LEFT, f"file {path.name}", "was left by a process that ended")


def _missing(name: str, state: MediaState, library: MediaLibrary) -> Finding:
    shown_by = state.shown_by.get(name)
    what = f"is missing; {shown_by} shows it" if shown_by else "is missing; no entry shows it"
    if _source(name, state, library) is not None:
        return repairable(VerifyKind.MEDIA_MISSING, _where(name, state), what)
    remedy = "restore the file from a backup, or show another one"
    return damage(VerifyKind.MEDIA_MISSING, _where(name, state), what, remedy)


def _changed(name: str, digest: str, size: int, state: MediaState, library: MediaLibrary) -> Iterator[Finding]:
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


def incomplete_files(library: MediaLibrary, at: datetime) -> tuple[Path, ...]:
    """Return temporary files that no running process can be writing or removing any more."""
    oldest = (at - SETTLED_AFTER).timestamp()
    paths = [*library.folder.glob(".*.tmp"), *library.folder.glob(".*.old")]
    return tuple(sorted(path for path in paths if path.stat().st_mtime < oldest))


def repair_files(state: MediaState, library: MediaLibrary, at: datetime) -> tuple[MediaFile, ...]:
    """Put files back that the site folder still has; return the records of the store to add or correct.

    No file is removed whose content matches its name.
    """
    sizes = {name: size for name, digest, size in library.digests(library.names()) if is_digest_of(digest, name)}
    for name in sorted((state.known.keys() | state.shown_by.keys()) - sizes.keys()):
        data = _source(name, state, library)
        if data is not None:
            library.put_back(name, data)
            sizes[name] = len(data)
    for path in incomplete_files(library, at):
        path.unlink(missing_ok=True)
    wrong = [name for name, size in sorted(sizes.items()) if not _is_recorded(state, name, size)]
    records = (_record(name, path, state.known.get(name), library, at) for name, path in library.each(wrong))
    return tuple(record for record in records if record)


def _is_recorded(state: MediaState, name: str, size: int) -> bool:
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


def _source(name: str, state: MediaState, library: MediaLibrary) -> bytes | None:
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


def _where(name: str, state: MediaState) -> str:
    known = state.known.get(name)
    return f"media {name} ({known.original_name})" if known else f"media {name}"
