"""Storage of media files in a folder: written once, never changed; and an overlay of such a folder for scratch sites.

The time of a file is when it was last added, because a file that was added lately may be used by an entry soon and must
not be removed.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from msgspec import Struct

from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX
from sitecms.errors import NotFound
from sitecms.files import make_private_folder, write_atomically
from sitecms.media.storage.interface import FileProgress, Storage, StoredFile, digest_of

_CHUNK = 1 << 20


class _OneMachine:
    """The answers of storages that other machines do not use."""

    __slots__ = ()

    def sign(self, name: str, seconds: int) -> str:  # noqa: ARG002
        """Return "": a local storage has no address."""
        return ""

    @contextmanager
    def lease(self) -> Iterator[None]:
        """Do nothing: no other machine uses the folder."""
        yield

    def is_leased(self) -> bool:
        """Return False."""
        return False

    def have(self, name: str) -> None:
        """Do nothing: no other machine removes files."""


class LocalStorage(Struct, _OneMachine, frozen=True):
    """Files below `folder`, which is created with the first file."""

    folder: Path
    is_remote: bool = False

    def refuse_early(self) -> None:
        """Do nothing: a disk has no circuit breaker."""

    def put(self, name: str, data: bytes) -> None:
        """Write the file unless it exists; then renew its time."""
        if not self._renew(name):
            self.replace(name, data)

    def put_file(self, name: str, path: Path) -> None:
        """Write the file in pieces unless it exists; then renew its time."""
        if not self._renew(name):
            with path.open("rb") as file:
                self.replace(name, iter(partial(file.read, _CHUNK), b""))

    def replace(self, name: str, data: bytes | Iterable[bytes]) -> None:
        """Write a temporary file and rename it: readers see the whole file, a crash leaves at most a `.tmp` file."""
        make_private_folder(self.folder)
        write_atomically(self.folder / name, data, is_durable=True, mode=0o644)

    def put_files(self, files: Mapping[str, Path], progress: FileProgress | None = None) -> None:
        """Write the files one after the other, each in pieces."""
        for done, (name, path) in enumerate(files.items(), 1):
            self.put_file(name, path)
            if progress:
                progress(done, len(files))

    def exists(self, name: str) -> bool:
        """Return True if a regular file of that name exists."""
        return (self.folder / name).is_file()

    def listing(self) -> Iterator[StoredFile]:
        """Yield the files of the folder; a file that is removed meanwhile is skipped."""
        if not self.folder.is_dir():
            return
        for path in self.folder.iterdir():
            if MEDIA_NAME.fullmatch(MEDIA_PREFIX + path.name) and path.is_file():
                try:
                    status = path.stat()
                except FileNotFoundError:
                    continue
                yield StoredFile(path.name, status.st_size, status.st_mtime)

    def remove(self, names: Sequence[str], before: datetime) -> tuple[str, ...]:
        """Move each file aside, and put it back if it was added again meanwhile."""
        return tuple(name for name in names if self._remove(name, before))

    def path(self, name: str) -> Path:
        """Return the path of the file."""
        path = self.folder / name
        if not path.is_file():
            raise NotFound(f"There is no media file {name}.")
        return path

    @contextmanager
    def held(self, names: Sequence[str], *, keep: bool) -> Iterator[Mapping[str, Path]]:  # noqa: ARG002
        """Give the files, which are on this machine."""
        yield {name: self.folder / name for name in names if self.exists(name)}

    def digests(self, names: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """Read every file."""
        for name in names:
            try:
                yield (name, *digest_of(self.folder / name))
            except FileNotFoundError:
                continue

    def _renew(self, name: str) -> bool:
        """Set the time of the file to now; False if it does not exist. A file of another owner keeps its time."""
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


class OverlayStorage(_OneMachine):
    """Folder in front of another storage, which is only read."""

    is_remote = False

    def __init__(self, folder: Path, bucket: Storage) -> None:
        self._own = LocalStorage(folder)
        self._bucket = bucket
        self._there: frozenset[str] | None = None

    @property
    def folder(self) -> Path:
        """Folder of the additions."""
        return self._own.folder

    def refuse_early(self) -> None:
        """Do nothing: additions are stored here."""

    def put(self, name: str, data: bytes) -> None:
        """Write the file to the folder, unless the site has it."""
        if name not in self._names_behind():
            self._own.put(name, data)

    def put_file(self, name: str, path: Path) -> None:
        """Write the file to the folder, unless the site has it."""
        if name not in self._names_behind():
            self._own.put_file(name, path)

    def replace(self, name: str, data: bytes) -> None:
        """Write the file to the folder."""
        self._own.replace(name, data)

    def put_files(self, files: Mapping[str, Path], progress: FileProgress | None = None) -> None:
        """Write files that the site does not have to the folder."""
        self._own.put_files({name: path for name, path in files.items() if name not in self._names_behind()}, progress)

    def exists(self, name: str) -> bool:
        """Return True if the file is in the folder, or was in the site's storage when it was first listed."""
        return self._own.exists(name) or name in self._names_behind()

    def listing(self) -> Iterator[StoredFile]:
        """Yield the files of both."""
        own_files = {each.name: each for each in self._own.listing()}
        yield from own_files.values()
        yield from (each for each in self._bucket.listing() if each.name not in own_files)

    def remove(self, names: Sequence[str], before: datetime) -> tuple[str, ...]:
        """Remove files of the folder only."""
        return self._own.remove(names, before)

    def path(self, name: str) -> Path:
        """Return the path of the file or its copy."""
        return self._own.path(name) if self._own.exists(name) else self._bucket.path(name)

    @contextmanager
    def held(self, names: Sequence[str], *, keep: bool) -> Iterator[Mapping[str, Path]]:
        """Give files of both."""
        own_names = [name for name in names if self._own.exists(name)]
        other = [name for name in names if not self._own.exists(name)]
        with ExitStack() as stack:
            paths = dict(stack.enter_context(self._own.held(own_names, keep=keep)))
            yield paths | dict(stack.enter_context(self._bucket.held(other, keep=keep)))

    def digests(self, names: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """Yield digests of files of both."""
        yield from self._own.digests([name for name in names if self._own.exists(name)])
        yield from self._bucket.digests([name for name in names if not self._own.exists(name)])

    def _names_behind(self) -> frozenset[str]:
        if self._there is None:
            self._there = frozenset(each.name for each in self._bucket.listing())
        return self._there
