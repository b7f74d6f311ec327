"""Limits on the time and bytes of all remote media of one write."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Budget:
    """Seconds and bytes for several fetches, which may run at once. Safe to share between threads.

    Time counts while at least one of the fetches runs, not while they wait for other writes.
    """

    def __init__(self, seconds: float, max_bytes: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.max_bytes = max_bytes
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._running = 0
        self._since = 0.0
        self._used_seconds = 0.0
        self._used_bytes = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the time of one fetch."""
        with self._lock:
            if not self._running:
                self._since = self._monotonic()
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1
                if not self._running:
                    self._used_seconds += self._monotonic() - self._since

    def seconds_left(self) -> float:
        """Return the remaining seconds; 0 or less if none remain."""
        with self._lock:
            current = self._monotonic() - self._since if self._running else 0.0
            return self.seconds - self._used_seconds - current

    def add_bytes(self, count: int) -> None:
        """Count received bytes."""
        with self._lock:
            self._used_bytes += count

    def is_out_of_bytes(self) -> bool:
        """Return True if more bytes were received than allowed."""
        with self._lock:
            return self._used_bytes > self.max_bytes
