"""Temporary files of values that do not fit into memory, each read again by its number."""

import os
import pickle
import tempfile
import zlib
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import IO, Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")
PLAIN_BYTES = 128 * 1024**2
"""Size up to which a file holds values as they are: to compress them takes longer than all else."""
_PLAIN = pickle.PROTO  # the first byte of a value that is not compressed


def packed(value: object, *, is_compressed: bool = True) -> bytes:
    """Return a value in the form of a spool. To compress it takes five times as long as to write it down."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return zlib.compress(data, 1) if is_compressed else data


class Spool(Generic[T]):
    """List of values in a temporary file; forked processes may read the values that were flushed before."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="sitecms-spool-")
        self._path = Path(self._folder.name) / "spool"
        self._file = self._path.open("w+b")
        self._ends = array("Q", [0])

    def __enter__(self) -> "Spool[T]":
        """Return the spool."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Remove the file."""
        self._file.close()
        self._folder.cleanup()

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self._ends) - 1

    def append(self, value: T) -> int:
        """Append a value and return its number; beyond PLAIN_BYTES values are compressed."""
        return self.append_packed(packed(value, is_compressed=self._ends[-1] > PLAIN_BYTES))

    def append_packed(self, data: bytes) -> int:
        """Append a value that another process has packed, and return its number."""
        self._file.write(data)
        self._ends.append(self._ends[-1] + len(data))
        return len(self) - 1

    def flush(self) -> None:
        """Make appended values readable, in forked processes too."""
        self._file.flush()

    def __getitem__(self, number: int) -> T:
        """Return the value of that number."""
        start, end = self._ends[number], self._ends[number + 1]
        value: T = _read(self._file, start, end)
        return value

    def __iter__(self) -> Iterator[T]:
        """Yield all values in order."""
        self.flush()
        return (self[number] for number in range(len(self)))


class Places(NamedTuple):
    """Places of a few values in the file that a process has written: the ends of the values, after the first start."""

    process: int
    bounds: Sequence[int]


class SharedSpool(Generic[T]):
    """List of values that forked processes write, each to a file of its own; the process that made the list reads it.

    Values written by another process are sent by their places, so that it never waits for the reader.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="sitecms-spool-")
        self._files: dict[int, IO[bytes]] = {}
        self._places = array("Q")  # process, start and end of each value

    def __enter__(self) -> "SharedSpool[T]":
        """Return the list."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Remove the files."""
        for file in self._files.values():
            file.close()
        self._folder.cleanup()

    def __len__(self) -> int:
        """Return the number of values that were appended."""
        return len(self._places) // 3

    def write(self, values: Sequence[bytes]) -> Places:
        """Write packed values, in any process, and return their places."""
        file = self._file_of(os.getpid())
        bounds = tuple(accumulate(map(len, values), initial=file.tell()))
        file.writelines(values)
        file.flush()
        return Places(os.getpid(), bounds)

    def append(self, places: Places) -> None:
        """Append the values at these places."""
        for start, end in pairwise(places.bounds):
            self._places.extend((places.process, start, end))

    def __getitem__(self, number: int) -> T:
        """Return the value of that number."""
        process, start, end = self._places[3 * number : 3 * number + 3]
        value: T = _read(self._file_of(process), start, end)
        return value

    def _file_of(self, process: int) -> IO[bytes]:
        if process not in self._files:
            self._files[process] = Path(self._folder.name, str(process)).open("a+b")  # noqa: SIM115 # until __exit__
        return self._files[process]


def _read(file: IO[bytes], start: int, end: int) -> Any:
    data = os.pread(file.fileno(), end - start, start)
    plain = data if data.startswith(_PLAIN) else zlib.decompress(data)
    return pickle.loads(plain)  # noqa: S301 - written by this process or one that it has forked
