"""Media files of a shadow of a site: what is new stays in a folder, everything else is read from the site's storage."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path

from sitecms.media.storage.interface import Storage, Stored, Told
from sitecms.media.storage.local import LocalStorage


class ShadowStorage:
    """A folder before another storage, to which nothing is put and from which nothing is removed."""

    is_remote = False

    def __init__(self, folder: Path, behind: Storage) -> None:
        self._own = LocalStorage(folder)
        self._behind = behind
        self._there: frozenset[str] | None = None

    @property
    def folder(self) -> Path:
        """Of what is new."""
        return self._own.folder

    def refuse_early(self) -> None:
        """What is new is kept here."""

    def put(self, name: str, data: bytes) -> None:
        """Kept in the folder, unless the site has it."""
        if name not in self._names_behind():
            self._own.put(name, data)

    def replace(self, name: str, data: bytes) -> None:
        """Kept in the folder."""
        self._own.replace(name, data)

    def put_files(self, files: Mapping[str, Path], told: Told | None = None) -> None:
        """Those that the site has not are kept in the folder."""
        self._own.put_files({name: path for name, path in files.items() if name not in self._names_behind()}, told)

    def exists(self, name: str) -> bool:
        """In the folder, or behind it when that was first looked at."""
        return self._own.exists(name) or name in self._names_behind()

    def listing(self) -> Iterator[Stored]:
        """Of both."""
        own = {each.name: each for each in self._own.listing()}
        yield from own.values()
        yield from (each for each in self._behind.listing() if each.name not in own)

    def remove(self, names: Sequence[str], before: datetime) -> tuple[str, ...]:
        """Those of the folder alone."""
        return self._own.remove(names, before)

    def path(self, name: str) -> Path:
        """Where the file is, or a copy of it."""
        return self._own.path(name) if self._own.exists(name) else self._behind.path(name)

    @contextmanager
    def held(self, names: Sequence[str], *, keep: bool) -> Iterator[Mapping[str, Path]]:
        """From where they are."""
        own = [name for name in names if self._own.exists(name)]
        other = [name for name in names if not self._own.exists(name)]
        with ExitStack() as stack:
            found = dict(stack.enter_context(self._own.held(own, keep=keep)))
            yield found | dict(stack.enter_context(self._behind.held(other, keep=keep)))

    def digests(self, names: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """From where they are."""
        yield from self._own.digests([name for name in names if self._own.exists(name)])
        yield from self._behind.digests([name for name in names if not self._own.exists(name)])

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
        """Nothing has to be done: nothing is removed."""

    def _names_behind(self) -> frozenset[str]:
        if self._there is None:
            self._there = frozenset(each.name for each in self._behind.listing())
        return self._there
