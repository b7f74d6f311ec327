"""The PostgreSQL database: opening it, its read and write transactions.

`reading()` is REPEATABLE READ, READ ONLY: one snapshot. `writing()` is READ COMMITTED behind an advisory lock that one
writer of all processes and hosts holds at a time; each statement sees what earlier writers committed. The server
releases the lock when the connection ends. Read transactions use connections of a pool, one for each process.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sitecms.cache import BoundedCache
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.database import CACHE_BYTES, Database, Session
from sitecms.store.engines.postgres.read_pool import ReadConnection, ReadPool
from sitecms.store.engines.postgres.session import PostgresSession, PostgresTransaction
from sitecms.store.engines.postgres.tables import prepare
from sitecms.store.engines.postgres.write_connection import WriteConnection
from sitecms.store.schema.migrations import STEPS, Steps
from sitecms.store.site_state.relocation_state import SELECT_BLOCKING_MOVE, check_not_moved

if TYPE_CHECKING:
    from sitecms.content.fields import FieldType


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
        return PostgresReading(self._pool, self._thread, self.field_types, self.cache)

    @contextmanager
    def writing(self, *, counts_as_change: bool = True, is_durable: bool = True) -> Iterator[PostgresTransaction]:
        """Open a write transaction."""
        options = {"counts_as_change": counts_as_change, "is_durable": is_durable, "is_moving": self.is_moving}
        with self._lock, self._writer.transaction(**options) as transaction:
            transaction.listener, transaction.field_types = self.listener, self.field_types
            yield transaction
        transaction.tell_listener()

    def change_number(self) -> int:
        """Return the number of committed changes."""
        with self.reading() as session:
            return session.change_number()

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

    __slots__ = ("_cache", "_field_types", "_is_part", "_pool", "_thread")

    def __init__(
        self, pool: ReadPool, thread: _ThreadState, field_types: "tuple[FieldType, ...]", cache: BoundedCache[Any]
    ) -> None:
        self._field_types = field_types
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
        session = PostgresSession(connection, self._cache)
        session.field_types = self._field_types
        return session

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
