"""Connections for read transactions: psycopg's pool behind the circuit breaker, one pool for each process."""

import logging
import os
import threading
from collections.abc import Mapping
from typing import Any

import psycopg
from msgspec import Struct
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from sitecms.circuit_breaker import CircuitBreaker
from sitecms.errors import StoreUnreachable, StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.connection import (
    CONNECT_SECONDS,
    READING,
    Connection,
    RawConnection,
    configure,
    connect,
    connection_options,
)
from sitecms.store.engines.postgres.read_watch import ReadWatch

SLOW_SECONDS = 1.0  # a refusal that comes sooner delays nobody
_MAX_CONNECTIONS = 60
_NEW_CONNECTION_SECONDS = 0.5  # after which the server is asked by a connection whose error says why
_RETRY_SECONDS = 1.0

logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # whoever reads gets the error


class Lease(Struct, frozen=True):
    """A connection that was taken from a pool, and goes back there."""

    pool: ConnectionPool[Any]
    raw: RawConnection

    def end(self) -> None:
        """Give the connection back; a lost one is discarded."""
        self.pool.putconn(self.raw)


class ReadPool:
    """The pool of this process; a forked process leaves its parent's alone. Safe to share between threads."""

    def __init__(self, url: ServiceUrl) -> None:
        self.url = url
        self._breaker = CircuitBreaker(
            StoreUnusable, pause_seconds=0.0, slow_seconds=SLOW_SECONDS, probe=lambda: connect(url, READING).close()
        )
        self.watch = ReadWatch(lambda: self.connect(url, READING).close())
        self._pools: dict[int, ConnectionPool[Any]] = {}
        self._lock = threading.Lock()

    def acquire(self) -> "ReadConnection":
        """Return a connection for one transaction. Raises StoreUnusable."""
        self._breaker.check()
        return ReadConnection(self)

    def lease(self) -> Lease:
        """Take a connection from the pool. Raises StoreUnusable."""
        pool = self._pool()
        try:
            return Lease(pool, pool.getconn(_NEW_CONNECTION_SECONDS))
        except (PoolTimeout, PoolClosed):
            self.connect(self.url, READING).close()
        pool = self._pool()
        try:
            return Lease(pool, pool.getconn(CONNECT_SECONDS))
        except (PoolTimeout, PoolClosed):
            raise StoreUnreachable(f"The store {self.url} cannot be reached: all connections are in use.") from None

    def discard(self, lease: Lease) -> None:
        """End the lease of a lost connection, and its pool: the idle connections beside it are lost, too."""
        lease.end()
        self._close(lease.pool)

    def connect(self, url: ServiceUrl, settings: Mapping[str, str]) -> RawConnection:
        """Open a connection outside the pool, unless the last attempts failed. Raises StoreUnusable."""
        try:
            return self._breaker.call(lambda: connect(url, settings))
        except StoreUnusable:
            self._close(self._pools.get(os.getpid()))
            raise

    def close(self) -> None:
        """Close the idle connections; let the next read try to connect, even during an outage."""
        self._breaker.close()
        self._close(self._pools.get(os.getpid()))

    def _pool(self) -> ConnectionPool[Any]:
        pool = self._pools.get(os.getpid())
        if pool is not None:
            return pool
        with self._lock:
            pool = self._pools.get(os.getpid())
            if pool is None:
                pool = self._pools[os.getpid()] = self._open()
            return pool

    def _open(self) -> ConnectionPool[Any]:
        return ConnectionPool(
            kwargs=connection_options(self.url, READING),
            configure=lambda raw: configure(self.url, READING, raw),
            min_size=0,
            max_size=_MAX_CONNECTIONS,
            reconnect_timeout=_RETRY_SECONDS,
            open=True,
        )

    def _close(self, pool: ConnectionPool[Any] | None) -> None:
        """Close a pool: connections in use are closed when they are given back."""
        with self._lock:
            if pool is None or self._pools.get(os.getpid()) is not pool:
                return
            del self._pools[os.getpid()]
        pool.close(timeout=0)


class ReadConnection(Connection):
    """A connection of the pool with one read transaction, which the first statement begins."""

    def __init__(self, pool: ReadPool) -> None:
        self._pool = pool
        self._lease: Lease | None = None
        super().__init__(pool.url, READING, self._take, pool.watch.waiting)

    def release(self) -> None:
        """End the transaction and give the connection back."""
        try:
            with self._pool.watch.waiting(self.raw):
                self.raw.rollback()
        except psycopg.Error:
            self.raw.close()
        self._end()

    def _take(self, _url: ServiceUrl, _settings: Mapping[str, str]) -> RawConnection:
        if self._lease is not None:
            lease, self._lease = self._lease, None
            self._pool.discard(lease)
        self._lease = self._pool.lease()
        return self._lease.raw

    def _end(self) -> None:
        lease, self._lease = self._lease, None
        if lease is not None and self.pid == os.getpid():
            lease.end()

    def __del__(self) -> None:
        if self._lease is not None and hasattr(self, "raw"):
            self.close()
            self._end()
