"""Outages of the store: each is logged once when it begins and once when it ends."""

import threading
from collections.abc import Callable
from typing import TypeVar

import structlog

from sitecms.errors import StoreUnusable

T = TypeVar("T")
FIRST_PAUSE_SECONDS = 0.25
LAST_PAUSE_SECONDS = 10.0
_log = structlog.get_logger("sitecms.tasks")


class StoreOutage:
    """Outage of the store as this process sees it. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_on = False

    @property
    def is_on(self) -> bool:
        """Return whether the store could not be used when this process tried last."""
        return self._is_on

    def begin(self, error: StoreUnusable | OSError) -> None:
        """Log the beginning of an outage, unless it is known."""
        with self._lock:
            was_on, self._is_on = self._is_on, True
        if not was_on:
            _log.warning("store_unusable", problem=str(error))

    def end(self) -> None:
        """Log the end of the outage, if there was one."""
        with self._lock:
            was_on, self._is_on = self._is_on, False
        if was_on:
            _log.info("store_usable")


def open_when_usable(open_store: Callable[[], T], stop: threading.Event) -> T | None:
    """Return what `open_store` returns once it does not raise StoreUnusable; None if `stop` is set first.

    The pauses between attempts grow to ten seconds.
    """
    outage, pause_seconds = StoreOutage(), FIRST_PAUSE_SECONDS
    while not stop.is_set():
        try:
            opened = open_store()
        except StoreUnusable as error:
            outage.begin(error)
        else:
            outage.end()
            return opened
        stop.wait(pause_seconds)
        pause_seconds = min(2 * pause_seconds, LAST_PAUSE_SECONDS)
    return None
