"""Files of a backup, unpacked; names and kinds that no backup has are refused before anything is written."""

import hashlib
import os
import stat
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO

from sitecms.actions.operations.backup.manifest import (
    LIBRARY_FOLDER,
    MANIFEST,
    SITE_FOLDER,
    STORE_NAME,
    BackupManifest,
    Packed,
    read_manifest,
)
from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX
from sitecms.errors import ConfigurationError
from sitecms.settings.site import SETTINGS_FILE, STATE_FOLDER

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
        raise _damaged(file, f"{entry.name[:100]!r} is no plain file, and a backup holds nothing else")
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
    raise _damaged(file, f"it holds {name[:100]!r}, which no backup of sitecms does")


def _write(content: IO[bytes], path: Path, entry: tarfile.TarInfo) -> Packed:
    """Write the bytes to that path, which is new, with the time and the executable bit that they had."""
    path.parent.mkdir(parents=True, exist_ok=True)
    found, size = hashlib.sha256(), 0
    with path.open("xb") as target:
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
            raise _damaged(file, f"it holds no {name}")


def _damaged(file: Path, problem: str, *, is_backup: bool = True) -> ConfigurationError:
    subject = f"The backup {file}" if is_backup else f"{file} is not a backup made by sitecms, or it"
    return ConfigurationError(f"{subject} is damaged: {problem}. Nothing was restored.")
