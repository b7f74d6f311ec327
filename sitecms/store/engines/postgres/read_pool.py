"""Pool of the connections of one process that read transactions use."""

import os
import threading
from collections.abc import Mapping

from sitecms.circuit_breaker import CircuitBreaker
from sitecms.errors import StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.connection import READING, Connection, RawConnection, connect

SLOW_SECONDS = 1.0  # a refusal that comes sooner delays nobody


class ReadPool:
    """Idle connections, the one used last first. Threads that read at once have a connection each.

    A forked process leaves its parent's connections alone. Safe to share between threads.
    """

    def __init__(self, url: ServiceUrl) -> None:
        self._url = url
        self._breaker = CircuitBreaker(
            StoreUnusable, pause_seconds=0.0, slow_seconds=SLOW_SECONDS, probe=lambda: connect(url, READING).close()
        )
        self._idle: list[Connection] = []
        self._lock = threading.Lock()

    def acquire(self) -> Connection:
        """Return a connection with a transaction open. Raises StoreUnusable."""
        self._breaker.check()
        pid = os.getpid()
        connection = None
        with self._lock:
            while self._idle and (connection is None or connection.pid != pid):
                connection = self._idle.pop()
        if connection is None or connection.pid != pid or connection.is_lost:
            return Connection(self._url, READING, self._connect)
        connection.begin_read()
        return connection

    def release(self, connection: Connection) -> None:
        """End the transaction and keep the connection for the next read."""
        if not connection.is_lost:
            connection.end_read()
        if not connection.is_lost:
            with self._lock:
                self._idle.append(connection)

    def close(self) -> None:
        """Close the idle connections; let the next read try to connect, even during an outage."""
        self._breaker.close()
        self._close_idle()

    def _close_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _connect(self, url: ServiceUrl, settings: Mapping[str, str]) -> RawConnection:
        try:
            return self._breaker.call(lambda: connect(url, settings))
        except StoreUnusable:
            self._close_idle()  # they are broken too, and it would take seconds to find that out for each
            raise
