"""Who holds writes: a worker is alive while it holds its lock file, which the kernel drops with the process."""

import fcntl
import os
import secrets
from contextlib import suppress
from pathlib import Path

from sitecms.store.lock_files import is_held

_ENDING = ".lock"


class Owners:
    """The workers of one site, by their lock files in `folder`. Needs no timer: live work is never run again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def enter(self) -> "Owner":
        """A new owner, alive from now on. The file gets its name once it is locked, so it is never seen unlocked."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self.prune()
        name = f"{os.getpid()}-{secrets.token_hex(6)}"
        early = self._folder / f"{name}.new"
        handle = os.open(early, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path = self._folder / f"{name}{_ENDING}"
        early.rename(path)
        return Owner(name, path, handle)

    def is_alive(self, name: str) -> bool:
        """Whether the owner still holds its lock."""
        return is_held(self._folder / f"{name}{_ENDING}")

    def prune(self) -> None:
        """Remove what dead owners left."""
        for path in self._folder.glob(f"*{_ENDING}"):
            if not is_held(path):
                path.unlink(missing_ok=True)


class Owner:
    """One living worker."""

    def __init__(self, name: str, path: Path, handle: int) -> None:
        self.name = name
        self._path = path
        self._handle = handle

    def leave(self) -> None:
        """Be dead from now on."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
            os.close(self._handle)
