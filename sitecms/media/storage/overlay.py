"""Overlay storage of a scratch site: additions stay in a folder, everything else is read from the site's storage."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path

from sitecms.media.storage.interface import FileProgress, Storage, Stored
from sitecms.media.storage.local import LocalStorage


class OverlayStorage:
    """Folder in front of another storage, which is only read."""

    is_remote = False

    def __init__(self, folder: Path, behind: Storage) -> None:
        self._own = LocalStorage(folder)
        self._behind = behind
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

    def replace(self, name: str, data: bytes) -> None:
        """Write the file to the folder."""
        self._own.replace(name, data)

    def put_files(self, files: Mapping[str, Path], progress: FileProgress | None = None) -> None:
        """Write files that the site does not have to the folder."""
        self._own.put_files({name: path for name, path in files.items() if name not in self._names_behind()}, progress)

    def exists(self, name: str) -> bool:
        """Return True if the file is in the folder, or was in the site's storage when it was first listed."""
        return self._own.exists(name) or name in self._names_behind()

    def listing(self) -> Iterator[Stored]:
        """Yield the files of both."""
        own = {each.name: each for each in self._own.listing()}
        yield from own.values()
        yield from (each for each in self._behind.listing() if each.name not in own)

    def remove(self, names: Sequence[str], before: datetime) -> tuple[str, ...]:
        """Remove files of the folder only."""
        return self._own.remove(names, before)

    def path(self, name: str) -> Path:
        """Return the path of the file or its copy."""
        return self._own.path(name) if self._own.exists(name) else self._behind.path(name)

    @contextmanager
    def held(self, names: Sequence[str], *, keep: bool) -> Iterator[Mapping[str, Path]]:
        """Give files of both."""
        own = [name for name in names if self._own.exists(name)]
        other = [name for name in names if not self._own.exists(name)]
        with ExitStack() as stack:
            found = dict(stack.enter_context(self._own.held(own, keep=keep)))
            yield found | dict(stack.enter_context(self._behind.held(other, keep=keep)))

    def digests(self, names: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """Yield digests of files of both."""
        yield from self._own.digests([name for name in names if self._own.exists(name)])
        yield from self._behind.digests([name for name in names if not self._own.exists(name)])

    def sign(self, name: str, seconds: int) -> str:  # noqa: ARG002
        """Return "": a scratch site has no address."""
        return ""

    @contextmanager
    def lease(self) -> Iterator[None]:
        """Do nothing: no other machine uses the folder."""
        yield

    def is_leased(self) -> bool:
        """Return False."""
        return False

    def have(self, name: str) -> None:
        """Do nothing: nothing is removed."""

    def _names_behind(self) -> frozenset[str]:
        if self._there is None:
            self._there = frozenset(each.name for each in self._behind.listing())
        return self._there
