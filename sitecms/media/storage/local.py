"""Media files in a folder: written once, never changed.

A file's time is when it was last added: what was added lately is about to be named by an entry, and not to be removed.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX
from sitecms.errors import NotFound
from sitecms.media.storage.interface import Stored, Told, digest_of


@dataclass(frozen=True, slots=True)
class LocalStorage:
    """Files below `folder`, which is made with the first file."""

    folder: Path
    is_remote: bool = False

    def refuse_early(self) -> None:
        """A disk is always asked."""

    def put(self, name: str, data: bytes) -> None:
        """Written unless it is there; then its time is renewed."""
        if not self._renew(name):
            self.replace(name, data)

    def replace(self, name: str, data: bytes) -> None:
        """Under a temporary name first: a reader sees the whole file or none, a crash leaves at most a `.tmp`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self.folder, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                os.fchmod(file.fileno(), 0o644)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(self.folder / name)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _sync_folder(self.folder)

    def put_files(self, files: Mapping[str, Path], told: Told | None = None) -> None:
        """One after the other: the disk is one."""
        for done, (name, path) in enumerate(files.items(), 1):
            self.put(name, path.read_bytes())
            if told:
                told(done, len(files))

    def exists(self, name: str) -> bool:
        """Whether there is a file, and no folder."""
        return (self.folder / name).is_file()

    def listing(self) -> Iterator[Stored]:
        """The folder's files; one that goes meanwhile is left out."""
        if not self.folder.is_dir():
            return
        for path in self.folder.iterdir():
            if MEDIA_NAME.fullmatch(MEDIA_PREFIX + path.name) and path.is_file():
                try:
                    found = path.stat()
                except FileNotFoundError:
                    continue
                yield Stored(path.name, found.st_size, found.st_mtime)

    def remove(self, names: Sequence[str], before: datetime) -> tuple[str, ...]:
        """Each is set aside first, and put back if it is wanted after all."""
        return tuple(name for name in names if self._remove(name, before))

    def path(self, name: str) -> Path:
        """Where the file is."""
        path = self.folder / name
        if not path.is_file():
            raise NotFound(f"There is no media file {name}.")
        return path

    @contextmanager
    def held(self, names: Sequence[str], *, keep: bool) -> Iterator[Mapping[str, Path]]:  # noqa: ARG002
        """They are here anyway."""
        yield {name: self.folder / name for name in names if self.exists(name)}

    def digests(self, names: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """Every file is read."""
        for name in names:
            try:
                yield (name, *digest_of(self.folder / name))
            except FileNotFoundError:
                continue

    def sign(self, name: str, seconds: int) -> str:  # noqa: ARG002
        """Nobody else has it."""
        return ""

    @contextmanager
    def lease(self) -> Iterator[None]:
        """There is no other machine."""
        yield

    def is_leased(self) -> bool:
        """There is no other machine."""
        return False

    def have(self, name: str) -> None:
        """Nothing has to be done: a file that was just put is not removed."""

    def _renew(self, name: str) -> bool:
        """Give the file the time of now; False if there is none. One of another owner keeps its time."""
        if not self.exists(name):
            return False
        try:
            os.utime(self.folder / name)
        except FileNotFoundError:
            return False
        except PermissionError:
            return True
        return True

    def _remove(self, name: str, before: datetime) -> bool:
        aside = self.folder / f".{name}.old"
        try:
            (self.folder / name).rename(aside)
            if aside.stat().st_mtime >= before.timestamp():
                aside.rename(self.folder / name)
                return False
            aside.unlink()
        except FileNotFoundError:
            return False
        return True


def _sync_folder(folder: Path) -> None:
    """Make a new name in the folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
