"""The PostgreSQL database: opening it, its read and write transactions, and the question for its change number.

`reading()` is REPEATABLE READ, READ ONLY: one snapshot. `writing()` is READ COMMITTED behind an advisory lock that one
writer of all processes and hosts holds at a time; each statement sees what earlier writers committed. The server
releases the lock when the connection ends. Read transactions use connections of a pool, one for each process.

The question is one prepared statement outside of a transaction, through libpq and a connection of its own: neither
psycopg's cursors nor the transaction of `reading` are needed for one number.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

import psycopg

from sitecms.cache import BoundedCache
from sitecms.errors import StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.database import CACHE_BYTES, CHANGE_NUMBER, ChangeQuestion, Database, Session
from sitecms.store.engines.postgres.connection import (
    READ_LOST_AFTER_SECONDS,
    READING,
    RawConnection,
    receive,
)
from sitecms.store.engines.postgres.read_pool import ReadConnection, ReadPool
from sitecms.store.engines.postgres.session import PostgresSession, PostgresTransaction
from sitecms.store.engines.postgres.tables import prepare
from sitecms.store.engines.postgres.write_connection import WriteConnection
from sitecms.store.schema.migrations import STEPS, Steps
from sitecms.store.site_state.relocation_state import SELECT_BLOCKING_MOVE, check_not_moved

_NAME = b"change_number"
_BINARY = 1
_FIRST_ANSWER_SECONDS = 1.0  # the answer takes less than a millisecond, unless the server is frozen


class PostgresChangeQuestion(ChangeQuestion):
    """A question that is sent to the server. `connect` raises StoreUnusable."""

    def __init__(self, connect: Callable[[], RawConnection]) -> None:
        super().__init__(self.answer)
        self._connect = connect
        self._raw: RawConnection | None = None
        self._pid = 0
        self._is_asked = False

    def ask(self) -> None:
        """Send the question without waiting for its answer."""
        with suppress(StoreUnusable, psycopg.Error):  # `answer` asks again
            self._send()

    def answer(self) -> int:
        """Wait for the answer; ask again, over another connection, if this one is lost or slow."""
        number = self._receive(_FIRST_ANSWER_SECONDS)
        if number is None:
            self.close()
            with suppress(psycopg.Error):
                self._send()
                number = self._receive(READ_LOST_AFTER_SECONDS)
        if number is None:
            self.close()
            raise StoreUnusable("The store's change number cannot be read.")
        return number

    def close(self) -> None:
        """Close the connection, unless it is the parent's of a forked process."""
        if self._raw is not None and self._pid == os.getpid():
            self._raw.close()
        self._raw = None
        self._is_asked = False

    def _send(self) -> None:
        self._is_asked = False
        if self._raw is None or self._pid != os.getpid():
            self._raw, self._pid = self._connect(), os.getpid()
            self._raw.pgconn.prepare(_NAME, CHANGE_NUMBER.encode())
        self._raw.pgconn.send_query_prepared(_NAME, None, result_format=_BINARY)
        self._is_asked = True

    def _receive(self, seconds: float) -> int | None:
        if self._raw is None or not self._is_asked:
            return None
        self._is_asked = False
        try:
            value = receive(self._raw.pgconn, seconds)[0].get_value(0, 0)
        except psycopg.Error:
            return None
        return None if value is None else int.from_bytes(value)


class PostgresDatabase(Database):
    """The store on a server."""

    def __init__(self, url: ServiceUrl) -> None:
        self.address = self.url = url
        self._lock = threading.Lock()
        self._writer = WriteConnection(url)
        self._pool = ReadPool(url)
        self._thread = _ThreadState()
        self.cache = BoundedCache(CACHE_BYTES)

    @property
    def engine(self) -> str:
        """Name and version of the server, as `PostgreSQL 15.8`."""
        return self._writer.get().server

    def reading(self) -> "PostgresReading":
        """Return a read transaction."""
        return PostgresReading(self._pool, self._thread, self.cache)

    @contextmanager
    def writing(self, *, counts_as_change: bool = True, is_durable: bool = True) -> Iterator[PostgresTransaction]:
        """Open a write transaction."""
        options = {"counts_as_change": counts_as_change, "is_durable": is_durable, "is_moving": self.is_moving}
        with self._lock, self._writer.transaction(**options) as transaction:
            yield transaction

    def change_number(self) -> int:
        """Return the number of committed changes."""
        with self.reading() as session:
            return session.change_number()

    def change_question(self) -> PostgresChangeQuestion:
        """Return a question with a connection of its own."""
        return PostgresChangeQuestion(lambda: self._pool.connect(self.url, READING))

    def size_bytes(self) -> int:
        """Return the size of the database on the server's disk."""
        with self.reading() as session:
            return int(session.sql("SELECT pg_database_size(current_database())")[0][0])

    def close(self) -> None:
        """Close the connections that no transaction uses."""
        self._pool.close()
        if self._lock.acquire(blocking=False):
            try:
                self._writer.close()
            finally:
                self._lock.release()


class _ThreadState(threading.local):
    """The connection of the read transaction that this thread has open."""

    connection: ReadConnection | None = None


class PostgresReading:
    """Context manager of a read transaction; within another one of the same thread it is a part of that one."""

    __slots__ = ("_cache", "_is_part", "_pool", "_thread")

    def __init__(self, pool: ReadPool, thread: _ThreadState, cache: BoundedCache[Any]) -> None:
        self._pool = pool
        self._thread = thread
        self._cache = cache
        self._is_part = False

    def __enter__(self) -> Session:
        connection = self._thread.connection
        if connection is None or connection.pid != os.getpid():
            self._thread.connection = connection = self._pool.acquire()
        else:
            self._is_part = True
        return PostgresSession(connection, self._cache)

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        connection = self._thread.connection
        if not self._is_part and connection is not None:
            self._thread.connection = None
            connection.release()


def open_postgres(
    url: ServiceUrl, *, create: bool = False, moving: bool = False, steps: Steps = STEPS
) -> PostgresDatabase:
    """Open the database and bring its tables to this version. Raises as `store.opening.open_database`."""
    database = PostgresDatabase(url)
    try:
        connection = database._writer.get()
        prepare(connection, url, create=create, steps=steps)
        database.is_moving = moving
        if not moving:
            check_not_moved(url, connection.run(SELECT_BLOCKING_MOVE).fetchone())
    except BaseException:
        database.close()
        raise
    return database
