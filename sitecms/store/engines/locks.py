"""Locks by name that end with the process that holds them: they show which workers run and keep tasks exclusive."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Lock(Protocol):
    """A lock that this process acquired."""

    @property
    def name(self) -> str:
        """The name it was acquired by."""

    def is_held(self) -> bool:
        """Return whether the lock was neither released nor lost with the connection that holds it."""

    def release(self) -> None:
        """Let other processes acquire the lock."""


class Locks(Protocol):
    """The locks of one site, for all workers that share its store."""

    def acquire(self, name: str) -> Lock | None:
        """Return None, without waiting, while any process holds it, this one included."""

    def acquire_unique(self) -> Lock:
        """Acquire a lock whose name was never used before: while it is held, its holder is alive."""

    def is_held(self, name: str) -> bool:
        """Return whether any process holds the lock."""

    def close(self) -> None:
        """Release all locks of this process."""


def unique_name() -> str:
    """Return a new name for a holder; it begins with the process id, for people."""
    return f"{os.getpid()}-{secrets.token_hex(6)}"


@contextmanager
def try_lock(locks: Locks, name: str) -> Iterator[bool]:
    """Hold the lock to the end of the block; yield False, without waiting, if another process or thread holds it."""
    lock = locks.acquire(name)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            lock.release()
