"""Locks by name that end with the process that holds them: they show which workers run and keep tasks exclusive.

`LockFiles` are for the workers of one machine: the kernel releases them. A server holds those of
`store.engines.postgres.locks` for a connection.
"""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from sitecms.files import make_private_folder

_SUFFIX = ".lock"


class Lock(Protocol):
    """A lock that this process acquired."""

    @property
    def name(self) -> str:
        """The name it was acquired by."""

    def is_held(self) -> bool:
        """Return whether the lock was neither released nor lost with the connection that holds it."""

    def release(self) -> None:
        """Let other processes acquire the lock."""


class Locks(Protocol):
    """The locks of one site, for all workers that share its store."""

    def acquire(self, name: str) -> Lock | None:
        """Return None, without waiting, while any process holds it, this one included."""

    def acquire_unique(self) -> Lock:
        """Acquire a lock whose name was never used before: while it is held, its holder is alive."""

    def is_held(self, name: str) -> bool:
        """Return whether any process holds the lock."""

    def close(self) -> None:
        """Release all locks of this process."""


def unique_name() -> str:
    """Return a new name for a holder; it begins with the process id, for people."""
    return f"{os.getpid()}-{secrets.token_hex(6)}"


@contextmanager
def try_lock(locks: Locks, name: str) -> Iterator[bool]:
    """Hold the lock to the end of the block; yield False, without waiting, if another process or thread holds it."""
    lock = locks.acquire(name)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            lock.release()


def is_file_locked(path: Path) -> bool:
    """Return whether a process holds the lock of the file; False if there is no file."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # also on a disk that is mounted for reading only
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared: two processes that ask do not see each other
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(handle)


class LockFiles:
    """Locks with unique names in `folder`, whose files are removed with them. Others have files in `once` beside it.

    `acquire` can fail for the moment in which another process asks whether the lock is held.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shared = folder.with_name("once")

    def acquire(self, name: str) -> "LockFile | None":
        """Return None, without waiting, while any process holds it, this one included."""
        make_private_folder(self._shared)
        handle = _open_locked(self._shared / f"{name}{_SUFFIX}")
        return None if handle is None else LockFile(name, handle)

    def acquire_unique(self) -> "LockFile":
        """Acquire a lock whose name was never used before."""
        make_private_folder(self._folder)
        self._prune()
        while True:
            name = unique_name()
            path = self._folder / f"{name}{_SUFFIX}"
            handle = _open_locked(path)
            if handle is not None and _is_file_at(path, handle):
                return LockFile(name, handle, path)
            if handle is not None:
                os.close(handle)  # another process pruned it between opening and locking

    def is_held(self, name: str) -> bool:
        """Return whether any process holds the lock."""
        return any(is_file_locked(folder / f"{name}{_SUFFIX}") for folder in (self._folder, self._shared))

    def close(self) -> None:
        """Do nothing: the kernel releases the locks."""

    def _prune(self) -> None:
        """Remove the files of processes that ended, each while its lock is held, so that no process acquires it."""
        for path in self._folder.glob(f"*{_SUFFIX}"):
            with suppress(FileNotFoundError):
                handle = _open_locked(path, os.O_RDWR)
                if handle is not None:
                    if _is_file_at(path, handle):
                        path.unlink(missing_ok=True)
                    os.close(handle)


class LockFile:
    """A lock that this process acquired. `own_path` is the file that is removed with it."""

    def __init__(self, name: str, handle: int, own_path: Path | None = None) -> None:
        self.name = name
        self._own_path = own_path
        self._handle: int | None = handle

    def is_held(self) -> bool:
        """Return whether the lock was not released."""
        return self._handle is not None

    def release(self) -> None:
        """Let other processes acquire the lock."""
        handle, self._handle = self._handle, None
        if handle is not None:
            if self._own_path is not None:
                with suppress(OSError):
                    self._own_path.unlink(missing_ok=True)
            os.close(handle)


def _open_locked(path: Path, flags: int = os.O_CREAT | os.O_RDWR) -> int | None:
    handle = os.open(path, flags | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def _is_file_at(path: Path, handle: int) -> bool:
    """Return whether the path leads to the open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
