"""The archive of a backup: a tar file, compressed if its name says so, which appears when it is complete."""

import hashlib
import io
import os
import stat
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from sitecms.actions.operations.backup.manifest import STORE_NAME, Packed
from sitecms.errors import Conflict
from sitecms.files import sync_folder

_COMPRESSED = (".gz", ".tgz")
_SUFFIXES = (".tar", *_COMPRESSED)
_LEVEL = 5
_READ_FIRST_BYTES = 16 << 20


class Archive:
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
def new_archive(target: Path, work: Path, *, replace: bool) -> Iterator[Archive]:
    """Give an archive that appears at `target`, durably, when the block ends well; it is written in the folder `work`.

    Raises Conflict if a file has appeared there that must not be replaced.
    """
    part = work / "part"
    with part.open("wb") as file:
        os.fchmod(file.fileno(), 0o600)  # it contains the signing secrets of webhooks
        if target.suffix in _COMPRESSED:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=_LEVEL, format=tarfile.PAX_FORMAT) as tar:
                yield Archive(tar)
        else:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
                yield Archive(tar)
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
