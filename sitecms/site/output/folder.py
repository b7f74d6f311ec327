"""The published folder and its lock."""

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from sitecms.content.fingerprint import digest
from sitecms.errors import OutputFailed, OutputRefused
from sitecms.files import make_private_folder
from sitecms.site.output.manifest import MANIFEST_NAME

COPIED_AT_ONCE = 1 << 20
FOLDERS_KNOWN = 1_000
"""Most folders hold one page and are never asked for again."""
_OF_ITS_NAME = frozenset({errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL})
"""Errors that other outputs do not have."""


class OutputFolder:
    """Folder in which a site is published. Raises OutputRefused for a folder with files of another origin."""

    def __init__(self, folder: Path) -> None:
        self.named = folder
        if folder.is_symlink() and not folder.exists():
            raise OutputRefused(f"The output folder {folder} is a broken link. Remove the link.")
        if folder.exists() and not folder.is_dir():
            raise OutputRefused(f"The output {folder} is a file; name a folder.")
        self.folder = folder.resolve()
        self.is_empty = not folder.is_dir() or not any(folder.iterdir())
        if not self.is_empty and not self.is_ours():
            raise OutputRefused(
                f"The output folder {folder} is not empty and was not made by sitecms. Nothing was changed; "
                "name another folder, or empty this one."
            )

    def is_ours(self) -> bool:
        """Return True if an earlier build left its manifest."""
        return (self.folder / MANIFEST_NAME).exists()


def write_new(root: str, path: str, data: bytes, folders: set[str] | None = None) -> None:
    """Replace a file by a new one that shares its bytes with no other name.

    Raises OutputRefused if the file system has no such name, OutputFailed if it takes no more files.
    `folders` are those that exist, for a tree in which most do not.
    """
    with _new_file(root, path, folders) as handle:
        _write_all(handle, data)


def copy_new(root: str, path: str, source: BinaryIO, folders: set[str] | None = None) -> None:
    """Copy an open file from its beginning, a part at a time, as `write_new` writes bytes."""
    source.seek(0)
    with _new_file(root, path, folders) as handle:
        while part := source.read(COPIED_AT_ONCE):
            _write_all(handle, part)


def _write_all(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


@contextmanager
def _new_file(root: str, path: str, folders: set[str] | None) -> Iterator[int]:
    name = f"{root}/{path}"
    try:
        if folders is not None and (folder := name.rpartition("/")[0]) not in folders:
            _have_folder(folder)
            if len(folders) >= FOLDERS_KNOWN:
                folders.clear()
            folders.add(folder)
        handle = _created(name)
        try:
            yield handle
        finally:
            os.close(handle)
    except OSError as error:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108  # called per output
        problem = f"{path} cannot be written: {(error.strerror or 'unknown error').lower()}."
        if error.errno in _OF_ITS_NAME:
            raise OutputRefused(problem) from error
        raise OutputFailed(f"{problem} Nothing was published; the site stays as it was.") from error


def _created(name: str) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        return os.open(name, flags, 0o666)
    except FileNotFoundError:
        _have_folder(name.rpartition("/")[0])
    except FileExistsError:
        os.unlink(name)  # noqa: PTH108  # called per output
    return os.open(name, flags, 0o666)


def _have_folder(folder: str) -> None:
    try:
        os.mkdir(folder)  # noqa: PTH102  # called per output
    except FileNotFoundError:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
    except FileExistsError:
        if not os.path.isdir(folder):  # noqa: PTH112
            raise


def read_same(name: str, data: bytes) -> bool | None:
    """Return True if a regular file holds exactly these bytes; None if nothing is there."""
    return _compared(name, lambda file, size: size == len(data) and file.read(size) == data)


def is_copy(name: str, source: BinaryIO) -> bool | None:
    """Return True if a regular file holds the bytes of an open one; None if nothing is there."""

    def is_same(file: FileIO, size: int) -> bool:
        if size != os.fstat(source.fileno()).st_size:
            return False
        while part := source.read(COPIED_AT_ONCE):
            if file.read(len(part)) != part:
                return False
        return True

    return _compared(name, is_same)


def _compared(name: str, is_same: Callable[[FileIO, int], bool]) -> bool | None:
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    except OSError:
        return False
    try:
        with FileIO(handle, closefd=False) as file:
            return is_same(file, os.fstat(handle).st_size)
    except OSError:
        return False
    finally:
        os.close(handle)


@contextmanager
def build_lock(state_folder: Path, output: Path) -> Iterator[None]:
    """Hold the lock of an output folder: a second build waits. The kernel releases it with its process."""
    make_private_folder(state_folder)
    name = digest(os.fsencode(output.resolve()))[:16]
    with (state_folder / f"build-{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
