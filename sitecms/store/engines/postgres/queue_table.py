"""A table of hints that may be lost, and the bell that is rung for each: what a queue on PostgreSQL needs.

The table is not logged: nothing of it waits for a disk, and it is empty after the server fell. Those who wait listen
on connections of their own; of several that hear of a hint, one takes it.
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
    """The hints of one store, for one process. Safe to share between threads. Each raises StoreUnusable."""

    def __init__(self, url: ServiceUrl) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._asking: Connection | None = None
        self._ears = threading.Lock()
        self._listening: Connection | None = None
        self._heard = 0

    def push(self, data: bytes) -> None:
        """Put it at the end, and ring."""
        self._ask(_PUSH, data)

    def pop(self, seconds: float) -> bytes | None:
        """Take the first one; None if there is none and none comes within that time."""
        end = time.monotonic() + seconds
        found = self._ask(_TAKE)
        while not found and self._hears(end):
            found = self._ask(_TAKE)
        return bytes(found[0][0]) if found else None

    def length(self) -> int:
        """How many there are."""
        return int(self._ask("SELECT count(*) FROM hint")[0][0])

    def clear(self) -> None:
        """Drop them all."""
        self._ask("DELETE FROM hint RETURNING id")

    def close(self) -> None:
        """Close the connections."""
        for link in (self._asking, self._listening):
            if link is not None:
                link.close()

    def _ask(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows; asked once more where the connection was lost: a hint too many harms nobody."""
        with self._lock:
            if self._asking is not None and not self._asking.is_lost:
                found = self._ask_kept(self._asking, statement, values)
                if found is not None:
                    return found
            self._asking = Connection(self._url, _HINTING)
            return list(self._asking.run(statement, values).fetchall())

    def _ask_kept(self, link: Connection, statement: str, values: tuple[object, ...]) -> list[tuple[Any, ...]] | None:
        """None if the connection turns out to be lost."""
        try:
            return list(link.run(statement, values).fetchall())
        except Exception:
            if link.is_lost:
                return None
            raise

    def _hears(self, end: float) -> bool:
        """Whether it rings before then, and this thread is the one to answer; the others wait for their turn."""
        if not self._ears.acquire(timeout=max(0.0, end - time.monotonic())):
            return False
        try:
            if not self._heard:
                self._heard = self._listen(end - time.monotonic())
            self._heard -= bool(self._heard)
            return time.monotonic() < end
        finally:
            self._ears.release()

    def _listen(self, seconds: float) -> int:
        """How often it rang. Who begins to listen has looked before: so it looks once more."""
        link = self._listening
        if link is None or link.is_lost:
            self._listening = link = Connection(self._url, _HINTING)
            link.run(f"LISTEN {_CHANNEL}")
            return 1
        try:
            return len(list(link.raw.notifies(timeout=max(0.0, seconds), stop_after=1)))
        except psycopg.Error as error:
            link.close()
            raise translate(self._url, error, is_lost=True) from error
