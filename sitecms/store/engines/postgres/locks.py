"""Locks by name that the server holds for a connection and releases with it (see `store.engines.locks`)."""

import threading
from hashlib import blake2b

from sitecms.errors import StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.locks import unique_name
from sitecms.store.engines.postgres.connection import LOCKING, Connection

_ACQUIRE = "SELECT pg_try_advisory_lock($1)"
_RELEASE = "SELECT pg_advisory_unlock($1)"
_IS_HELD = """
SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
 AND classid = (($1::bigint >> 32) & 4294967295)::oid AND objid = ($1::bigint & 4294967295)::oid)"""


class PostgresLocks:
    """The locks of one store. All locks of a process depend on one connection, and are lost with it.

    Safe to share between threads.
    """

    def __init__(self, url: ServiceUrl) -> None:
        self._url = url
        self._connection: Connection | None = None
        self._names: set[str] = set()
        self._lock = threading.Lock()

    def acquire(self, name: str) -> "PostgresLock | None":
        """Return None, without waiting, while any process holds it, this one included. Raises StoreUnusable."""
        with self._lock:
            connection = self._connected()
            if name in self._names or not self._ask(connection, _ACQUIRE, name):
                return None
            self._names.add(name)
            return PostgresLock(self, connection, name)

    def acquire_unique(self) -> "PostgresLock":
        """Acquire a lock whose name was never used before. Raises StoreUnusable."""
        while True:
            lock = self.acquire(unique_name())
            if lock is not None:
                return lock

    def is_held(self, name: str) -> bool:
        """Return whether any process holds the lock. Raises StoreUnusable."""
        with self._lock:
            return self._ask(self._connected(), _IS_HELD, name)

    def close(self) -> None:
        """Release all locks of this process."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            self._names.clear()

    def is_connected(self, connection: Connection) -> bool:
        """Return whether the locks acquired on the connection are still held; asks the server."""
        with self._lock:
            if connection is self._connection and not connection.is_lost:
                try:
                    connection.run("SELECT 1")
                except StoreUnusable:
                    connection.close()
            return connection is self._connection and not connection.is_lost

    def release(self, connection: Connection, name: str) -> None:
        """Release a lock if it is still held. If the server cannot be reached, all are released."""
        with self._lock:
            if connection is self._connection and name in self._names:
                self._names.discard(name)
                try:
                    self._ask(connection, _RELEASE, name)
                except StoreUnusable:
                    connection.close()

    def _connected(self) -> Connection:
        if self._connection is None or self._connection.is_lost:
            self._names.clear()
            self._connection = Connection(self._url, LOCKING)
        return self._connection

    def _ask(self, connection: Connection, statement: str, name: str) -> bool:
        return bool(connection.run(statement, (_key(name),)).fetchone()[0])


class PostgresLock:
    """A lock that this process acquired."""

    def __init__(self, locks: PostgresLocks, connection: Connection, name: str) -> None:
        self._locks = locks
        self._connection: Connection | None = connection
        self.name = name

    def is_held(self) -> bool:
        """Return whether the lock was neither released nor lost."""
        return self._connection is not None and self._locks.is_connected(self._connection)

    def release(self) -> None:
        """Let other processes acquire the lock."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self._locks.release(connection, self.name)


def _key(name: str) -> int:
    """Return the key of an advisory lock: a digest of the name, never the key of the locks of writers or of opening."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), signed=True) | 1 << 40
