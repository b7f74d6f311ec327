"""What a storage of media files does. Names are checked before they come here (`media.library`)."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

_CHUNK = 1 << 20
Told = Callable[[int, int], None]
"""Told how many of how many are done."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One file as the storage lists it; `added_at` is in seconds since the epoch, when it was last put."""

    name: str
    size_bytes: int
    added_at: float


class Storage(Protocol):
    """Safe for several threads and processes. A remote one raises MediaUnusable, within a bounded time."""

    @property
    def folder(self) -> Path:
        """Where files or copies of them lie on this machine."""

    @property
    def is_remote(self) -> bool:
        """Whether there is a network between."""

    def refuse_early(self) -> None:
        """Raises MediaUnusable where nothing is asked for a while, since there was no answer."""

    def put(self, name: str, data: bytes) -> None:
        """Keep the bytes, durably and as a whole; a file that is there stays, and counts as added now."""

    def replace(self, name: str, data: bytes) -> None:
        """Have these bytes in place of what is there."""

    def put_files(self, files: Mapping[str, Path], told: Told | None = None) -> None:
        """Put those that are not there, several at once."""

    def exists(self, name: str) -> bool:
        """Whether there is a file of that name."""

    def listing(self) -> Iterator[Stored]:
        """Every file whose name is one of a media file, in no order."""

    def remove(self, names: Sequence[str], before: datetime) -> tuple[str, ...]:
        """Remove those of the files that were not added since; those that went."""

    def path(self, name: str) -> Path:
        """The file on this machine, brought here if need be; raises NotFound."""

    def held(self, names: Sequence[str], *, keep: bool) -> AbstractContextManager[Mapping[str, Path]]:
        """Those of the files that there are, on this machine until the block ends; `keep`: they are read again soon."""

    def digests(self, names: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """Name, SHA-256 in hex and size of each file that there is."""

    def sign(self, name: str, seconds: int) -> str:
        """An address that gives the file of a remote storage to anybody for so long; "" of another."""

    def lease(self) -> AbstractContextManager[None]:
        """Let other machines know that nothing is to be removed until the block ends."""

    def is_leased(self) -> bool:
        """Whether any of them does."""

    def have(self, name: str) -> None:
        """Put the file once more if it has gone since it was put from this machine."""


def digest_of(path: Path) -> tuple[str, int]:
    """SHA-256 in hex and size of a file, read piece by piece; raises FileNotFoundError."""
    found, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while data := file.read(_CHUNK):
            found.update(data)
            size += len(data)
    return found.hexdigest(), size


def is_digest_of(sha256: str, name: str) -> bool:
    """Whether a media file of that name holds bytes with this digest."""
    return sha256.startswith(name.partition(".")[0])
