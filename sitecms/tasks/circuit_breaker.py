"""Whether a server can be reached: told once when that changes, and not tried again and again while it cannot."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import structlog

from sitecms.tasks.server_queue import Unreachable

T = TypeVar("T")
REST_SECONDS = 3.0
_log = structlog.get_logger("sitecms.tasks")


class Reach:
    """Stands before all calls of one process to one server. Safe to share between threads.

    After a failure every call fails at once for three seconds; then one at a time tries. Who looks after the server
    from outside is told by the answer, not by the log (`is_told` false).
    """

    def __init__(self, name: str, *, is_told: bool = True) -> None:
        self._name = name
        self._is_told = is_told
        self._lock = threading.Lock()
        self._trying = threading.Lock()
        self._problem = ""
        self._failed_at = 0.0

    def call(self, act: Callable[[], T]) -> T:
        """What `act` gives. Raises Unreachable."""
        begun = time.monotonic()
        if not self._problem:
            return self._carry_out(act, begun)
        if begun < self._failed_at + REST_SECONDS or not self._trying.acquire(blocking=False):
            raise Unreachable(self._problem)
        try:
            return self._carry_out(act, begun)
        finally:
            self._trying.release()

    def _carry_out(self, act: Callable[[], T], begun: float) -> T:
        try:
            result = act()
        except Unreachable as error:
            self._note_failure(str(error))
            raise
        if self._problem:
            self._note_success(begun)
        return result

    def _note_failure(self, problem: str) -> None:
        with self._lock:
            is_new, self._problem, self._failed_at = not self._problem, problem, time.monotonic()
        if is_new and self._is_told:
            _log.warning("queue_unreachable", queue=self._name, problem=problem)

    def _note_success(self, begun: float) -> None:
        with self._lock:
            if not self._problem or begun < self._failed_at:  # an answer from before the failure tells nothing
                return
            self._problem = ""
        if self._is_told:
            _log.info("queue_reachable", queue=self._name)
