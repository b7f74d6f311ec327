"""Steps of a backup, and its archive: a tar file, compressed if its name says so, that appears when it is complete."""

import hashlib
import io
import os
import stat
import tarfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO

from msgspec import Struct
from msgspec.structs import replace

from sitecms import __version__
from sitecms.actions.operations.backup.manifest import (
    LIBRARY_FOLDER,
    MANIFEST,
    SITE_FOLDER,
    STORE_NAME,
    BackupManifest,
    Packed,
)
from sitecms.actions.operations.backup.site_files import FolderFiles, FolderScan
from sitecms.actions.operations.store_transfer import copy_to_file
from sitecms.clock import format_timestamp
from sitecms.errors import ConfigurationError, Conflict, MediaUnusable, StoreUnusable
from sitecms.files import sync_folder
from sitecms.media.library import MediaLibrary, open_library, protected_media
from sitecms.progress import Progress
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.entries.media_files import all_media
from sitecms.store.maintenance.integrity import damage
from sitecms.store.maintenance.media_usage import used_media
from sitecms.store.maintenance.row_digests import check_rows
from sitecms.store.maintenance.statistics import count_rows
from sitecms.store.maintenance.store_copy import StoreCopy
from sitecms.store.opening import open_database
from sitecms.temporary_folders import temporary_folder

_COMPRESSED = (".gz", ".tgz")
_SUFFIXES = (".tar", *_COMPRESSED)
_LEVEL = 5
_READ_FIRST_BYTES = 16 << 20


class BackupArchive:
    """Archive that is being written; `files` are the added files by name."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.files: dict[str, Packed] = {}

    def add(self, name: str, path: Path) -> str:
        """Add the file as it is now and return its SHA-256. Raises OSError if it cannot be read: nothing is added then.

        A small file is read first, so that one that gets shorter meanwhile does not damage the archive.
        """
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            source: IO[bytes] = io.BytesIO(file.read()) if found.st_size <= _READ_FIRST_BYTES else file
            size = len(source.getbuffer()) if isinstance(source, io.BytesIO) else found.st_size
            return self._add(name, source, size, found.st_mtime, is_executable=bool(found.st_mode & stat.S_IXUSR))

    def add_bytes(self, name: str, data: bytes, modified: float = 0) -> None:
        """Add a file of these bytes."""
        self._add(name, io.BytesIO(data), len(data), modified)

    def _add(self, name: str, file: IO[bytes], size: int, modified: float, *, is_executable: bool = False) -> str:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mtime, entry.mode = size, modified, 0o755 if is_executable else 0o644
        reader = _Hashing(file)
        self._tar.addfile(entry, reader)
        self.files[name] = Packed(size, reader.digest())
        return self.files[name].sha256


class _Hashing:
    """File reader that computes the digest of what is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._hash.update(data)
        return data

    def digest(self) -> str:
        return self._hash.hexdigest()


@contextmanager
def new_archive(target: Path, work: Path, *, replace: bool) -> Iterator[BackupArchive]:
    """Give an archive that appears at `target`, durably, when the block ends well; it is written in the folder `work`.

    Raises Conflict if a file has appeared there that must not be replaced.
    """
    part = work / "part"
    with part.open("wb") as file:
        os.fchmod(file.fileno(), 0o600)  # it contains the signing secrets of webhooks
        if target.suffix in _COMPRESSED:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=_LEVEL, format=tarfile.PAX_FORMAT) as tar:
                yield BackupArchive(tar)
        else:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
                yield BackupArchive(tar)
        file.flush()
        os.fsync(file.fileno())
    if not replace:
        refuse_existing(target)
    part.replace(target)
    sync_folder(target.parent)


def refuse_existing(target: Path) -> None:
    """Raise Conflict if the path exists."""
    if target.exists() or target.is_symlink():
        raise Conflict("file", f"{target} exists already. Name another file, or give --force to replace it.")


def is_backup(path: Path) -> bool:
    """Return whether the file is a backup of sitecms: a tar whose first file is the store."""
    if path.suffix not in _SUFFIXES:
        return False
    try:
        with tarfile.open(path) as tar:
            first = tar.next()
    except (tarfile.TarError, EOFError, zlib.error, OSError):
        return False
    return first is not None and first.name == STORE_NAME


class BackupReport(Struct, frozen=True):
    """Result of a backup.

    `damaged_media` are the media files whose bytes do not match their name, packed as they are. `left_out` names files
    and folders that were not packed because Git ignores them, `unpackable` describes what a backup cannot hold.
    """

    manifest: BackupManifest
    left_out: tuple[str, ...]
    unpackable: tuple[str, ...]
    size_bytes: int
    damaged_media: tuple[str, ...]
    seconds: float


class _Named(Struct, frozen=True):
    """Media that the copied store names: those to pack, and those that the site does not have."""

    present: tuple[str, ...]
    missing: tuple[str, ...]
    counts: dict[str, int]


def back_up(
    database: Database,
    settings: SiteSettings,
    target: Path,
    at: datetime,
    *,
    replace: bool = False,
    with_ignored: bool = False,
    progress: Progress | None = None,
) -> BackupReport:
    """Pack the site into the file `target` while other processes write; their writes may be missing in it.

    Files that `.gitignore` names, and that sitecms does not read, are packed only `with_ignored`.

    Raises Conflict if the file exists and must not be `replace`d, StoreUnusable if the store is damaged; no file is
    left behind then.
    """
    started = time.perf_counter()
    if not target.parent.is_dir():
        raise ConfigurationError(f"The folder {target.parent} does not exist; make it first.")
    if target.is_dir():
        raise ConfigurationError(f"{target} is a folder; name a file, as {target / 'tide.tar.gz'}.")
    if not replace:
        refuse_existing(target)
    library = open_library(settings)
    with protected_media(library), temporary_folder(f".{target.name}", target.parent) as work:
        site = _find_site_files(settings, target, work, with_ignored=with_ignored)
        copied = _copy(database, work / STORE_NAME, progress)
        named = _named(work / STORE_NAME, library)
        with new_archive(target, work, replace=replace) as archive:
            archive.add(STORE_NAME, work / STORE_NAME)
            damaged = _pack_media(archive, library, named.present, progress)
            _pack_site(archive, settings, site.paths, progress)
            manifest = BackupManifest(
                sitecms=__version__,
                made_at=format_timestamp(at),
                site=settings.name,
                change_number=copied.change_number,
                store_version=copied.version,
                counts=named.counts,
                files=dict(archive.files),
                missing_media=named.missing,
            )
            archive.add_bytes(MANIFEST, manifest.as_bytes(), at.timestamp())
    size, seconds = target.stat().st_size, time.perf_counter() - started
    return BackupReport(manifest, site.ignored, site.unpackable, size, damaged, seconds)


def _copy(database: Database, target: Path, progress: Progress | None) -> StoreCopy:
    """Copy the store; raise for a damaged one, so that no good backup is replaced by it."""
    database.read(check_rows, database.address)
    copied = copy_to_file(database, target, progress=progress)
    if problems := damage(target, is_quick=True):
        raise StoreUnusable(
            f"The store {database.address} is damaged ({problems[0]}), so no backup was made of it. "
            "See the damage: sitecms verify"
        )
    return copied


def _named(copy: Path, library: MediaLibrary) -> _Named:
    """Read the names from the copy. Names that only texts contain are not counted as missing."""
    snapshot = open_database(copy)
    try:
        with snapshot.reading() as session:
            known, counts = all_media(session).keys(), count_rows(session)
            named = known | used_media(session).keys()
    finally:
        snapshot.close()
    present = tuple(sorted(named & set(library.names())))
    return _Named(present, tuple(sorted(known - set(present))), counts)


def _pack_media(
    archive: BackupArchive, library: MediaLibrary, names: tuple[str, ...], progress: Progress | None
) -> tuple[str, ...]:
    """Pack the files; return the names of those whose content does not match."""
    damaged = []
    for done, (name, path) in enumerate(library.each(names), 1):
        if path is None:
            raise MediaUnusable(f"{name} was removed from the media library during the backup. Try again.")
        sha256 = archive.add(LIBRARY_FOLDER + name, path)
        if not sha256.startswith(name.partition(".")[0]):
            damaged.append(name)
        if progress:
            progress("Media", done, len(names))
    return tuple(damaged)


def _find_site_files(settings: SiteSettings, target: Path, work: Path, *, with_ignored: bool) -> FolderFiles:
    """Return the files of the site folder to pack; earlier backups that lie in it are left out."""
    skipped = (target.parent.resolve() / target.name, work.resolve())
    found = FolderScan(settings.folder, settings.output_dir, skipped, with_ignored=with_ignored).run()
    backups = {path for path in found.paths if is_backup(settings.folder / path)}
    return replace(
        found,
        paths=tuple(path for path in found.paths if path not in backups),
        unpackable=(*found.unpackable, *(f"{path!r} is a backup itself" for path in sorted(backups))),
    )


def _pack_site(
    archive: BackupArchive, settings: SiteSettings, paths: tuple[str, ...], progress: Progress | None
) -> None:
    """Pack these files of the site folder; a file that was removed meanwhile is left out."""
    for done, path in enumerate(paths, 1):
        with suppress(FileNotFoundError):
            archive.add(SITE_FOLDER + path, settings.folder / path)
        if progress:
            progress("Files", done, len(paths))
