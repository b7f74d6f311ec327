"""The queue over a line on a server, as huey wants it. While the server cannot be reached, a worker goes on alone."""

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

from huey.constants import EmptyData
from huey.storage import BlackHoleStorage

from sitecms.circuit_breaker import CircuitBreaker
from sitecms.errors import SitecmsError
from sitecms.tasks.server_queue import LISTEN_SECONDS, Line, Unreachable


class LineStorage(BlackHoleStorage):  # type: ignore[misc]  # huey has no types
    """Hints only: nothing is scheduled, revoked or kept as a result.

    What the sweep of a worker cannot put into the line its own threads carry out: then every worker does what it
    finds, and claims see to it that each write is applied by one.
    """

    blocking = True

    def __init__(self, name: str, breaker: CircuitBreaker[Unreachable], open_line: Callable[[], Line]) -> None:
        super().__init__(name)
        self._open = open_line
        self._line: Line | None = None
        self._lock = threading.Lock()
        self._breaker = breaker
        self._beside: SimpleQueue[bytes] = SimpleQueue()
        self._works = False

    def listen(self) -> None:
        """This process has threads that carry out what is queued."""
        self._works = True

    def end_listening(self) -> None:
        """It has none any more."""
        self._works = False

    def enqueue(self, data: bytes, priority: float | None = None) -> None:  # noqa: ARG002 - huey's signature
        """Raises Unreachable only in a process that does not work itself."""
        try:
            self._breaker.call(lambda: self._opened().push(data))
        except Unreachable:
            if not self._works:
                raise
            self._beside.put(data)

    def dequeue(self) -> bytes | None:
        """The next message; None if there is none now, and none comes within half a second."""
        data = self._next_beside(0)
        if data is not None:
            return data
        try:
            return self._breaker.call(lambda: self._opened().pop(LISTEN_SECONDS))
        except Unreachable:
            return self._next_beside(LISTEN_SECONDS)

    def queue_size(self) -> int:
        """How many wait. Raises Unreachable only in a process that does not work itself."""
        try:
            return self._beside.qsize() + self._breaker.call(lambda: self._opened().length())
        except Unreachable:
            if not self._works:
                raise
            return self._beside.qsize()

    def close(self) -> None:
        """Let go of connections."""
        if self._line is not None:
            self._line.close()

    def flush_all(self) -> None:
        """Drop every hint."""
        self._breaker.call(lambda: self._opened().clear())

    def peek_data(self, _key: object) -> object:
        """Nothing is ever revoked."""
        return EmptyData

    def pop_data(self, _key: object) -> object:
        """Nor is anything kept."""
        return EmptyData

    def _opened(self) -> Line:
        with self._lock:
            if self._line is None:
                try:
                    self._line = self._open()
                except SitecmsError as error:
                    raise Unreachable(str(error)) from error
            return self._line

    def _next_beside(self, seconds: float) -> bytes | None:
        try:
            return self._beside.get(timeout=seconds) if seconds else self._beside.get_nowait()
        except Empty:
            return None
