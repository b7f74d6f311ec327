"""Storages of the queue: Huey's own, behind a circuit breaker that keeps workers going while the storage fails."""

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from huey.storage import BaseStorage, BlackHoleStorage, CySqliteStorage, PostgresStorage, RedisStorage

from sitecms.circuit_breaker import CircuitBreaker
from sitecms.files import make_private_file
from sitecms.settings.service_url import ServiceUrl

T = TypeVar("T")
READ_SECONDS = 0.5
ANSWER_SECONDS = 0.5
MOST_HINTS = 10_000  # in the memory of a server or of a process; the sweep finds the writes of others
EXPIRY_SECONDS = 24 * 3600
FILE_ENDINGS = ("", "-wal", "-shm")
DAMAGE = ("malformed", "not a database", "no such table")


class QueueUnreachable(Exception):
    """The queue cannot be used now. The text says why, without a password."""


class HintStorage(BlackHoleStorage):  # type: ignore[misc]  # huey has no types
    """Queue of hints over a storage of Huey, which is opened with the first call.

    Nothing is scheduled, revoked or kept as a result. While the storage fails, hints are lost, except in a process
    that `has_worker`: its threads carry out what its sweep queues. Claims make sure that each write is applied by one
    worker. A storage that is not `blocking` is polled by Huey.
    """

    def __init__(
        self,
        open_storage: Callable[[], BaseStorage],
        breaker: CircuitBreaker[QueueUnreachable],
        *,
        blocking: bool = True,
    ) -> None:
        super().__init__()
        self.blocking = blocking
        self.has_worker = False
        self._open = open_storage
        self._storage: BaseStorage | None = None
        self._lock = threading.RLock()
        self._close_lock = threading.Lock()
        self._breaker = breaker
        self._local: SimpleQueue[bytes] = SimpleQueue()

    def enqueue(self, data: bytes, priority: float | None = None) -> None:
        """Queue a hint. Raises QueueUnreachable in a process without a worker."""
        try:
            self._call(lambda storage: storage.enqueue(data, priority))
        except QueueUnreachable:
            if not self.has_worker:
                raise
            self._local.put(data)

    def dequeue(self) -> Any:
        """Return the next hint as bytes, or None. A blocking storage waits half a second for one."""
        try:
            return self._local.get_nowait()
        except Empty:
            pass
        try:
            return self._call(lambda storage: storage.dequeue())
        except QueueUnreachable:
            return self._wait_for_local()

    def queue_size(self) -> int:
        """Return the number of hints that wait. Raises QueueUnreachable in a process without a worker."""
        try:
            return self._local.qsize() + self._call(lambda storage: int(storage.queue_size()))
        except QueueUnreachable:
            if not self.has_worker:
                raise
            return self._local.qsize()

    def close(self) -> None:
        """Close the connections of this thread, and those that all threads share; the next call opens others."""
        with self._close_lock:  # Huey lets two threads close the connection that they share
            if self._storage is not None:
                self._storage.close()

    def _call(self, act: Callable[[BaseStorage], T]) -> T:
        return self._breaker.call(lambda: self._attempt(act))

    def _attempt(self, act: Callable[[BaseStorage], T]) -> T:
        try:
            return act(self._current_storage())
        except Exception as error:
            raise QueueUnreachable(str(error)) from error

    def _current_storage(self) -> BaseStorage:
        with self._lock:
            if self._storage is None:
                self._storage = self._open()
            return self._storage

    def _wait_for_local(self) -> bytes | None:
        try:
            return self._local.get(timeout=READ_SECONDS)
        except Empty:
            return None


class FileHintStorage(HintStorage):
    """Queue of hints in a SQLite file. A file that was deleted or damaged is replaced by an empty one."""

    def __init__(self, path: Path, breaker: CircuitBreaker[QueueUnreachable]) -> None:
        super().__init__(partial(open_file, path), breaker, blocking=False)
        self._path = path
        self._inode: int | None = None

    def _attempt(self, act: Callable[[BaseStorage], T]) -> T:
        try:
            return super()._attempt(act)
        except QueueUnreachable as error:
            causes = f"{error} {error.__cause__ and error.__cause__.__context__}"  # a rollback may hide the first error
            if any(text in causes for text in DAMAGE):
                self.close()
                _remove(self._path)
            raise

    def _current_storage(self) -> BaseStorage:
        with self._lock:
            if self._inode != _inode(self._path):
                self.close()
                self._storage = None
            storage = super()._current_storage()
            self._inode = _inode(self._path)
            return storage


class BoundedRedisStorage(RedisStorage):  # type: ignore[misc]  # huey has no types
    """Huey's storage on Redis, whose hints are limited in number and expire after a day without a new one."""

    def enqueue(self, data: bytes, _priority: float | None = None) -> None:
        """Queue a hint; drop it if too many wait."""
        with self.conn.pipeline() as commands:
            commands.lpush(self.queue_key, data)
            commands.ltrim(self.queue_key, -MOST_HINTS, -1)
            commands.expire(self.queue_key, EXPIRY_SECONDS)
            commands.execute()

    def close(self) -> None:
        """Close the connections that no thread uses now."""
        self.pool.disconnect(inuse_connections=False)


def open_file(path: Path) -> BaseStorage:
    """Return a storage in a SQLite file. Nothing waits for the disk: the queue may be lost with the power."""
    if not path.exists():
        _remove(path)  # SQLite would read what is left beside it as part of the new file
    make_private_file(path)
    return CySqliteStorage(filename=str(path), fsync=False)


def open_redis(url: ServiceUrl, store: str) -> BaseStorage:
    """Return a storage on Redis, named by the identity of the store, so that sites can share a server.

    No command is repeated.
    """
    from redis import ConnectionPool
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    pool = ConnectionPool.from_url(
        url.reveal(),
        socket_connect_timeout=ANSWER_SECONDS,
        socket_timeout=READ_SECONDS + ANSWER_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    return BoundedRedisStorage(f"sitecms_{store}", read_timeout=READ_SECONDS, connection_pool=pool)


def open_postgres(url: ServiceUrl, *, read_only: bool = False) -> BaseStorage:
    """Return Huey's storage in the PostgreSQL database of the store.

    If `read_only`, no tables are created, and a queue without tables appears empty.
    """
    from sitecms.store.engines.postgres.connection import connect_queue

    connection = partial(connect_queue, url)
    storage = PostgresStorage("sitecms", connection=connection, read_timeout=READ_SECONDS, create_tables=False)
    if storage.sql("SELECT to_regclass(%s) IS NOT NULL", (storage.table_task,), results=True)[0][0]:
        return storage
    if read_only:
        return BlackHoleStorage()
    try:
        storage.initialize_schema()
    except Exception:  # noqa: BLE001 - another process may have created the tables at the same time
        storage.initialize_schema()
    return storage


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def _remove(path: Path) -> None:
    for ending in FILE_ENDINGS:
        path.with_name(path.name + ending).unlink(missing_ok=True)
