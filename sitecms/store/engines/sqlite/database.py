"""The SQLite file: opening it, and the two ways into it.

SQLite facts this rests on: WAL lets readers go on beside the one writer, and each read transaction sees one stable
snapshot. A transaction that reads first and writes later fails at once when another wrote in between, so every
write starts as `BEGIN IMMEDIATE`. SQLite's own waiting starves under load, so writers queue on locks
(`store.engines.writer_lock`). `synchronous=FULL`: what was committed survives power loss.

The driver is cysqlite: it carries a SQLite newer than 3.51.2 (which has a rare WAL corruption bug, as the copies
that come with Python often do), and is faster (tests/benchmarks/sqlite_drivers.py).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import cysqlite
import peewee
from playhouse.cysqlite_ext import CySqliteDatabase

from sitecms.cache import BoundedCache
from sitecms.store.database import CHANGE_NUMBER, MEMORY_BYTES, Database, Session
from sitecms.store.engines.sqlite.connection import (
    PRAGMAS,
    connector,
    number_in,
    refusal_of,
    sqlite_version,
    transaction,
    translated,
)
from sitecms.store.engines.sqlite.digests import set_digests
from sitecms.store.engines.sqlite.file import check_file, prepare
from sitecms.store.engines.sqlite.session import SqliteSession, SqliteTransaction
from sitecms.store.engines.writer_lock import WriterLock
from sitecms.store.site_state.relocation_state import ASK_IN_THE_WAY, check_open, refusal


class SqliteDatabase(Database):
    """The store in one file."""

    def __init__(self, path: Path) -> None:
        self.address = self.path = path
        self._lock = threading.Lock()
        self._writer = connector(path, {**PRAGMAS, "query_only": 0})
        self._quick_writer = connector(path, {**PRAGMAS, "query_only": 0, "synchronous": "normal"})
        self._reader = connector(path, {**PRAGMAS, "query_only": 1})
        self._writer_lock = WriterLock(path)
        self.memory = BoundedCache(MEMORY_BYTES)

    @property
    def engine(self) -> str:
        """`SQLite 3.54.0`."""
        return f"SQLite {sqlite_version()}"

    def reading(self) -> "Reading":
        """A read transaction."""
        return Reading(self._reader, self.path, self.memory)

    @contextmanager
    def writing(self, *, counts_as_change: bool = True, is_durable: bool = True) -> Iterator[SqliteTransaction]:
        """A write transaction."""
        writer = self._writer if is_durable else self._quick_writer
        with self._lock, self._writer_lock.held(), translated(self.path), transaction(writer, "immediate"):
            opened = SqliteTransaction(writer)
            in_the_way = opened.sql_row(ASK_IN_THE_WAY)
            if in_the_way and not self.is_moving:
                raise refusal(self.path, *in_the_way)
            before = opened.total_changes()
            yield opened
            set_digests(writer.connection())
            if counts_as_change and opened.total_changes() != before:
                opened.sql("UPDATE change_number SET number = number + 1, mark = hex(randomblob(8))")

    def change_number(self) -> int:
        """How many changes are committed now."""
        try:
            number: object = self._reader.connection().execute_scalar(CHANGE_NUMBER)
        except cysqlite.DatabaseError as error:
            raise refusal_of(self.path, error) or error from error
        return number_in(self.path, number)

    def size_bytes(self) -> int:
        """What the file takes, and what stands beside it."""
        paths = (self.path.with_name(self.path.name + ending) for ending in ("", "-wal", "-shm"))
        return sum(path.stat().st_size for path in paths if path.exists())

    def close(self) -> None:
        """Close this thread's connections."""
        self._reader.close()
        self._quick_writer.close()
        self._writer.close()


class Reading:
    """`with` it: a read transaction. Within another one of the same thread it is a part of that one.

    Written out, not a generator: it stands in the way of every request.
    """

    __slots__ = ("_connection", "_database", "_memory", "_path")

    def __init__(self, database: CySqliteDatabase, path: Path, memory: BoundedCache[Any]) -> None:
        self._database = database
        self._path = path
        self._memory = memory
        self._connection: Any = None

    def __enter__(self) -> Session:
        try:
            connection = self._database.connection()
            if not connection.in_transaction:
                connection.execute("BEGIN")
                self._connection = connection
        except (peewee.DatabaseError, cysqlite.DatabaseError) as error:
            refusal = refusal_of(self._path, error)
            if refusal is None:
                raise
            raise refusal from error
        return SqliteSession(self._database, self._memory)

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        connection = self._connection
        if connection is not None and connection.in_transaction:
            connection.execute("COMMIT" if error is None else "ROLLBACK")  # a damaged file fails a COMMIT too
        refusal = refusal_of(self._path, error) if error is not None else None
        if refusal is not None:
            raise refusal from error


def open_sqlite(path: Path, *, create: bool = False, moving: bool = False) -> SqliteDatabase:
    """Open the file, bringing it to this version's tables; raises as `open_database`."""
    check_file(path, create=create)
    database = SqliteDatabase(path)
    with translated(path):
        try:
            prepare(database._writer, path, create=create)
            database.is_moving = moving
            if not moving:
                check_open(path, database._writer.execute_sql(ASK_IN_THE_WAY).fetchone())
        except BaseException:
            database.close()
            raise
    return database
