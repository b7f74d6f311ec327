"""Restore of a backup as a site folder: unpacked beside it, checked by its digests, and put in place when complete.

Names and kinds of files that no backup contains are refused before anything is written.
"""

import hashlib
import os
import shutil
import stat
import tarfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO

from msgspec import Struct

from sitecms.actions.operations.backup.manifest import (
    LIBRARY_FOLDER,
    MANIFEST,
    SITE_FOLDER,
    STORE_NAME,
    BackupManifest,
    Packed,
    read_manifest,
)
from sitecms.actions.operations.store_transfer import fill_store
from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX
from sitecms.errors import ConfigurationError, SitecmsError, StoreUnusable
from sitecms.files import make_private_folder
from sitecms.media.library import open_library
from sitecms.media.storage.interface import digest_of, is_digest_of
from sitecms.progress import Progress
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SETTINGS_FILE, STATE_FOLDER, load_settings
from sitecms.store.accounts.mails import drop_waiting
from sitecms.store.accounts.sessions import end_everything
from sitecms.store.maintenance.integrity import damage
from sitecms.store.maintenance.rows import is_unused
from sitecms.store.maintenance.statistics import count_rows
from sitecms.store.maintenance.store_copy import remove_store_file
from sitecms.store.opening import open_database
from sitecms.store.site_state.documents import delete_identity
from sitecms.store.site_state.relocation_state import set_move
from sitecms.store.writes.claims import claim_owners, release_claims
from sitecms.temporary_folders import temporary_folder

RESTORED = "The store was restored from a backup, since which it may have been sent."
_CHUNK = 1 << 20
_MAX_MANIFEST_BYTES = 1 << 30
_UNREADABLE = (tarfile.TarError, EOFError, zlib.error, ValueError)


def unpack(file: Path, folder: Path, tick: Callable[[int], None]) -> BackupManifest:
    """Write every file of the backup below `folder` and return its size and digest; report the number to `tick`.

    Raises ConfigurationError if the file is not a backup, is truncated or damaged, or names paths outside the folder.
    """
    unpacked: dict[str, Packed] = {}
    manifest: BackupManifest | None = None
    with file.open("rb") as source:
        try:
            with tarfile.open(fileobj=source, mode="r|*") as tar:
                for entry in tar:
                    if manifest is not None:
                        raise _damaged(file, f"{entry.name[:100]!r} stands behind its end")
                    content = _content(tar, entry, file)
                    if entry.name == MANIFEST:
                        if entry.size > _MAX_MANIFEST_BYTES:
                            raise _damaged(file, f"its {MANIFEST} is too large")
                        manifest = read_manifest(content.read(), str(file))
                        continue
                    if entry.name in unpacked:
                        raise _damaged(file, f"it holds {entry.name} twice")
                    unpacked[entry.name] = _write(content, folder / _place(entry.name, file), entry)
                    tick(len(unpacked))
        except _UNREADABLE as error:
            raise _damaged(file, str(error) or "it is cut off", is_backup=bool(unpacked)) from error
        except OSError as error:
            if error.strerror:
                raise
            raise _damaged(file, str(error), is_backup=bool(unpacked)) from error  # the message of gzip
    if manifest is None:
        raise _damaged(file, f"it ends without its {MANIFEST}, so it was cut off", is_backup=bool(unpacked))
    _compare(unpacked, manifest, file)
    return manifest


def _content(tar: tarfile.TarFile, entry: tarfile.TarInfo, file: Path) -> IO[bytes]:
    content = tar.extractfile(entry) if entry.isreg() else None
    if content is None:
        raise _damaged(file, f"{entry.name[:100]!r} is not a plain file, and a backup contains nothing else")
    return content


def _place(name: str, file: Path) -> str:
    """Return the place of the file in a site folder. Raises ConfigurationError if it has none."""
    if name == STORE_NAME:
        return f"{STATE_FOLDER}/store.db"
    inner = name.removeprefix(LIBRARY_FOLDER)
    if inner != name and MEDIA_NAME.fullmatch(MEDIA_PREFIX + inner):
        return f"{STATE_FOLDER}/media/{inner}"
    inner = name.removeprefix(SITE_FOLDER)
    parts = inner.split("/")
    is_plain = not any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts)
    if inner != name and is_plain and parts[0].lower() != STATE_FOLDER:
        return inner
    raise _damaged(file, f"it contains {name[:100]!r}, which no backup of sitecms does")


def _write(content: IO[bytes], path: Path, entry: tarfile.TarInfo) -> Packed:
    """Write the bytes to that path, which is new, with the time and the executable bit that they had."""
    is_private = path.parent.name == STATE_FOLDER
    if is_private:
        make_private_folder(path.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    found, size = hashlib.sha256(), 0
    with path.open("xb") as target:
        if is_private:
            os.fchmod(target.fileno(), 0o600)
        while data := content.read(_CHUNK):
            found.update(data)
            size += target.write(data)
    if path.parent.parent.name != STATE_FOLDER:  # media keep the current time, so that none is removed soon
        os.utime(path, (entry.mtime, entry.mtime))
    if entry.mode & stat.S_IXUSR:
        path.chmod(0o755)
    return Packed(size, found.hexdigest())


def _compare(unpacked: dict[str, Packed], manifest: BackupManifest, file: Path) -> None:
    """Raise ConfigurationError with the first file that differs from the manifest."""
    for name, packed in manifest.files.items():
        if name not in unpacked:
            raise _damaged(file, f"{name} is missing")
        if unpacked[name] != packed:
            raise _damaged(file, f"{name} is not what was packed: its digest differs")
    if extra := unpacked.keys() - manifest.files.keys():
        raise _damaged(file, f"{min(extra)} is not in its {MANIFEST}")
    for name in (STORE_NAME, SITE_FOLDER + SETTINGS_FILE):
        if name not in unpacked:
            raise _damaged(file, f"it contains no {name}")


def _damaged(file: Path, problem: str, *, is_backup: bool = True) -> ConfigurationError:
    subject = f"The backup {file}" if is_backup else f"{file} is not a backup made by sitecms, or it"
    return ConfigurationError(f"{subject} is damaged: {problem}. Nothing was restored.")


class RestoreReport(Struct, frozen=True):
    """Content that was restored; `counts` are named as in `store.maintenance.statistics`."""

    manifest: BackupManifest
    counts: dict[str, int]
    seconds: float


def restore_backup(file: Path, folder: Path, at: datetime, progress: Progress | None = None) -> RestoreReport:
    """Make `folder`, which is empty or missing, the site that was packed into `file`.

    Content is stored in an empty database, and media in object storage, if the settings or the environment name them.
    Claims of former workers are released, and users of the studio have to sign in again. Raises ConfigurationError, and
    leaves nothing behind, if the folder or the database is not empty, or the backup is incomplete.
    """
    started = time.perf_counter()
    _check(file, folder)

    def tick(done: int) -> None:
        if progress:
            progress("Unpacking", done, done)

    is_there = False
    temporary = ExitStack()
    aside = temporary.enter_context(temporary_folder(f".{folder.name}", folder.absolute().parent))
    try:
        manifest = unpack(file, aside, tick)
        store = aside / STATE_FOLDER / "store.db"
        counts = _take_over(store, at)
        _upload_media(aside, progress)
        aside.chmod(0o755)
        with content_brought(load_settings(aside, with_plugins=False).store_url, store, progress):
            os.sync()
            aside.rename(folder)
            is_there = True
    except OSError as error:
        if folder.is_dir() and any(folder.iterdir()):
            raise _not_empty(folder) from error
        raise
    except SitecmsError:
        if is_there:  # the transaction of the database failed
            folder.rename(aside)
        raise
    finally:
        temporary.close()
    return RestoreReport(manifest, counts, time.perf_counter() - started)


def _upload_media(folder: Path, progress: Progress | None) -> None:
    """Upload the media to object storage, if the site keeps them there. Raises MediaUnusable."""
    settings = load_settings(folder, with_plugins=False)
    library = open_library(settings)
    if library.is_remote and settings.media_dir.is_dir():
        paths = settings.media_dir.iterdir()  # the storage refuses files that were damaged before the backup
        files = {path.name: path for path in paths if is_digest_of(digest_of(path)[0], path.name)}
        library.storage.put_files(files, partial(progress, "Uploading media") if progress else None)
        shutil.rmtree(settings.media_dir)


def _check(file: Path, folder: Path) -> None:
    if not file.is_file():
        raise ConfigurationError(f"There is no backup {file}.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise _not_empty(folder)
    if folder.is_symlink():
        raise ConfigurationError(f"{folder} is a link; name the folder itself.")
    if not folder.absolute().parent.is_dir():
        raise ConfigurationError(f"The folder {folder.absolute().parent} does not exist; make it first.")


def _not_empty(folder: Path) -> ConfigurationError:
    return ConfigurationError(f"{folder} is not an empty folder. Nothing was changed; name a new one.")


def _take_over(store: Path, at: datetime) -> dict[str, int]:
    """Check that the store is undamaged, migrate its tables, release the claims in it, and end sessions and links."""
    if problems := damage(store):
        raise StoreUnusable(f"The store in the backup is damaged ({problems[0]}). Nothing was restored.")
    database = open_database(store, moving=True)
    try:
        with database.writing(counts_as_change=False) as transaction:
            set_move(transaction, None)
            release_claims(transaction, claim_owners(transaction), at)
            delete_identity(transaction)  # the original site may still run
            end_everything(transaction)  # some may have ended, and links been used, since the backup
            drop_waiting(transaction, RESTORED, at)  # and messages been sent
        return database.read(count_rows)
    finally:
        database.close()


@contextmanager
def content_brought(url: ServiceUrl, store: Path, progress: Progress | None) -> Iterator[None]:
    """Put the content into the database if the block ends well, and remove the file. Without an address the file stays.

    Raises ConfigurationError if the database is not empty.
    """
    if not url:
        yield
        return
    database = open_database(url, create=True)
    try:
        with database.writing(counts_as_change=False) as transaction:
            if not is_unused(transaction):
                raise ConfigurationError(
                    f"There is a store at {url} already. Nothing was restored; set "
                    "SITECMS_STORE_URL to an empty database, or to sqlite to keep the content in the restored folder."
                )
            restored = open_database(store)
            try:
                restored.read(fill_store, transaction, progress=progress)
            finally:
                restored.close()
            remove_store_file(store)
            yield
    finally:
        database.close()


__all__ = ["RestoreReport", "restore_backup"]
