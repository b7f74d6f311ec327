"""What each process counted, in a file of its own that it maps into memory: requests, writes, messages.

Adding costs less than a microsecond and is not lost by `kill -9`, for the kernel keeps the file. Whoever reads adds
the files of all processes up. Those of dead processes are folded into one, which names what it holds: nothing is
counted twice wherever that is cut off, and no number ever goes down. A process is alive while it locks its file.

A file: its used bytes, then records of a head (length of the key, number of slots), the key as JSON and the slots,
each slot eight bytes: the sum of the durations in nanoseconds, then how many were within each of BOUNDS_SECONDS (and
beyond the one before it), then how many were longer.
"""

import fcntl
import mmap
import os
import secrets
import struct
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import orjson

from sitecms.store.engines.lock_files import is_file_locked

Series = tuple[str, ...]
Counts = Mapping[Series, list[int]]
BOUNDS_SECONDS = (
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
)  # fmt: skip
SIZE_BYTES = 256 * 1024
_BOUNDS_NS = tuple(round(bound * 1e9) for bound in BOUNDS_SECONDS)
_SLOTS = len(BOUNDS_SECONDS) + 2
_WORD = 8
_HEAD = struct.Struct("<II")
_ENDING = ".counts"
_PAST = "past.json"


class Counters:
    """The counts of this process: seen by others where they are kept in a `folder`, else by nobody.

    The name of a file begins with `kind`. The first word of a series is its name, the others are values of labels.
    Where no file can be had (a full disk), counting goes on in memory. Safe to share between threads.
    """

    def __init__(self, folder: Path | None = None, kind: str = "") -> None:
        self._lock = threading.Lock()
        self._places: dict[Series, int] = {}
        self._handle = -1
        self._memory = mmap.mmap(-1, SIZE_BYTES)
        if folder is not None:
            with suppress(OSError):
                self._open(folder, kind)
        self._slots = memoryview(self._memory).cast("q")
        self._slots[0] = _WORD

    def _open(self, folder: Path, kind: str) -> None:
        """The file gets its name once it is locked, and its blocks now: a disk that fills later takes none away."""
        folder.mkdir(parents=True, exist_ok=True)
        fold(folder)
        name = f"{kind}-{os.getpid()}-{secrets.token_hex(6)}"
        early = folder / f"{name}.new"
        self._handle = os.open(early, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.write(self._handle, _WORD.to_bytes(_WORD, "little") + bytes(SIZE_BYTES - _WORD)) < SIZE_BYTES:
                raise OSError("the disk is full")
            self._memory = mmap.mmap(self._handle, SIZE_BYTES)
            early.rename(folder / f"{name}{_ENDING}")
        except OSError:
            early.unlink(missing_ok=True)
            os.close(self._handle)
            raise

    def observe(self, series: Series, nanoseconds: int) -> None:
        """One more that took so long."""
        with self._lock:
            place = self._places.get(series)
            if place is None:
                place = self._begin(series)
            if place:
                slots = self._slots
                slots[place] += nanoseconds
                slots[place + 1 + bisect_left(_BOUNDS_NS, nanoseconds)] += 1

    def _begin(self, series: Series) -> int:
        """The first slot of a new series; 0 where the file is full, which a thousand series fill."""
        key = orjson.dumps(series)
        key += b" " * (-len(key) % _WORD)
        start = int(self._slots[0])
        first = start + _HEAD.size + len(key)
        end = first + _SLOTS * _WORD
        place = first // _WORD if end <= SIZE_BYTES else 0
        if place:
            self._memory[start:first] = _HEAD.pack(len(key), _SLOTS) + key
            self._slots[0] = end
        self._places[series] = place
        return place


def read_counts(folder: Path) -> Counts:
    """What all processes have counted, dead ones included."""
    if not folder.is_dir():
        return {}
    with _locked(folder, fcntl.LOCK_SH):
        total, folded = _past(folder)
        for path in folder.glob(f"*{_ENDING}"):
            if path.name not in folded:
                _add_up(total, path)
    return total


def living(folder: Path) -> Mapping[str, int]:
    """How many processes of each kind are alive on this machine."""
    return Counter(path.name.partition("-")[0] for path in folder.glob(f"*{_ENDING}") if is_file_locked(path))


def fold(folder: Path) -> None:
    """Keep what dead processes counted in one file."""
    with _locked(folder, fcntl.LOCK_EX):
        total, folded = _past(folder)
        dead = [path for path in folder.glob(f"*{_ENDING}") if not is_file_locked(path)]
        for path in dead:
            if path.name not in folded:
                _add_up(total, path)
        if dead:
            data = {"counts": [[*series, slots] for series, slots in total.items()], "folded": [p.name for p in dead]}
            half = folder / f"{_PAST}.half"
            half.write_bytes(orjson.dumps(data))
            half.replace(folder / _PAST)
        for path in dead:
            path.unlink(missing_ok=True)


def _past(folder: Path) -> tuple[dict[Series, list[int]], frozenset[str]]:
    """What is folded, and the names of the files that it holds; an unreadable file counts as none."""
    try:
        data = orjson.loads((folder / _PAST).read_bytes())
        return {tuple(entry[:-1]): entry[-1] for entry in data["counts"]}, frozenset(data["folded"])
    except (OSError, ValueError, LookupError, TypeError):
        return {}, frozenset()


def _add_up(total: dict[Series, list[int]], path: Path) -> None:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    for series, slots in _records(data):
        known = total.get(series)
        if known is None or len(known) != len(slots):  # a former version may have had other bounds
            known = [0] * len(slots)
        total[series] = [former + added for former, added in zip(known, slots, strict=True)]


def _records(data: bytes) -> Iterator[tuple[Series, list[int]]]:
    at, end = _WORD, min(int.from_bytes(data[:_WORD], "little"), len(data))
    while at < end:
        length, count = _HEAD.unpack_from(data, at)
        first = at + _HEAD.size + length
        yield tuple(orjson.loads(data[at + _HEAD.size : first])), list(struct.unpack_from(f"<{count}q", data, first))
        at = first + count * _WORD


@contextmanager
def _locked(folder: Path, how: int) -> Iterator[None]:
    handle = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)
