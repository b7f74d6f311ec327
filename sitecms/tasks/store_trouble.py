"""A store that cannot be used for a while: told once when that begins and once when it is over."""

import threading

import structlog

from sitecms.errors import StoreUnusable

_log = structlog.get_logger("sitecms.tasks")


class StoreTrouble:
    """Of one worker, which tries each second whether it is over. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_on = False

    def begins(self, error: StoreUnusable) -> None:
        """Nothing can be done just now."""
        with self._lock:
            was_on, self._is_on = self._is_on, True
        if not was_on:
            _log.warning("store_unusable", problem=str(error))

    def ends(self) -> None:
        """It was just used."""
        with self._lock:
            was_on, self._is_on = self._is_on, False
        if was_on:
            _log.info("store_usable")
