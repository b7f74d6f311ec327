"""Cache of derived files, keyed by their inputs: files in one folder and a journal that describes them.

Files are written whole. The journal gets one line for each finished entry, so a killed build loses only its running
work. Entries that a build does not use are removed, oldest first, when they exceed MAX_UNUSED_BYTES.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
from msgspec import Struct, field

from sitecms.content.media import DERIVED_NAME, MEDIA_PREFIX
from sitecms.errors import OutputFailed
from sitecms.files import make_private_folder, write_atomically

MAX_UNUSED_BYTES = 256 * 1024 * 1024
_JOURNAL = "journal.jsonl"
_LOCK = "lock"


class DerivedFile(Struct, frozen=True):
    """Derived file `<key>-<width>.<format>`, with sizes in pixels and bytes."""

    name: str
    width: int
    height: int
    size_bytes: int

    @property
    def form(self) -> str:
        """Format: `avif`, `webp`, `jpg` or `png`."""
        return self.name.rpartition(".")[2]


class CacheEntry(Struct, frozen=True):
    """Derived files of one input; `files` is empty if no version is worth having. `problem`: what is wrong with it."""

    key: str
    color: str = ""
    files: tuple[DerivedFile, ...] = ()
    problem: str = ""

    @property
    def size_bytes(self) -> int:
        """Size of all files on disk."""
        return sum(file.size_bytes for file in self.files)


class DerivedCache(Struct):
    """Entries of a folder whose lock this process holds; see `open_cache`."""

    folder: Path
    entries: dict[str, CacheEntry] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def find(self, key: str) -> CacheEntry | None:
        """Return the entry if all its files exist, and mark it as used."""
        entry = self.entries.get(key)
        if entry is None or not all(_size(f"{self.folder}/{file.name}") == file.size_bytes for file in entry.files):
            return None
        self.used.add(key)
        return entry

    def keep(self, *entries: CacheEntry) -> None:
        """Record entries whose files were written."""
        self.entries |= {entry.key: entry for entry in entries}
        self.used.update(entry.key for entry in entries)
        path = self.folder / _JOURNAL
        try:
            with path.open("ab") as journal:
                journal.write(b"".join(map(_line, entries)))
        except OSError as error:
            raise _failed(path, error) from error

    def tidy(self, max_unused_bytes: int) -> None:
        """Remove the oldest unused entries above the limit, and files that belong to no entry."""
        unused = [entry for key, entry in self.entries.items() if key not in self.used]
        excess = sum(entry.size_bytes for entry in unused) - max_unused_bytes
        if excess <= 0:
            return
        for entry in unused:  # in the order in which they were made
            if excess > 0:
                del self.entries[entry.key]
                excess -= entry.size_bytes
        write_whole(self.folder / _JOURNAL, b"".join(map(_line, self.entries.values())))
        names = {file.name for entry in self.entries.values() for file in entry.files} | {_JOURNAL, _LOCK}
        for path in self.folder.iterdir():
            if path.name not in names:
                path.unlink(missing_ok=True)


@contextmanager
def open_cache(folder: Path, *, max_unused_bytes: int = MAX_UNUSED_BYTES) -> Iterator[DerivedCache]:
    """Open the cache in a folder, which is created. Other builds wait until it is closed and tidied."""
    make_private_folder(folder)
    with (folder / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        cache = DerivedCache(folder, {entry.key: entry for entry in _entries(folder / _JOURNAL)})
        yield cache
        cache.tidy(max_unused_bytes)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically. Raises OutputFailed if that is impossible, as on a full disk."""
    try:
        write_atomically(path, data)
    except OSError as error:
        raise _failed(path, error) from error


def _failed(path: Path, error: OSError) -> OutputFailed:
    return OutputFailed(f"{path} cannot be written: {error.strerror}. The published site stays as it was.")


def _entries(journal: Path) -> Iterator[CacheEntry]:
    """Parse the complete lines of a journal; of equal keys the last one counts."""
    try:
        lines = journal.read_bytes().splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        try:
            key, color, files, problem = orjson.loads(line)
            entry = CacheEntry(key, color, tuple(DerivedFile(*file) for file in files), problem)
        except (ValueError, TypeError):  # a line that a killed build did not finish
            continue
        if all(DERIVED_NAME.fullmatch(MEDIA_PREFIX + file.name) for file in entry.files):
            yield entry


def _line(entry: CacheEntry) -> bytes:
    files = [(file.name, file.width, file.height, file.size_bytes) for file in entry.files]
    return (
        b"\n" + orjson.dumps((entry.key, entry.color, files, entry.problem)) + b"\n"
    )  # the first: what came before may be torn


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116  # called per file
    except OSError:
        return -1
