"""Lock files, for the workers of one machine: held by a living process, dropped by the kernel with it."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from sitecms.store.engines.locks import new_name

_ENDING = ".lock"


def is_held(path: Path) -> bool:
    """Whether a process holds the lock of the file; False where there is no file."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared, so that two who look do not see each other
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(handle)


class LockFiles:
    """Locks of holders' own in `folder`, where a file goes with its lock; those by a shared name beside it, to stay.

    `take` can fail for the moment in which another process looks whether the lock is taken.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shared = folder.with_name("once")

    def take(self, name: str) -> "LockFile | None":
        """None, without waiting, while anyone holds it, this process included."""
        self._shared.mkdir(parents=True, exist_ok=True)
        handle = _open_locked(self._shared / f"{name}{_ENDING}")
        return None if handle is None else LockFile(name, handle)

    def take_own(self) -> "LockFile":
        """One by a name that nobody had before."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._prune()
        while True:
            name = new_name()
            path = self._folder / f"{name}{_ENDING}"
            handle = _open_locked(path)
            if handle is not None and _is_at(path, handle):
                return LockFile(name, handle, path)
            if handle is not None:
                os.close(handle)  # another process took it for one of the dead, between opening and locking

    def is_taken(self, name: str) -> bool:
        """Whether anyone holds it."""
        return any(is_held(folder / f"{name}{_ENDING}") for folder in (self._folder, self._shared))

    def close(self) -> None:
        """The kernel sees to it."""

    def _prune(self) -> None:
        """Remove what dead holders left: with its lock held, so that nobody takes it in that moment."""
        for path in self._folder.glob(f"*{_ENDING}"):
            with suppress(FileNotFoundError):
                handle = _open_locked(path, os.O_RDWR)
                if handle is not None:
                    if _is_at(path, handle):
                        path.unlink(missing_ok=True)
                    os.close(handle)


class LockFile:
    """One that was taken; the kernel lets go of it with the process. `own` is the file that goes with it."""

    def __init__(self, name: str, handle: int, own: Path | None = None) -> None:
        self.name = name
        self._own = own
        self._handle: int | None = handle

    def is_held(self) -> bool:
        """Until it was let go of."""
        return self._handle is not None

    def let_go(self) -> None:
        """Others may take it now."""
        handle, self._handle = self._handle, None
        if handle is not None:
            if self._own is not None:
                with suppress(OSError):
                    self._own.unlink(missing_ok=True)
            os.close(handle)


def _open_locked(path: Path, flags: int = os.O_CREAT | os.O_RDWR) -> int | None:
    handle = os.open(path, flags | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle


def _is_at(path: Path, handle: int) -> bool:
    """Whether the path leads to that open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
