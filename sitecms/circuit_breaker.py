"""Circuit breaker: after a failure, calls to a server fail at once until a trial call succeeds.

The libraries on PyPI do not fit: pybreaker 1.4 holds a lock during each call, so that calls run one after another;
purgatory 3.0 lets all callers through after the pause. Neither can probe in the background or ignore quick failures.
"""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
E = TypeVar("E", bound=Exception)


class Timer(Protocol):
    """A timer, as the module `time` is."""

    def monotonic(self) -> float:
        """Return the seconds since some moment."""

    def sleep(self, seconds: float, /) -> None:
        """Wait."""


class CircuitBreaker(Generic[E]):
    """State of one server as one process sees it. Safe to share between threads; closed in a forked process.

    Exceptions of the type `error` count as failures if the call took at least `slow_seconds`. After a failure calls
    raise `error` with the text of that failure. Each `pause_seconds` one caller may try; with a `probe`, a thread of
    the breaker calls it instead, so that no caller waits. `on_change` gets the problem when the circuit opens, and an
    empty text when it closes.
    """

    def __init__(
        self,
        error: type[E],
        pause_seconds: float,
        *,
        slow_seconds: float = 0.0,
        probe: Callable[[], object] | None = None,
        on_change: Callable[[str], None] | None = None,
        timer: Timer = time,
    ) -> None:
        self._error = error
        self._pause_seconds = pause_seconds
        self._slow_seconds = slow_seconds
        self._probe = probe
        self._on_change = on_change
        self._timer = timer
        self._lock = threading.Lock()
        self._problem = ""
        self._pid = 0
        self._failed_at = 0.0
        self._next_trial_at = 0.0

    def call(self, act: Callable[[], T]) -> T:
        """Return the result of `act`. Raises `error` without calling it while the circuit is open."""
        if self._is_open():
            self._admit_trial()
        return self._attempt(act)

    def check(self) -> None:
        """Raise `error` if `call` would refuse now."""
        if self._is_open() and (self._probe is not None or self._timer.monotonic() < self._next_trial_at):
            raise self._error(self._problem)

    def close(self) -> None:
        """Allow all calls again."""
        with self._lock:
            was_open, self._problem = self._is_open(), ""
        if was_open and self._on_change is not None:
            self._on_change("")

    def _is_open(self) -> bool:
        return bool(self._problem) and self._pid == os.getpid()

    def _admit_trial(self) -> None:
        with self._lock:
            self.check()
            self._next_trial_at = self._timer.monotonic() + self._pause_seconds

    def _attempt(self, act: Callable[[], T]) -> T:
        begun = self._timer.monotonic()
        try:
            result = act()
        except Exception as error:
            if isinstance(error, self._error) and self._timer.monotonic() - begun >= self._slow_seconds:
                self._open(str(error))
            else:
                self._note_answer(begun)
            raise
        self._note_answer(begun)
        return result

    def _note_answer(self, begun: float) -> None:
        if self._problem and begun >= self._failed_at:  # a call from before the failure proves nothing
            self.close()

    def _open(self, problem: str) -> None:
        with self._lock:
            was_open = self._is_open()
            self._problem, self._pid, self._failed_at = problem, os.getpid(), self._timer.monotonic()
            self._next_trial_at = self._failed_at + self._pause_seconds
        if was_open:
            return
        if self._on_change is not None:
            self._on_change(problem)
        if self._probe is not None:
            threading.Thread(target=self._probe_until_closed, args=(self._probe,), daemon=True).start()

    def _probe_until_closed(self, probe: Callable[[], object]) -> None:
        while self._is_open():
            self._timer.sleep(self._pause_seconds)
            with suppress(Exception):  # the next caller gets errors that are not failures of the server
                self._attempt(probe)
