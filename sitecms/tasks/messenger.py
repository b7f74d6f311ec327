"""Sends what is left with it from a thread of its own: whoever leaves something never waits for a server."""

import threading
from collections.abc import Callable
from queue import SimpleQueue

MOST_WAITING = 10_000  # beyond these, new ones are dropped


class Messenger:
    """One for each process; its thread starts with the first message and ends with the process."""

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send
        self._waiting: SimpleQueue[str] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def leave(self, message: str) -> None:
        """To be sent soon, or never if that fails."""
        if self._thread is None:
            self._start()
        if self._waiting.qsize() < MOST_WAITING:
            self._waiting.put(message)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="hints", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            self._send(self._waiting.get())
