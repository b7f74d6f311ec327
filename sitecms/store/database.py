"""The SQLite file: opening it, and the two ways into it, `reading()` and `writing()`.

SQLite facts this rests on: WAL lets readers go on beside the one writer, and each read transaction sees one stable
snapshot. A transaction that reads first and writes later fails at once when another wrote in between, so every
write starts as `BEGIN IMMEDIATE`. SQLite's own waiting starves under load, so writers of one process queue on a lock.
`synchronous=FULL`: what was committed survives power loss.

The driver is cysqlite: it carries a SQLite newer than 3.51.2 (which has a rare WAL corruption bug, as the copies
that come with Python often do), and is faster (tests/benchmarks/sqlite_drivers.py).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cysqlite
import peewee
from playhouse.cysqlite_ext import CySqliteDatabase

from sitecms.errors import StoreUnusable
from sitecms.store import migrations

APPLICATION_ID = 0x51_7E_C3_55
BUSY_TIMEOUT_SECONDS = 30
_PRAGMAS: dict[str, int | str] = {
    "synchronous": "full",
    "foreign_keys": 1,
    "trusted_schema": 0,
    "temp_store": "memory",
    "cache_size": -8000,
    "journal_size_limit": 64 * 1024 * 1024,
}
_HEADER = b"SQLite format 3\x00"


class Session:
    """One open read transaction: a stable snapshot until it ends."""

    def __init__(self, database: CySqliteDatabase) -> None:
        self._database = database

    def rows(self, query: Any) -> list[tuple[Any, ...]]:
        """All rows of a Peewee query, as tuples of Python values."""
        return list(query.tuples().execute(self._database))

    def row(self, query: Any) -> tuple[Any, ...] | None:
        """The first row of a Peewee query, or None."""
        rows = self.rows(query.limit(1))
        return rows[0] if rows else None

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a statement written by hand."""
        return [tuple(row) for row in self._database.execute_sql(statement, values)]

    def change_number(self) -> int:
        """How many committed changes this snapshot has seen."""
        return int(self.sql("SELECT number FROM change_number")[0][0])


class Transaction(Session):
    """One open write transaction; it also reads, and sees its own writes."""

    def run(self, query: Any) -> int:
        """Carry out a Peewee insert, update or delete; the new row's id, or the number of rows."""
        return int(query.execute(self._database) or 0)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A part that is undone alone when it raises."""
        with self._database.savepoint():
            yield

    def total_changes(self) -> int:
        """Rows changed on this connection so far."""
        return int(self.sql("SELECT total_changes()")[0][0])


class Database:
    """One store. Opened with `open_database`; safe to share between threads (a connection each)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._writer = _connector(path, {**_PRAGMAS, "query_only": 0})
        self._reader = _connector(path, {**_PRAGMAS, "query_only": 1})

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A read transaction. Raises StoreUnusable if the file turns out to be damaged."""
        with _translated(self.path), _transaction(self._reader, "deferred"):
            yield Session(self._reader)

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A write transaction: all of it is durable when this returns, or none of it happened.

        The store's change number grows by one if any row changed.
        """
        with self._lock, _translated(self.path), _transaction(self._writer, "immediate"):
            transaction = Transaction(self._writer)
            before = transaction.total_changes()
            yield transaction
            if transaction.total_changes() != before:
                transaction.sql("UPDATE change_number SET number = number + 1")

    def answers(self) -> bool:
        """Whether the store is there and can be read now."""
        try:
            with self.reading() as session:
                session.change_number()
        except (StoreUnusable, peewee.DatabaseError, cysqlite.DatabaseError):
            return False
        return self.path.is_file()

    def close(self) -> None:
        """Close this thread's connections."""
        self._reader.close()
        self._writer.close()


def open_database(path: Path, *, create: bool = False) -> Database:
    """Open the store at `path`, bringing it to this version's tables.

    Raises StoreUnusable when it is missing (unless `create`), damaged, another program's, or a newer version's.
    """
    _check_file(path, create=create)
    database = Database(path)
    with _translated(path):
        try:
            _prepare(database, path)
        except BaseException:
            database.close()
            raise
    return database


def _connector(path: Path, pragmas: dict[str, int | str]) -> CySqliteDatabase:
    return CySqliteDatabase(str(path), pragmas=pragmas, timeout=BUSY_TIMEOUT_SECONDS, rank_functions=False)


@contextmanager
def _transaction(database: CySqliteDatabase, kind: str) -> Iterator[None]:
    database.connect(reuse_if_open=True)
    with database.atomic(kind):
        yield


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Damage and refusals of the file, said in our words; errors of constraints pass through."""
    try:
        yield
    except (peewee.DatabaseError, cysqlite.DatabaseError) as error:
        text = str(error)
        if isinstance(error, peewee.IntegrityError | cysqlite.IntegrityError):
            raise
        if any(word in text for word in ("malformed", "not a database", "corrupt")):
            raise StoreUnusable(
                f"The store {path} is damaged ({text}). Nothing was changed; restore it from a backup, "
                "or move it away and run `sitecms load`."
            ) from error
        if any(word in text for word in ("unable to open", "readonly", "read-only", "disk")):
            raise StoreUnusable(f"The store {path} cannot be used: {text}.") from error
        raise


def _check_file(path: Path, *, create: bool) -> None:
    if path.is_dir():
        raise StoreUnusable(f"The store {path} is a folder; a file is needed there.")
    if not path.exists() and not create:
        raise StoreUnusable(f"There is no store at {path} yet: `sitecms load` makes it from the site folder.")
    if create:
        if not path.parent.parent.is_dir():
            raise StoreUnusable(f"The folder {path.parent.parent} does not exist, so no store can be made in it.")
        path.parent.mkdir(exist_ok=True)
    if path.exists() and path.stat().st_size:
        with path.open("rb") as file:
            if file.read(len(_HEADER)) != _HEADER:
                raise StoreUnusable(f"{path} is not a store of sitecms (not an SQLite file). Nothing was changed.")


def _prepare(database: Database, path: Path) -> None:
    writer = database._writer
    writer.connect(reuse_if_open=True)
    found = int(writer.pragma("user_version"))
    owner = int(writer.pragma("application_id"))
    if owner != APPLICATION_ID and (owner or found or writer.get_tables()):
        raise StoreUnusable(f"{path} belongs to another program. Nothing was changed.")
    if found > migrations.LATEST:
        raise StoreUnusable(
            f"{path} was made by a newer version of sitecms (store version {found}, this one knows "
            f"{migrations.LATEST}). Nothing was changed; install the newer version."
        )
    if found < migrations.LATEST:
        writer.pragma("journal_mode", "wal")
        _migrate(writer)


def _migrate(writer: CySqliteDatabase) -> None:
    with writer.atomic("immediate"):
        found = int(writer.pragma("user_version"))
        for statement in migrations.statements_after(found):
            writer.execute_sql(statement)
        writer.pragma("application_id", APPLICATION_ID)
        writer.pragma("user_version", migrations.LATEST)
