"""Time limits for exchanges with a storage server, whatever the server does."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Semaphore, Thread
from typing import TypeVar

from msgspec import Struct

Result = TypeVar("Result")
MOST_LEFT_BEHIND = 64


class TimeLimits(Struct, frozen=True):
    """Seconds to wait for a connection, for the next byte, and for a whole exchange with its repetitions.

    A body adds one second for each `least_rate` bytes, up to `longest_seconds` in total. After a failure, the server is
    left alone for `pause_seconds`.
    """

    connect_seconds: float = 3.0
    read_seconds: float = 10.0
    total_seconds: float = 60.0
    longest_seconds: float = 3600.0
    least_rate: int = 256 * 1024
    attempts: int = 4
    pause_seconds: float = 10.0

    def seconds_for(self, size_bytes: int) -> float:
        """Return the limit of an exchange with a body of that size."""
        return min(self.total_seconds + size_bytes / self.least_rate, self.longest_seconds)


WEB = TimeLimits(connect_seconds=1.5, read_seconds=4.0, total_seconds=6.0, longest_seconds=6.0, attempts=2)
"""For threads that answer requests, which serve other requests too."""


class Overdue(Exception):
    """The call took too long, or too many such calls are still running."""


class DownloadDeadline:
    """Point in time `seconds` from now on the monotonic clock."""

    __slots__ = ("_at",)

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def allow(self, seconds: float) -> None:
        """Extend the deadline."""
        self._at += seconds

    def check(self) -> None:
        """Raise Overdue after the deadline."""
        if time.monotonic() >= self._at:
            raise Overdue


class Bounded:
    """Runs each call in a thread of its own, which is abandoned when it takes too long.

    At most MOST_LEFT_BEHIND calls run at a time. An abandoned thread ends by itself, because the client limits the time
    to wait for a byte.
    """

    def __init__(self) -> None:
        self._free = Semaphore(MOST_LEFT_BEHIND)

    def run(self, call: Callable[[], Result], seconds: float) -> Result:
        """Return the result of `call`. Raises Overdue after `seconds`, otherwise what `call` raises."""
        begun = time.monotonic()
        if not self._free.acquire(timeout=seconds):
            raise Overdue
        outcome: Future[Result] = Future()
        Thread(target=self._carry_out, args=(call, outcome), name="storage", daemon=True).start()
        try:
            return outcome.result(max(0.0, seconds - (time.monotonic() - begun)))
        except TimeoutError as error:
            if outcome.done():
                raise  # the call's own
            raise Overdue from error

    def _carry_out(self, call: Callable[[], Result], outcome: "Future[Result]") -> None:
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            self._free.release()
            outcome.set_exception(error)
        else:
            self._free.release()
            outcome.set_result(result)
