"""A line of hints on a server, shared by all processes of a site on all hosts: what the queue needs of it."""

from typing import Protocol

LISTEN_SECONDS = 0.5  # for so long one pop waits
ANSWER_SECONDS = 0.5  # what does not answer within that time is not there
MOST_HINTS = 10_000  # beyond these, new ones are dropped: the sweep finds what they were to tell of


class Unreachable(Exception):
    """The server cannot be used just now; the text says why, without its password."""


class Line(Protocol):
    """First in, first out. Each of these raises Unreachable, after a second or two at most."""

    @property
    def name(self) -> str:
        """What operators call it, as `redis://queue.internal:6379/0`."""

    def push(self, data: bytes) -> None:
        """Put it at the end, and wake one of those who wait."""

    def pop(self, seconds: float) -> bytes | None:
        """Take the first one; None if there is none and none comes within that time."""

    def length(self) -> int:
        """How many there are."""

    def clear(self) -> None:
        """Drop them all."""

    def close(self) -> None:
        """Let go of this thread's connections."""
