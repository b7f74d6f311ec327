"""Queue of hints that may be lost, in a table of PostgreSQL, with a notification for each hint.

The table is unlogged: no statement waits for a disk, and the table is empty after a crash of the server. Consumers
listen on connections of their own; of several that get a notification, one takes the hint.
"""

import threading
import time
from collections.abc import Mapping
from typing import Any

import psycopg

from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.connection import Connection
from sitecms.store.engines.postgres.errors import translate

MOST_HINTS = 10_000  # beyond these, new ones are dropped
_CHANNEL = "sitecms_hints"
_HINTING: Mapping[str, str] = {
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "off",
    "synchronous_commit": "off",
    "statement_timeout": "5s",
    "idle_session_timeout": "0",
}
_PUSH = f"""
WITH pushed AS (
 INSERT INTO hint (data) SELECT $1 WHERE (SELECT coalesce(max(id) - min(id), 0) FROM hint) < {MOST_HINTS} RETURNING id)
SELECT pg_notify('{_CHANNEL}', '') FROM pushed"""
_TAKE = """
DELETE FROM hint WHERE id = (SELECT id FROM hint ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING data"""


class PostgresHints:
    """The hints of one store, for one process. Safe to share between threads. Methods raise StoreUnusable."""

    def __init__(self, url: ServiceUrl) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._listen_lock = threading.Lock()
        self._listener: Connection | None = None
        self._notifications = 0

    def push(self, data: bytes) -> None:
        """Append a hint and notify the consumers."""
        self._run(_PUSH, data)

    def pop(self, seconds: float) -> bytes | None:
        """Remove and return the first hint; None if none arrives within that time."""
        end = time.monotonic() + seconds
        rows = self._run(_TAKE)
        while not rows and self._is_notified(end):
            rows = self._run(_TAKE)
        return bytes(rows[0][0]) if rows else None

    def length(self) -> int:
        """Return the number of hints."""
        return int(self._run("SELECT count(*) FROM hint")[0][0])

    def clear(self) -> None:
        """Delete all hints."""
        self._run("DELETE FROM hint RETURNING id")

    def close(self) -> None:
        """Close the connections."""
        for connection in (self._connection, self._listener):
            if connection is not None:
                connection.close()

    def _run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows; try once more if the connection was lost, since a hint sent twice is harmless."""
        with self._lock:
            if self._connection is not None and not self._connection.is_lost:
                rows = self._run_or_none(self._connection, statement, values)
                if rows is not None:
                    return rows
            self._connection = Connection(self._url, _HINTING)
            return list(self._connection.run(statement, values).fetchall())

    def _run_or_none(
        self, connection: Connection, statement: str, values: tuple[object, ...]
    ) -> list[tuple[Any, ...]] | None:
        """Return None if the connection turns out to be lost."""
        try:
            return list(connection.run(statement, values).fetchall())
        except Exception:
            if connection.is_lost:
                return None
            raise

    def _is_notified(self, end: float) -> bool:
        """Return whether a notification arrives before that time and this thread is the one that gets it."""
        if not self._listen_lock.acquire(timeout=max(0.0, end - time.monotonic())):
            return False
        try:
            if not self._notifications:
                self._notifications = self._listen(end - time.monotonic())
            self._notifications -= bool(self._notifications)
            return time.monotonic() < end
        finally:
            self._listen_lock.release()

    def _listen(self, seconds: float) -> int:
        """Return the number of notifications; 1 on a new connection, as a hint may have come before it listened."""
        connection = self._listener
        if connection is None or connection.is_lost:
            self._listener = connection = Connection(self._url, _HINTING)
            connection.run(f"LISTEN {_CHANNEL}")
            return 1
        try:
            return len(list(connection.raw.notifies(timeout=max(0.0, seconds), stop_after=1)))
        except psycopg.Error as error:
            connection.close()
            raise translate(self._url, error, is_lost=True) from error
