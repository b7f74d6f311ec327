"""Connections for reading that nobody reads on just now."""

import os
import threading
from collections.abc import Mapping
from typing import Any

import psycopg

from sitecms.circuit_breaker import CircuitBreaker
from sitecms.errors import StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.connection import READING, Link, connect

SLOW_SECONDS = 1.0  # a refusal that comes sooner delays nobody


class Readers:
    """One is made where none is free, so that there are no more than there are threads that read at once.

    A forked process makes its own: those of its parent are not its to talk on.
    """

    def __init__(self, url: ServiceUrl) -> None:
        self._url = url
        self._breaker = CircuitBreaker(
            StoreUnusable, pause_seconds=0.0, slow_seconds=SLOW_SECONDS, probe=lambda: connect(url, READING).close()
        )
        self._free: list[Link] = []
        self._lock = threading.Lock()

    def take(self) -> Link:
        """A connection with a transaction open, the one used last if there are several. Raises StoreUnusable."""
        self._breaker.check()
        pid = os.getpid()
        with self._lock:
            link = self._free.pop() if self._free else None
            while link is not None and link.pid != pid:
                link = self._free.pop() if self._free else None
        if link is None or link.is_lost:
            return Link(self._url, READING, self._connect)
        link.take_up()
        return link

    def give_back(self, link: Link) -> None:
        """Somebody else may have it."""
        if not link.is_lost:
            link.end_reading()
        if not link.is_lost:
            with self._lock:
                self._free.append(link)

    def close(self) -> None:
        """Close those that are free."""
        self._breaker.close()
        self._close_free()

    def _close_free(self) -> None:
        with self._lock:
            free, self._free = self._free, []
        for link in free:
            link.close()

    def _connect(self, url: ServiceUrl, settings: Mapping[str, str]) -> "psycopg.Connection[tuple[Any, ...]]":
        try:
            return self._breaker.call(lambda: connect(url, settings))
        except StoreUnusable:
            self._close_free()  # they lead nowhere either, and to find that out would take seconds for each
            raise
