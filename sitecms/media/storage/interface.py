"""Interface of storages of media files. `media.library` checks names before it calls a storage."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from msgspec import Struct

_CHUNK = 1 << 20
FileProgress = Callable[[int, int], None]
"""Called with the number of files that are done, and of all."""


class StoredFile(Struct, frozen=True):
    """File in a listing; `added_at` is the time when it was last put, in seconds since the epoch."""

    name: str
    size_bytes: int
    added_at: float


class Storage(Protocol):
    """Storage of media files, safe for threads and processes. A remote one raises MediaUnusable in bounded time."""

    @property
    def folder(self) -> Path:
        """Folder of files, or of copies of files, on this machine."""

    @property
    def is_remote(self) -> bool:
        """True if files are stored across a network."""

    def refuse_early(self) -> None:
        """Raise MediaUnusable while the circuit of a remote storage is open."""

    def put(self, name: str, data: bytes) -> None:
        """Store the bytes durably and atomically; an existing file stays, and its time is renewed."""

    def put_file(self, name: str, path: Path) -> None:
        """Store the bytes of a file as `put` does, without holding them."""

    def replace(self, name: str, data: bytes) -> None:
        """Store the bytes in place of an existing file."""

    def put_files(self, files: Mapping[str, Path], progress: FileProgress | None = None) -> None:
        """Store missing files, several at once."""

    def exists(self, name: str) -> bool:
        """Return True if a file of that name exists."""

    def listing(self) -> Iterator[StoredFile]:
        """Yield every file with the name of a media file, in no order."""

    def remove(self, names: Sequence[str], before: datetime) -> tuple[str, ...]:
        """Remove files that were last added before a time, and return their names."""

    def path(self, name: str) -> Path:
        """Return the path of the file on this machine, downloaded if necessary. Raises NotFound."""

    def held(self, names: Sequence[str], *, keep: bool) -> AbstractContextManager[Mapping[str, Path]]:
        """Give the existing files, on this machine until the block ends; `keep`: they are read again soon."""

    def digests(self, names: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """Yield name, SHA-256 in hex and size of each existing file."""

    def sign(self, name: str, seconds: int) -> str:
        """Return an address that gives the file to anyone for this many seconds; "" if the storage is local."""

    def lease(self) -> AbstractContextManager[None]:
        """Prevent removals by other machines until the block ends."""

    def is_leased(self) -> bool:
        """Return True if any machine holds a lease."""

    def have(self, name: str) -> None:
        """Put the file again if it was removed since it was put from this machine."""


def digest_of(path: Path) -> tuple[str, int]:
    """Return SHA-256 in hex and size of a file, read in pieces. Raises FileNotFoundError."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while data := file.read(_CHUNK):
            digest.update(data)
            size += len(data)
    return digest.hexdigest(), size


def is_digest_of(sha256: str, name: str) -> bool:
    """Return True if a media file of that name has this digest."""
    return sha256.startswith(name.partition(".")[0])
