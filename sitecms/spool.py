"""Temporary files of values that do not fit into memory, each read again by its number.

The files have no name, so that nothing of them is left where a process is killed.
"""

import os
import pickle
import tempfile
import zlib
from array import array
from collections.abc import Iterator
from typing import IO, Any, Generic, TypeVar

T = TypeVar("T")
PLAIN_BYTES = 128 * 1024**2
"""Size up to which a file holds values as they are, without compression."""
_PLAIN = pickle.PROTO  # the first byte of a value that is not compressed


def packed(value: object, *, is_compressed: bool = True) -> bytes:
    """Return a value in the form of a spool."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    if not is_compressed:
        return data
    return zlib.compress(data, 1)


class Spool(Generic[T]):
    """List of values in a temporary file; forked processes may read the values that were flushed before."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 # until __exit__
        self._ends = array("Q", [0])

    def __enter__(self) -> "Spool[T]":
        """Return the spool."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Remove the file."""
        self._file.close()

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


def _read(file: IO[bytes], start: int, end: int) -> Any:
    data = os.pread(file.fileno(), end - start, start)
    return pickle.loads(data if data.startswith(_PLAIN) else zlib.decompress(data))  # noqa: S301 - written by this process or one that it has forked
