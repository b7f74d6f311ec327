"""An end to how long anything that crosses a network takes, whatever the other side does."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Semaphore, Thread
from typing import TypeVar

Result = TypeVar("Result")
MOST_LEFT_BEHIND = 64


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds to wait for a connection, for the next byte, and for an exchange as a whole with its repetitions.

    What has a body may take longer by a second for each `least_rate` bytes of it, up to `longest_seconds`.
    """

    connect_seconds: float = 3.0
    silence_seconds: float = 10.0
    total_seconds: float = 60.0
    longest_seconds: float = 3600.0
    least_rate: int = 256 * 1024
    attempts: int = 4

    def seconds_for(self, size_bytes: int) -> float:
        """How long an exchange with a body of that size may take."""
        return min(self.total_seconds + size_bytes / self.least_rate, self.longest_seconds)


WEB = Patience(connect_seconds=1.5, silence_seconds=4.0, total_seconds=6.0, longest_seconds=6.0, attempts=2)
"""For whoever answers a request: its thread serves others, too."""


class Overdue(Exception):
    """It took too long, or too many that did are still under way."""


class Deadline:
    """A moment `seconds` from now, on a clock that only goes forward."""

    __slots__ = ("_at",)

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def allow(self, seconds: float) -> None:
        """So much longer."""
        self._at += seconds

    def check(self) -> None:
        """Raises Overdue when it is over."""
        if time.monotonic() >= self._at:
            raise Overdue


class Bounded:
    """Carries calls out in threads of their own. One that takes too long is left behind; `most` can be at a time.

    What is left behind ends by itself, as it waits for no byte longer than its patience has it.
    """

    def __init__(self, most: int = MOST_LEFT_BEHIND) -> None:
        self._free = Semaphore(most)

    def run(self, call: Callable[[], Result], seconds: float) -> Result:
        """What the call gives or raises; Overdue when the time is up."""
        begun = time.monotonic()
        if not self._free.acquire(timeout=seconds):
            raise Overdue
        done: Future[Result] = Future()
        Thread(target=self._carry_out, args=(call, done), name="storage", daemon=True).start()
        try:
            return done.result(max(0.0, seconds - (time.monotonic() - begun)))
        except TimeoutError as error:
            if done.done():
                raise  # the call's own
            raise Overdue from error

    def _carry_out(self, call: Callable[[], Result], done: "Future[Result]") -> None:
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            self._free.release()
            done.set_exception(error)
        else:
            self._free.release()
            done.set_result(result)
