"""The media library: files against their names, against what the store knows of them, and against who shows them."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sitecms.actions.operations.verify.finding import Finding, FindingKind
from sitecms.actions.originals import Originals, find_originals
from sitecms.content.media import MediaFile
from sitecms.errors import InvalidMedia
from sitecms.media.library import MediaLibrary
from sitecms.media.storage.interface import is_digest_of
from sitecms.store.database import Session
from sitecms.store.entries.media_files import all_media
from sitecms.store.maintenance.media_names import named_media
from sitecms.store.maintenance.media_usage import media_namers

SETTLED_AFTER = timedelta(minutes=10)
"""A file younger than this may be about to be named by a write that is being applied."""
Tick = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class MediaState:
    """What the store says of media files, by their names.

    `shown_by` is the first entry that shows the file.
    """

    known: Mapping[str, MediaFile]
    shown_by: Mapping[str, str]
    named: frozenset[str]
    originals: Originals


def media_state(session: Session, folder: Path) -> MediaState:
    """Read in one go, before any file is looked at."""
    originals = find_originals(session, folder)
    return MediaState(all_media(session), media_namers(session), named_media(session), originals)


def media_findings(state: MediaState, library: MediaLibrary, at: datetime, tick: Tick | None = None) -> list[Finding]:
    """Files that are missing, unknown, extra or not what they were.

    Each file is read, unless a remote library keeps the digests that it checked when they were uploaded.
    """
    names = library.names()
    there = set(names)
    found = [_missing(name, state, library) for name in sorted((state.known.keys() | state.shown_by.keys()) - there)]
    found += [
        Finding(FindingKind.MEDIA_UNKNOWN, f"media {name}", f"{state.shown_by[name]} shows it, and no row", "", True)
        for name in sorted(there & state.shown_by.keys() - state.known.keys())
    ]
    found += _extra(there, state, library, at)
    for done, (name, digest, size) in enumerate(library.digests(names), 1):
        found += _wrong(name, digest, size, state, library)
        if tick:
            tick("Media", done, len(names))
    return [*found, *_left(library, at)]


def _missing(name: str, state: MediaState, library: MediaLibrary) -> Finding:
    by = state.shown_by.get(name)
    what = f"is missing; {by} shows it" if by else "is missing; no entry shows it"
    remedy = "put it back from a backup, or show another file"
    return Finding(
        FindingKind.MEDIA_MISSING, _where(name, state), what, remedy, _source(name, state, library) is not None
    )


def _extra(there: set[str], state: MediaState, library: MediaLibrary, at: datetime) -> Iterator[Finding]:
    settled = set(library.old_names(at - SETTLED_AFTER))
    for name in sorted((there & settled) - state.known.keys() - state.named):
        what = "is in the library, and the store knows nothing of it"
        yield Finding(FindingKind.MEDIA_EXTRA, f"media {name}", what, "", True)


def _wrong(name: str, digest: str, size: int, state: MediaState, library: MediaLibrary) -> Iterator[Finding]:
    """A file that is not what it is called, or not as large as the store says."""
    where, known = _where(name, state), state.known.get(name)
    if not is_digest_of(digest, name):
        remedy = "put it back from a backup"
        is_mendable = _source(name, state, library) is not None
        what = f"holds other bytes than it was stored with (SHA-256 {digest[:32]})"
        yield Finding(FindingKind.MEDIA_DAMAGED, where, what, remedy, is_mendable)
    elif known and known.size_bytes != size:
        what = f"has {size:,} bytes, and the store says {known.size_bytes:,}"
        yield Finding(FindingKind.MEDIA_SIZE, where, what, "", True)


def _left(library: MediaLibrary, at: datetime) -> Iterator[Finding]:
    """What a process that was killed left behind."""
    for path in left_files(library, at):
        yield Finding(FindingKind.TEMPORARY_LEFT, f"file {path.name}", "was left by a process that ended", "", True)


def left_files(library: MediaLibrary, at: datetime) -> tuple[Path, ...]:
    """Half-written files, and files set aside to be removed, that nobody can be at any more."""
    moment = (at - SETTLED_AFTER).timestamp()
    found = [*library.folder.glob(".*.tmp"), *library.folder.glob(".*.old")]
    return tuple(sorted(path for path in found if path.stat().st_mtime < moment))


def mend_files(state: MediaState, library: MediaLibrary, at: datetime) -> tuple[MediaFile, ...]:
    """Put back what the site folder still has; what the store is to know of files that it knows wrongly, or not.

    Nothing that holds what its name says is removed.
    """
    sizes = {name: size for name, digest, size in library.digests(library.names()) if is_digest_of(digest, name)}
    for name in sorted((state.known.keys() | state.shown_by.keys()) - sizes.keys()):
        data = _source(name, state, library)
        if data is not None:
            library.put_back(name, data)
            sizes[name] = len(data)
    for path in left_files(library, at):
        path.unlink(missing_ok=True)
    unsure = [name for name, size in sorted(sizes.items()) if not _knows(state, name, size)]
    found = (_row(name, path, state.known.get(name), library, at) for name, path in library.each(unsure))
    return tuple(media for media in found if media)


def _knows(state: MediaState, name: str, size: int) -> bool:
    known = state.known.get(name)
    return known is not None and known.size_bytes == size


def _row(
    name: str, path: Path | None, known: MediaFile | None, library: MediaLibrary, at: datetime
) -> MediaFile | None:
    """What the store is to know of a sound file that it knows wrongly, or not; None: nothing can be known of it."""
    try:
        data = path.read_bytes() if path else b""
        media = library.describe(data, known.original_name if known else name, known.created_at if known else at)
    except InvalidMedia:
        return None
    return media if media.name == name else None


def _source(name: str, state: MediaState, library: MediaLibrary) -> bytes | None:
    """The right bytes: those that were set aside or copied, or those of the file of the site folder it was made of."""
    for path in (library.folder / f".{name}.old", library.folder / name):
        data = _read(path)
        if _is_right(name, data):
            return data
    return state.originals.published(name)


def _read(path: Path) -> bytes:
    """Return the bytes of the file, none if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _is_right(name: str, data: bytes) -> bool:
    return is_digest_of(hashlib.sha256(data).hexdigest(), name)


def _where(name: str, state: MediaState) -> str:
    known = state.known.get(name)
    return f"media {name} ({known.original_name})" if known else f"media {name}"
