"""Temporary folders that are removed even if their process is killed.

The process that made a folder holds a lock on it, which the kernel releases however the process ends. Who makes a
folder of the same name in the same place removes those without a living owner first; so do commands that
run for long when they start.
"""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_SUFFIX = ".tmp"
_RANDOM = r"[a-z0-9_]{8}"  # as `mkdtemp` makes it
_NAME = "sitecms-"


@contextmanager
def temporary_folder(name: str, parent: Path | None = None) -> Iterator[Path]:
    """Give a new folder that only this user can read, and remove it after the block, unless it was renamed.

    It is made in `parent`, by default in the system's folder for temporary files, where `name` is preceded by
    "sitecms-". Raises OSError.
    """
    if parent is None:
        remove_abandoned()
        path, handle = _make(Path(tempfile.gettempdir()), f"{_NAME}{name}-")
    else:
        remove_abandoned(parent, f"{name}-")
        path, handle = _make(parent, f"{name}-")
    try:
        yield path
    finally:
        if _is_at(path, handle):
            shutil.rmtree(path, ignore_errors=True)
        os.close(handle)


def remove_abandoned(parent: Path | None = None, prefix: str = _NAME) -> None:
    """Remove this user's folders of `temporary_folder` whose owners have ended. Never fails."""
    pattern = re.compile(rf"{re.escape(prefix)}(?:[a-z]+-)?{_RANDOM}{re.escape(_SUFFIX)}")
    place = Path(tempfile.gettempdir()) if parent is None else parent
    with suppress(OSError):
        with os.scandir(place) as entries:
            paths = [place / entry.name for entry in entries if pattern.fullmatch(entry.name)]
        for path in paths:
            with suppress(OSError):
                _remove_if_abandoned(path)


def _remove_if_abandoned(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if os.fstat(handle).st_uid == os.getuid() and _lock(handle) and _is_at(path, handle):
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(handle)


def _make(place: Path, prefix: str) -> tuple[Path, int]:
    """Make a folder and lock it; another one if a process that removes abandoned folders was faster."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=prefix, suffix=_SUFFIX, dir=place))
        try:
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        with suppress(OSError):  # a file system without locks: the folder is left there if the process is killed
            if not _lock(handle):
                os.close(handle)
                continue
        if _is_at(path, handle):
            return path, handle
        os.close(handle)


def _lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(path: Path, handle: int) -> bool:
    """Return whether the path leads to the open folder."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(handle))
    except FileNotFoundError:
        return False
