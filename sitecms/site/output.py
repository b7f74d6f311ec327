"""The output folder: whole files only, equal bytes untouched, and nothing removed that sitecms did not make."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sitecms.content.fingerprint import digest
from sitecms.content.permalink import MAX_PART_BYTES, capped_part
from sitecms.errors import OutputRefused
from sitecms.site.manifest import MANIFEST_NAME, UNDERWAY_NAME

_UNFINISHED = ".sitecms-unfinished"


class OutputFolder:
    """Where a build writes. Raises OutputRefused for a folder with files that sitecms did not make."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known_folders: set[Path] = set()
        if folder.exists() and not folder.is_dir():
            raise OutputRefused(f"The output {folder} is a file; name a folder.")
        if folder.is_dir() and any(folder.iterdir()) and not self.is_ours():
            raise OutputRefused(
                f"The output folder {folder} is not empty and was not made by sitecms. Nothing was changed; "
                "name another folder, or empty this one."
            )

    def is_ours(self) -> bool:
        """Whether an earlier build left its mark."""
        marks = (MANIFEST_NAME, UNDERWAY_NAME, UNDERWAY_NAME + _UNFINISHED)
        return any((self.folder / mark).is_file() for mark in marks)

    def size(self, name: str) -> int | None:
        """The size of an output in bytes; None if it is not there as a plain file."""
        try:
            stat = os.lstat(self.folder / name)
        except OSError:
            return None
        return stat.st_size if os.path.isfile(self.folder / name) else None  # noqa: PTH113  # called per output

    def write(self, name: str, data: bytes) -> bool:
        """Put the bytes there, all at once; False if they were there already."""
        path = self.folder / name
        self._make_folder(path.parent)
        if _holds(path, data):
            return False
        unfinished = _unfinished(path)
        try:
            unfinished.write_bytes(data)
            unfinished.replace(path)
        except OSError:
            unfinished.unlink(missing_ok=True)
            raise
        return True

    def remove(self, name: str) -> None:
        """Take an output away, with the folders that it leaves empty; nothing beyond a link is touched."""
        path = self.folder / name
        if not self._is_within(path.parent):
            return
        with suppress(FileNotFoundError, NotADirectoryError):
            path.unlink()
        for parent in path.parents:
            if parent == self.folder or (parent.is_dir() and any(parent.iterdir())):
                return
            with suppress(FileNotFoundError, NotADirectoryError):
                parent.rmdir()

    def clear_unfinished(self, name: str) -> None:
        """Take away what a killed build may have left beside an output."""
        path = self.folder / name
        with suppress(FileNotFoundError, NotADirectoryError):
            _unfinished(path).unlink()

    def _make_folder(self, folder: Path) -> None:
        if folder in self._known_folders:
            return
        if not self._is_within(folder):  # before it is made, or it would be made where the link leads
            raise OutputRefused(f"{folder} leads out of the output folder through a link. Remove the link.")
        folder.mkdir(parents=True, exist_ok=True)
        self._known_folders.add(folder)

    def _is_within(self, folder: Path) -> bool:
        return folder.resolve().is_relative_to(self.folder.resolve())


def _unfinished(path: Path) -> Path:
    return path.with_name(capped_part(path.name, MAX_PART_BYTES - len(_UNFINISHED)) + _UNFINISHED)


def _holds(path: Path, data: bytes) -> bool:
    """Whether these very bytes are there as a plain file."""
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data and not path.is_symlink()
    except OSError:
        return False


@contextmanager
def build_lock(state_folder: Path, output: Path) -> Iterator[None]:
    """One build at a time for one output folder: a second one waits. The kernel drops the lock with its process."""
    state_folder.mkdir(exist_ok=True)
    name = digest(os.fsencode(output.resolve()))[:16]
    with (state_folder / f"build-{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
