"""The PostgreSQL database: opening it, and the two ways into it.

`reading()` is REPEATABLE READ, READ ONLY: one snapshot. `writing()` is READ COMMITTED behind a lock that one writer
has at a time, whichever process or host it is of; each statement sees what the writer before it committed. The server
drops the lock with the connection.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from sitecms.cache import BoundedCache
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.database import MEMORY_BYTES, Database, Session
from sitecms.store.engines.postgres.connection import Link
from sitecms.store.engines.postgres.locks import PostgresLocks
from sitecms.store.engines.postgres.read_pool import Readers
from sitecms.store.engines.postgres.session import PostgresSession, PostgresTransaction
from sitecms.store.engines.postgres.tables import prepare
from sitecms.store.engines.postgres.write_connection import Writer
from sitecms.store.site_state.relocation_state import ASK_IN_THE_WAY, check_open


class PostgresDatabase(Database):
    """The store on a server."""

    def __init__(self, url: ServiceUrl) -> None:
        self.address = self.url = url
        self._lock = threading.Lock()
        self._writer = Writer(url)
        self._readers = Readers(url)
        self._mine = _Mine()
        self.memory = BoundedCache(MEMORY_BYTES)

    @property
    def engine(self) -> str:
        """`PostgreSQL 15.8`."""
        return self._writer.server

    def reading(self) -> "Reading":
        """A read transaction."""
        return Reading(self._readers, self._mine, self.memory)

    @contextmanager
    def writing(self, *, counts_as_change: bool = True, is_durable: bool = True) -> Iterator[PostgresTransaction]:
        """A write transaction."""
        ways = {"counts_as_change": counts_as_change, "is_durable": is_durable, "is_moving": self.is_moving}
        with self._lock, self._writer.transaction(**ways) as transaction:
            yield transaction

    def change_number(self) -> int:
        """How many changes are committed now."""
        with self.reading() as session:
            return session.change_number()

    def locks(self) -> PostgresLocks:
        """The locks of all who share this store, on a connection of their own; to be closed by whoever asked."""
        return PostgresLocks(self.url)

    def size_bytes(self) -> int:
        """What the database takes on the server's disk."""
        with self.reading() as session:
            return int(session.sql("SELECT pg_database_size(current_database())")[0][0])

    def close(self) -> None:
        """Close the connections that nobody reads or writes on."""
        self._readers.close()
        if self._lock.acquire(blocking=False):
            try:
                self._writer.close()
            finally:
                self._lock.release()


class _Mine(threading.local):
    """The connection that this thread reads on just now."""

    link: Link | None = None


class Reading:
    """`with` it: a read transaction. Within another one of the same thread it is a part of that one."""

    __slots__ = ("_is_part", "_memory", "_mine", "_readers")

    def __init__(self, readers: Readers, mine: _Mine, memory: BoundedCache[Any]) -> None:
        self._readers = readers
        self._mine = mine
        self._memory = memory
        self._is_part = False

    def __enter__(self) -> Session:
        link = self._mine.link
        if link is None or link.pid != os.getpid():
            self._mine.link = link = self._readers.take()
        else:
            self._is_part = True
        return PostgresSession(link, self._memory)

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        link = self._mine.link
        if not self._is_part and link is not None:
            self._mine.link = None
            self._readers.give_back(link)


def open_postgres(url: ServiceUrl, *, create: bool = False, moving: bool = False) -> PostgresDatabase:
    """Open the database, bringing it to this version's tables; raises as `open_database`."""
    database = PostgresDatabase(url)
    try:
        link = database._writer.link()
        prepare(link, url, create=create)
        database.is_moving = moving
        if not moving:
            check_open(url, link.statement(ASK_IN_THE_WAY).fetchone())
    except BaseException:
        database.close()
        raise
    return database
