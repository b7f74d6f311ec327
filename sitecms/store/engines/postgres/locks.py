"""Locks by name that the server keeps for a connection, and drops with it: as `store.engines.locks` wants them."""

import threading
from hashlib import blake2b

from sitecms.errors import StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.locks import new_name
from sitecms.store.engines.postgres.connection import LOCKING, Link

_TAKE = "SELECT pg_try_advisory_lock($1)"
_LET_GO = "SELECT pg_advisory_unlock($1)"
_IS_TAKEN = """
SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
 AND classid = (($1::bigint >> 32) & 4294967295)::oid AND objid = ($1::bigint & 4294967295)::oid)"""


class PostgresLocks:
    """The locks of one store. Those of a process hang on one connection, and are all lost with it.

    Safe to share between threads.
    """

    def __init__(self, url: ServiceUrl) -> None:
        self._url = url
        self._link: Link | None = None
        self._names: set[str] = set()
        self._lock = threading.Lock()

    def take(self, name: str) -> "PostgresLock | None":
        """None, without waiting, while anyone holds it, this process included. Raises StoreUnusable."""
        with self._lock:
            link = self._connected()
            if name in self._names or not self._asked(link, _TAKE, name):
                return None
            self._names.add(name)
            return PostgresLock(self, link, name)

    def take_own(self) -> "PostgresLock":
        """One by a name that nobody had before. Raises StoreUnusable."""
        while True:
            lock = self.take(new_name())
            if lock is not None:
                return lock

    def is_taken(self, name: str) -> bool:
        """Whether anyone holds it. Raises StoreUnusable."""
        with self._lock:
            return self._asked(self._connected(), _IS_TAKEN, name)

    def close(self) -> None:
        """Let go of all that this process holds."""
        with self._lock:
            if self._link is not None:
                self._link.close()
            self._link = None
            self._names.clear()

    def still_holds(self, link: Link) -> bool:
        """Whether what was taken through that connection is held: asks the server."""
        with self._lock:
            if link is self._link and not link.is_lost:
                try:
                    link.statement("SELECT 1")
                except StoreUnusable:
                    link.close()
            return link is self._link and not link.is_lost

    def drop(self, link: Link, name: str) -> None:
        """Let go of one, if it is still ours. Where the server does not hear of it, all go with the connection."""
        with self._lock:
            if link is self._link and name in self._names:
                self._names.discard(name)
                try:
                    self._asked(link, _LET_GO, name)
                except StoreUnusable:
                    link.close()

    def _connected(self) -> Link:
        if self._link is None or self._link.is_lost:
            self._names.clear()
            self._link = Link(self._url, LOCKING)
        return self._link

    def _asked(self, link: Link, statement: str, name: str) -> bool:
        return bool(link.statement(statement, (_key(name),)).fetchone()[0])


class PostgresLock:
    """One that was taken."""

    def __init__(self, locks: PostgresLocks, link: Link, name: str) -> None:
        self._locks = locks
        self._link: Link | None = link
        self.name = name

    def is_held(self) -> bool:
        """Whether it is still ours."""
        return self._link is not None and self._locks.still_holds(self._link)

    def let_go(self) -> None:
        """Others may take it now."""
        link, self._link = self._link, None
        if link is not None:
            self._locks.drop(link, self.name)


def _key(name: str) -> int:
    """A number of the name, as PostgreSQL names such locks; never that of `writing()` or of opening."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), signed=True) | 1 << 40
