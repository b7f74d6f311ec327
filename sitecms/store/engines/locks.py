"""Locks by name that end with their holder: who is alive, and what only one worker at a time may do."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Lock(Protocol):
    """One that was taken."""

    @property
    def name(self) -> str:
        """What it was taken by."""

    def is_held(self) -> bool:
        """Whether it is still ours: what it was taken through may be lost."""

    def let_go(self) -> None:
        """Others may take it now."""


class Locks(Protocol):
    """The locks of one site, for all workers that share its store."""

    def take(self, name: str) -> Lock | None:
        """None, without waiting, while anyone holds it, this process included."""

    def take_own(self) -> Lock:
        """One by a name that nobody had before: whether it is taken tells whether its holder is alive."""

    def is_taken(self, name: str) -> bool:
        """Whether anyone holds it."""

    def close(self) -> None:
        """Let go of all that this process holds."""


def new_name() -> str:
    """Of a holder: the process is told for people."""
    return f"{os.getpid()}-{secrets.token_hex(6)}"


@contextmanager
def alone(locks: Locks, name: str) -> Iterator[bool]:
    """Whether nobody else is at it until the end; False, without waiting, while someone is."""
    lock = locks.take(name)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            lock.let_go()
