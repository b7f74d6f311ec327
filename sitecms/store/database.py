"""The SQLite file: opening it, and the two ways into it, `reading()` and `writing()`.

SQLite facts this rests on: WAL lets readers go on beside the one writer, and each read transaction sees one stable
snapshot. A transaction that reads first and writes later fails at once when another wrote in between, so every
write starts as `BEGIN IMMEDIATE`. SQLite's own waiting starves under load, so writers queue on locks (`store.turns`).
`synchronous=FULL`: what was committed survives power loss.

The driver is cysqlite: it carries a SQLite newer than 3.51.2 (which has a rare WAL corruption bug, as the copies
that come with Python often do), and is faster (tests/benchmarks/sqlite_drivers.py).
"""

import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import cysqlite
import peewee
from playhouse.cysqlite_ext import CySqliteDatabase

from sitecms.errors import StoreUnusable
from sitecms.store import migrations
from sitecms.store.connection import BUSY_TIMEOUT_SECONDS, PRAGMAS, connector, refusal_of, translated
from sitecms.store.memory import Memory
from sitecms.store.turns import Turns

T = TypeVar("T")
APPLICATION_ID = 0x51_7E_C3_55
MEMORY_BYTES = 16 * 1024 * 1024
_CHANGE_NUMBER = "SELECT number FROM change_number"
_HEADER = b"SQLite format 3\x00"


class Session:
    """One open read transaction: a stable snapshot until it ends."""

    def __init__(self, database: CySqliteDatabase, memory: Memory | None = None) -> None:
        self._database = database
        self._connection: Any = database.connection()
        self._memory = memory
        self._number: int | None = None

    def rows(self, query: Any) -> list[tuple[Any, ...]]:
        """All rows of a Peewee query, as tuples of Python values."""
        return list(query.tuples().execute(self._database))

    def each(self, query: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a Peewee query, one at a time: for a reader that may stop before the last."""
        yield from query.tuples().execute(self._database).iterator()

    def row(self, query: Any) -> tuple[Any, ...] | None:
        """The first row of a Peewee query, or None."""
        rows = self.rows(query.limit(1))
        return rows[0] if rows else None

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a statement written by hand; its text is constant, so that it is prepared once."""
        rows: list[tuple[Any, ...]] = self._connection.execute(statement, values).fetchall()
        return rows

    def sql_row(self, statement: str, *values: object) -> tuple[Any, ...] | None:
        """The first row of a statement written by hand, or None."""
        rows = self.sql(statement, *values)
        return rows[0] if rows else None

    def change_number(self) -> int:
        """How many committed changes this snapshot has seen."""
        if self._number is None or self._memory is None:
            self._number = int(self._connection.execute_scalar(_CHANGE_NUMBER))
        return self._number

    def change_mark(self) -> str:
        """A text that each committed change replaces with one that was never there before, in any copy of the store."""
        return str(self._connection.execute_scalar("SELECT mark FROM change_number"))

    @property
    def remembers(self) -> bool:
        """Whether anything is kept in memory between sessions."""
        return self._memory is not None

    def remember(self, key: Hashable, make: Callable[[], T], size_of: Callable[[T], int]) -> T:
        """What `make` gives, kept in memory until the store changes; `size_of` says how many bytes it takes.

        A write transaction, which sees what is not committed yet, makes it anew each time.
        """
        if self._memory is None:
            return make()
        number = self.change_number()
        found: T | None = self._memory.find(number, key)
        if found is None:
            found = make()
            self._memory.keep(number, key, found, size_of(found))
        return found


class Transaction(Session):
    """One open write transaction; it also reads, and sees its own writes."""

    def __init__(self, database: CySqliteDatabase) -> None:
        super().__init__(database)
        self._undone = 0

    def insert(self, table: Any, values: Mapping[str, object]) -> int:
        """A new row of a Peewee table, its values by the names of their fields; its id.

        Much faster than `run` with a Peewee insert: loading a site does little else.
        """
        statement = _insertion(table, tuple(values))
        fields = table._meta.fields
        cursor = self._database.execute_sql(statement, [fields[name].db_value(values[name]) for name in values])
        return int(cursor.lastrowid or 0)

    def run(self, query: Any) -> int:
        """Carry out a Peewee insert, update or delete; the new row's id, or the number of rows."""
        return int(query.execute(self._database) or 0)

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Carry out a statement written by hand; all its rows. Errors of constraints are Peewee's, as in `run`."""
        return list(self._database.execute_sql(statement, values))

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A part that is undone alone when it raises."""
        before = self.total_changes()
        try:
            with self._database.savepoint():
                yield
        except BaseException:
            self._undone += self.total_changes() - before
            raise

    def total_changes(self) -> int:
        """Rows changed on this connection so far, without those that were undone."""
        return int(self.sql("SELECT total_changes()")[0][0]) - self._undone


class Database:
    """One store. Opened with `open_database`; safe to share between threads (a connection each)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._writer = connector(path, {**PRAGMAS, "query_only": 0})
        self._quick_writer = connector(path, {**PRAGMAS, "query_only": 0, "synchronous": "normal"})
        self._reader = connector(path, {**PRAGMAS, "query_only": 1})
        self._turns = Turns(path)
        self._memory = Memory(MEMORY_BYTES)

    def reading(self) -> "Reading":
        """A read transaction. Raises StoreUnusable if the file turns out to be damaged."""
        return Reading(self._reader, self.path, self._memory)

    @contextmanager
    def writing(self, *, is_shown: bool = True, is_durable: bool = True) -> Iterator[Transaction]:
        """A write transaction: all of it is durable when this returns, or none of it happened.

        The store's change number grows by one if any row changed; not for bookkeeping, which no read shows
        (`is_shown` false). What is not `is_durable` outlives its process, but a power cut may undo it, alone or with
        others of its kind after it; it does not wait for the disk.
        """
        writer = self._writer if is_durable else self._quick_writer
        with self._lock, self._turns.turn(), translated(self.path), _transaction(writer, "immediate"):
            transaction = Transaction(writer)
            before = transaction.total_changes()
            yield transaction
            if is_shown and transaction.total_changes() != before:
                transaction.sql("UPDATE change_number SET number = number + 1, mark = hex(randomblob(8))")

    def change_number(self) -> int:
        """How many changes are committed now, by whatever process. Raises as `reading`."""
        try:
            number: int = self._reader.connection().execute_scalar(_CHANGE_NUMBER)
        except cysqlite.DatabaseError as error:
            raise refusal_of(self.path, error) or error from error
        return number

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

    def __init__(self, database: CySqliteDatabase, path: Path, memory: Memory) -> None:
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
        return Session(self._database, self._memory)

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        connection = self._connection
        if connection is not None and connection.in_transaction:
            connection.execute("COMMIT" if error is None else "ROLLBACK")  # a damaged file fails a COMMIT too
        refusal = refusal_of(self._path, error) if error is not None else None
        if refusal is not None:
            raise refusal from error


def open_database(path: Path, *, create: bool = False) -> Database:
    """Open the store at `path`, bringing it to this version's tables.

    Raises StoreUnusable when it is missing (unless `create`), damaged, another program's, or a newer version's.
    """
    try:
        _check_file(path, create=create)
    except OSError as error:
        raise StoreUnusable(f"The store {path} cannot be used: {error.strerror}.") from error
    database = Database(path)
    with translated(path):
        try:
            _prepare(database, path, create=create)
        except BaseException:
            database.close()
            raise
    return database


@cache
def _insertion(table: Any, names: tuple[str, ...]) -> str:
    columns = ", ".join(table._meta.fields[name].column_name for name in names)
    return f"INSERT INTO {table._meta.table_name} ({columns}) VALUES ({', '.join('?' * len(names))})"


@contextmanager
def _transaction(database: CySqliteDatabase, kind: str) -> Iterator[None]:
    database.connect(reuse_if_open=True)
    with database.atomic(kind):
        yield


def _check_file(path: Path, *, create: bool) -> None:
    if path.is_dir():
        raise StoreUnusable(f"The store {path} is a folder; a file is needed there.")
    if create:
        if not path.parent.parent.is_dir():
            raise StoreUnusable(f"The folder {path.parent.parent} does not exist, so no store can be made in it.")
        path.parent.mkdir(exist_ok=True)
    if not path.exists():
        if not create:
            raise _no_store(path)
        return
    with path.open("rb") as file:
        if file.read(len(_HEADER)) not in (_HEADER, b""):
            raise StoreUnusable(f"{path} is not a store of sitecms (not an SQLite file). Nothing was changed.")


def _no_store(path: Path) -> StoreUnusable:
    return StoreUnusable(f"There is no store at {path} yet: `sitecms load` makes it from the site folder.")


def _prepare(database: Database, path: Path, *, create: bool) -> None:
    writer = database._writer
    with _transaction(writer, "deferred"):  # one snapshot: another process may be making the store just now
        found = int(writer.pragma("user_version"))
        owner = int(writer.pragma("application_id"))
        is_empty = not writer.get_tables()
    if owner != APPLICATION_ID and (owner or found or not is_empty):
        raise StoreUnusable(f"{path} belongs to another program. Nothing was changed.")
    if found > migrations.LATEST:
        raise StoreUnusable(
            f"{path} was made by a newer version of sitecms (store version {found}, this one knows "
            f"{migrations.LATEST}). Nothing was changed; install the newer version."
        )
    if is_empty and not create:
        raise _no_store(path)
    if found < migrations.LATEST:
        _use_wal(writer)
        _migrate(writer)


def _use_wal(writer: CySqliteDatabase) -> None:
    """Switch the file to WAL; SQLite does not wait for another process that is doing the same."""
    deadline = time.monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            writer.pragma("journal_mode", "wal")
        except (peewee.OperationalError, cysqlite.OperationalError) as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _migrate(writer: CySqliteDatabase) -> None:
    with writer.atomic("immediate"):
        found = int(writer.pragma("user_version"))
        for statement in migrations.statements_after(found):
            writer.execute_sql(statement)
        writer.pragma("application_id", APPLICATION_ID)
        writer.pragma("user_version", migrations.LATEST)
