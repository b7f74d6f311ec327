"""Storages of the queue: Huey's own, behind a circuit breaker that keeps workers going while the storage fails."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from huey.constants import EmptyData
from huey.storage import BaseStorage, BlackHoleStorage, CySqliteStorage, PostgresStorage, RedisStorage

from sitecms.circuit_breaker import CircuitBreaker
from sitecms.files import make_private_file
from sitecms.settings.service_url import ServiceUrl

T = TypeVar("T")
READ_SECONDS = 0.5
ANSWER_SECONDS = 0.5
MOST_HINTS = 10_000
CHECKED_EVERY = 100  # counting takes longer than adding a hint
KEPT_SECONDS = 24 * 3600


class QueueUnreachable(Exception):
    """The queue cannot be used now. The text says why, without a password."""


class HintStorage(BlackHoleStorage):  # type: ignore[misc]  # huey has no types
    """Queue of hints over a storage of Huey, which is opened with the first call.

    Nothing is scheduled, revoked or kept as a result. While the storage fails, a worker's own threads carry out what
    its sweep queues: claims make sure that each write is applied by one worker. About 10,000 hints are kept at
    most; the sweep finds the writes of those that are dropped. A storage that is not `blocking` is polled by Huey.
    """

    def __init__(
        self,
        name: str,
        open_storage: Callable[[], BaseStorage],
        breaker: CircuitBreaker[QueueUnreachable],
        *,
        blocking: bool = True,
    ) -> None:
        super().__init__(name)
        self.blocking = blocking
        self._open = open_storage
        self._storage: BaseStorage | None = None
        self._lock = threading.Lock()
        self._breaker = breaker
        self._local: SimpleQueue[bytes] = SimpleQueue()
        self._has_worker = False
        self._unchecked = 0

    def start_working(self) -> None:
        """Note that threads of this process carry out tasks."""
        self._has_worker = True

    def stop_working(self) -> None:
        """Note that no thread of this process carries out tasks any more."""
        self._has_worker = False

    def enqueue(self, data: bytes, priority: float | None = None) -> None:
        """Queue a hint. Raises QueueUnreachable in a process without a worker."""
        try:
            self._call(lambda storage: self._enqueue_bounded(storage, data, priority))
        except QueueUnreachable:
            if not self._has_worker:
                raise
            self._local.put(data)

    def dequeue(self) -> Any:
        """Return the next hint as bytes, or None. A blocking storage waits half a second for one."""
        data = self._next_local(0)
        if data is not None:
            return data
        try:
            return self._call(lambda storage: storage.dequeue())
        except QueueUnreachable:
            return self._next_local(READ_SECONDS if self.blocking else 0)

    def queue_size(self) -> int:
        """Return the number of hints that wait. Raises QueueUnreachable in a process without a worker."""
        try:
            return self._local.qsize() + self._call(lambda storage: int(storage.queue_size()))
        except QueueUnreachable:
            if not self._has_worker:
                raise
            return self._local.qsize()

    def close(self) -> None:
        """Close the connections of this thread, and those that all threads share."""
        if self._storage is not None:
            self._storage.close()

    def end_thread(self) -> None:
        """Close the connections of a worker's thread that ends: on PostgreSQL each thread has one."""
        if isinstance(self._storage, PostgresStorage):
            with self._lock:  # Huey lets two threads close the connection that they share
                self._storage.close()

    def flush_all(self) -> None:
        """Remove all hints."""
        self._call(lambda storage: storage.flush_all())

    def peek_data(self, _key: object) -> object:
        """Return that no task is revoked."""
        return EmptyData

    def pop_data(self, _key: object) -> object:
        """Return that there is no result."""
        return EmptyData

    def _enqueue_bounded(self, storage: BaseStorage, data: bytes, priority: float | None) -> None:
        if not self._unchecked and storage.queue_size() >= MOST_HINTS:
            return
        self._unchecked = (self._unchecked + 1) % CHECKED_EVERY
        storage.enqueue(data, priority)

    def _call(self, act: Callable[[BaseStorage], T]) -> T:
        return self._breaker.call(lambda: self._attempt(act))

    def _attempt(self, act: Callable[[BaseStorage], T]) -> T:
        try:
            return act(self._opened())
        except Exception as error:
            self._failed(error)
            raise QueueUnreachable(str(error)) from error

    def _opened(self) -> BaseStorage:
        with self._lock:
            if self._storage is None:
                self._storage = self._open()
            return self._storage

    def _failed(self, error: Exception) -> None:
        """Prepare for the next attempt after an error of the storage."""

    def _next_local(self, seconds: float) -> bytes | None:
        try:
            return self._local.get(timeout=seconds) if seconds else self._local.get_nowait()
        except Empty:
            return None


class FileHintStorage(HintStorage):
    """Queue of hints in a SQLite file. A file that was deleted or damaged is replaced by an empty one.

    Nothing waits for the disk: the queue may be lost with the power.
    """

    def __init__(self, name: str, path: Path, breaker: CircuitBreaker[QueueUnreachable]) -> None:
        def open_storage() -> BaseStorage:
            if not path.exists():
                _remove(path, "-wal", "-shm")  # SQLite would read them as part of the new file
            make_private_file(path)
            return CySqliteStorage(name, filename=str(path), fsync=False)

        super().__init__(name, open_storage, breaker, blocking=False)
        self._path = path
        self._inode: int | None = None

    def _opened(self) -> BaseStorage:
        with self._lock:
            if self._storage is not None and self._inode != _inode(self._path):
                self._storage.close()
                self._storage = None
            if self._storage is None:
                self._storage = self._open()
                self._inode = _inode(self._path)
            return self._storage

    def _failed(self, error: Exception) -> None:
        causes = f"{error} {error.__context__}"  # a rollback that fails, too, hides the first error
        if any(text in causes for text in ("malformed", "not a database")):
            self.close()
            _remove(self._path, "", "-wal", "-shm")


class ExpiringRedisStorage(RedisStorage):  # type: ignore[misc]  # huey has no types
    """Huey's storage on Redis, whose hints expire after a day without a new one."""

    def enqueue(self, data: bytes, priority: float | None = None) -> None:
        """Queue a hint."""
        super().enqueue(data, priority)
        self.conn.expire(self.queue_key, KEPT_SECONDS)

    def close(self) -> None:
        """Close all connections."""
        self.pool.disconnect()


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
    return ExpiringRedisStorage(f"sitecms_{store}", read_timeout=READ_SECONDS, connection_pool=pool)


def open_postgres(url: ServiceUrl, *, read_only: bool = False) -> BaseStorage:
    """Return Huey's storage in the PostgreSQL database of the store.

    If `read_only`, no tables are created, and a queue without tables appears empty.
    """
    from sitecms.store.engines.postgres.connection import connect_queue

    def opened() -> PostgresStorage:
        connection = partial(connect_queue, url)
        return PostgresStorage("sitecms", connection=connection, read_timeout=READ_SECONDS, create_tables=not read_only)

    if not read_only:
        with suppress(Exception):
            return opened()
    storage = opened()  # again: another process may have created the tables at the same time
    has_tables = storage.sql("SELECT to_regclass(%s) IS NOT NULL", (storage.table_task,), results=True)[0][0]
    return storage if has_tables else BlackHoleStorage()


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


def _remove(path: Path, *endings: str) -> None:
    for ending in endings:
        path.with_name(path.name + ending).unlink(missing_ok=True)
