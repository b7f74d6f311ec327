"""Local cache of stored files: named by content, so never stale; least recently used files are removed first.

Files are put in place whole. A file that was used within the last minute stays, even above the limit.
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX
from sitecms.files import make_private_folder
from sitecms.temporary_folders import temporary_folder

YOUNG_SECONDS = 60.0
_ROOM = 0.9  # of the bound, to which the folder is brought back
_LOOKS = 16  # how often the folder is looked through while as much is added as the bound has


class Copies:
    """Folder of copies, which any number of processes use at once."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self.folder = folder
        self._max_bytes = max_bytes
        self._added = max_bytes  # so that the first to be added has the folder looked through

    def find(self, name: str) -> Path | None:
        """Return the copy and mark it as used; None if there is none."""
        path = self.folder / name
        try:
            os.utime(path)
        except OSError:
            return None
        return path

    def size(self, name: str) -> int:
        """Return the size in bytes; -1 if there is no copy."""
        try:
            return (self.folder / name).stat().st_size
        except OSError:
            return -1

    @contextmanager
    def place(self) -> Iterator[Path]:
        """Yield a temporary folder beside the copies."""
        make_private_folder(self.folder)
        with temporary_folder(".held", self.folder) as folder:
            yield folder

    def link_to(self, name: str, target: Path) -> bool:
        """Make a hard link to the copy; return False if there is no copy."""
        path = self.find(name)
        try:
            if path:
                os.link(path, target)
        except OSError:
            return False
        return path is not None

    def keep(self, name: str, path: Path) -> Path:
        """Add the file at the path as a copy, and remove the oldest copies above the limit."""
        copy = self.folder / name
        second = path.with_name(f"{path.name}.keep")
        try:
            os.link(path, second)
        except OSError:  # a file system without second names
            shutil.copyfile(path, second)
        size = second.stat().st_size
        second.replace(copy)
        self._added += size
        if self._added * _LOOKS >= self._max_bytes:
            self._added = 0
            self._trim()
        return copy

    def drop(self, name: str) -> None:
        """Remove the copy."""
        (self.folder / name).unlink(missing_ok=True)

    def _trim(self) -> None:
        """Remove the oldest copies above the limit."""
        now, files = time.time(), []
        for path in self.folder.iterdir():
            with suppress(OSError):
                stat = path.stat()
                if MEDIA_NAME.fullmatch(MEDIA_PREFIX + path.name):
                    files.append((stat.st_mtime, stat.st_size, path))
        total = sum(size for _, size, _ in files)
        if total <= self._max_bytes:
            return
        for used_at, size, path in sorted(files):
            if total <= self._max_bytes * _ROOM or now - used_at < YOUNG_SECONDS:
                return
            path.unlink(missing_ok=True)
            total -= size
