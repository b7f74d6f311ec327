"""The SQLite file: opening it, and its read and write transactions.

In WAL mode readers run beside the one writer, and each read transaction sees one stable snapshot. A transaction that
reads first and writes later fails at once if another one wrote in between, so every write begins with `BEGIN
IMMEDIATE`. SQLite's own waiting starves writers under load, so they queue on locks.
`synchronous=FULL`: what was committed survives power loss.

The driver is cysqlite: it contains an SQLite newer than 3.51.2 (which, like many of the copies that come with Python,
has a rare WAL corruption bug), and is faster.
"""

import fcntl
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import cysqlite
import peewee
from playhouse.cysqlite_ext import CySqliteDatabase

from sitecms.cache import BoundedCache
from sitecms.store.database import CACHE_BYTES, CHANGE_NUMBER, Database, Session
from sitecms.store.engines.sqlite.connection import (
    PRAGMAS,
    checked_number,
    connector,
    sqlite_version,
    store_error,
    transaction,
    translating,
)
from sitecms.store.engines.sqlite.digests import set_digests
from sitecms.store.engines.sqlite.file import check_file, prepare
from sitecms.store.engines.sqlite.session import SqliteSession, SqliteTransaction
from sitecms.store.schema.migrations import STEPS, Steps
from sitecms.store.site_state.relocation_state import SELECT_BLOCKING_MOVE, check_not_moved, move_error

if TYPE_CHECKING:
    from sitecms.content.fields import FieldType


_WRITER = {"query_only": 0, "cache_size": -32_000}
"""A load of a thousand posts fits in. Pages that do not are written before the end, and many of them again, after which
SQLite reads the whole transaction back to compute its checksums anew."""


class SqliteDatabase(Database):
    """The store in one file."""

    def __init__(self, path: Path) -> None:
        self.address = self.path = path
        self._lock = threading.Lock()
        self._writer = connector(path, {**PRAGMAS, **_WRITER})
        self._unsynced_writer = connector(path, {**PRAGMAS, **_WRITER, "synchronous": "normal"})
        self._reader = connector(path, {**PRAGMAS, "query_only": 1})
        self._writer_lock = WriterLock(path)
        self.cache = BoundedCache(CACHE_BYTES)

    @property
    def engine(self) -> str:
        """Name and version of the engine, as `SQLite 3.54.0`."""
        return f"SQLite {sqlite_version()}"

    def reading(self) -> "SqliteReading":
        """Return a read transaction."""
        return SqliteReading(self._reader, self.path, self.field_types, self.cache)

    @contextmanager
    def writing(self, *, counts_as_change: bool = True, is_durable: bool = True) -> Iterator[SqliteTransaction]:
        """Open a write transaction."""
        writer = self._writer if is_durable else self._unsynced_writer
        with self._lock, self._writer_lock.held(), translating(self.path), transaction(writer, "immediate"):
            opened = SqliteTransaction(writer)
            opened.listener, opened.field_types = self.listener, self.field_types
            blocking_move = opened.sql_row(SELECT_BLOCKING_MOVE)
            if blocking_move and not self.is_moving:
                raise move_error(self.path, *blocking_move)
            before = opened.total_changes()
            yield opened
            set_digests(writer.connection())
            if counts_as_change and opened.total_changes() != before:
                opened.sql("UPDATE change_number SET number = number + 1, mark = hex(randomblob(8))")
        opened.tell_listener()

    def change_number(self) -> int:
        """Return the number of committed changes."""
        try:
            number: object = self._reader.connection().execute_scalar(CHANGE_NUMBER)
        except cysqlite.DatabaseError as error:
            raise store_error(self.path, error) or error from error
        return checked_number(self.path, number)

    def size_bytes(self) -> int:
        """Return the size of the file and of its WAL files."""
        paths = (self.path.with_name(self.path.name + ending) for ending in ("", "-wal", "-shm"))
        return sum(path.stat().st_size for path in paths if path.exists())

    def close(self) -> None:
        """Close this thread's connections."""
        self._reader.close()
        self._unsynced_writer.close()
        self._writer.close()


class WriterLock:
    """Lock file beside the store, by which the writers of all processes queue in the kernel.

    The kernel wakes the next writer at once, and releases the lock when its process ends. A writer that SQLite finds
    busy sleeps, longer each time, while others go first: with three processes writing, its share fell and its waits
    grew to 700 ms at the 99th percentile (tests/benchmarks/write_api.py). Where no such file can be made, SQLite's own
    waiting has to do. One thread of a process at a time may wait for the lock.
    """

    def __init__(self, store: Path) -> None:
        self._path = store.with_suffix(".lock")
        self._handle: int | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock to the end of the block."""
        handle = self._open()
        if handle is None:
            yield
            return
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)

    def _open(self) -> int | None:
        if self._handle is None:
            try:
                self._handle = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
            except OSError:
                return None
            weakref.finalize(self, os.close, self._handle)
        return self._handle


class SqliteReading:
    """Context manager of a read transaction; within another one of the same thread it is a part of that one.

    A class, not a generator, which would be slower: every request opens one.
    """

    __slots__ = ("_caches", "_connection", "_database", "_field_types", "_path")

    def __init__(
        self, database: CySqliteDatabase, path: Path, field_types: "tuple[FieldType, ...]", *caches: BoundedCache[Any]
    ) -> None:
        self._database = database
        self._path = path
        self._field_types = field_types
        self._caches = caches
        self._connection: Any = None

    def __enter__(self) -> Session:
        try:
            connection = self._database.connection()
            if not connection.in_transaction:
                connection.execute("BEGIN")
                self._connection = connection
        except (peewee.DatabaseError, cysqlite.DatabaseError) as error:
            translated = store_error(self._path, error)
            if translated is None:
                raise
            raise translated from error
        session = SqliteSession(self._database, *self._caches)
        session.field_types = self._field_types
        return session

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        connection = self._connection
        if connection is not None and connection.in_transaction:
            connection.execute("COMMIT" if error is None else "ROLLBACK")  # a damaged file fails a COMMIT too
        translated = store_error(self._path, error) if error is not None else None
        if translated is not None:
            raise translated from error


def open_sqlite(path: Path, *, create: bool = False, moving: bool = False, steps: Steps = STEPS) -> SqliteDatabase:
    """Open the file and bring its tables to this version. Raises as `store.opening.open_database`."""
    check_file(path, create=create)
    database = SqliteDatabase(path)
    with translating(path):
        try:
            prepare(database._writer, path, create=create, steps=steps)
            database.is_moving = moving
            if not moving:
                check_not_moved(path, database._writer.execute_sql(SELECT_BLOCKING_MOVE).fetchone())
        except BaseException:
            database.close()
            raise
    return database
