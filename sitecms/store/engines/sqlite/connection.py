"""Connections to the SQLite file: their settings, and the translation of errors that concern the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cysqlite
import peewee
from playhouse.cysqlite_ext import CySqliteDatabase

from sitecms.errors import StoreNotWritable, StoreUnusable

BUSY_TIMEOUT_SECONDS = 30
PRAGMAS: dict[str, int | str] = {
    "synchronous": "full",
    "foreign_keys": 1,
    "trusted_schema": 0,
    "temp_store": "memory",
    "cache_size": -2000,
    "journal_size_limit": 64 * 1024 * 1024,
}


class _Connector(CySqliteDatabase):  # type: ignore[misc]
    """Connections whose statements keep their plan whatever values are bound.

    Otherwise SQLite, which is built here with STAT4, prepares a statement again for each range that it looks up: two
    thirds of the time that the neighbours of a post took.
    """

    def connect(self, reuse_if_open: bool = False) -> bool:
        is_new = bool(super().connect(reuse_if_open))
        if is_new:
            self.connection().db_config(cysqlite.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # type: ignore[attr-defined]
        return is_new

    def rollback(self) -> None:
        """Roll back, unless SQLite did so itself, as it does when the disk fails: only that error counts."""
        if self.connection().in_transaction:
            super().rollback()


def connector(path: Path, pragmas: dict[str, int | str]) -> CySqliteDatabase:
    """Return a Peewee database on the file, which opens a connection for each thread that uses it."""
    return _Connector(str(path), pragmas=pragmas, timeout=BUSY_TIMEOUT_SECONDS, rank_functions=False)


def sqlite_version() -> str:
    """Return the version of SQLite that the driver contains."""
    return str(cysqlite.sqlite_version)  # type: ignore[attr-defined]


def damaged_error(path: object, problem: str) -> StoreUnusable:
    """Return the error for a file whose content cannot be read."""
    return StoreUnusable(
        f"The store {path} is damaged ({problem}). Nothing was changed; restore it from a backup, "
        "or move it away and run `sitecms load`."
    )


def checked_number(path: object, value: object) -> int:
    """Return the change number that was read. Raises StoreUnusable where it is missing."""
    if not isinstance(value, int):
        raise damaged_error(path, "the table change_number has no number")
    return value


@contextmanager
def decoding(path: object) -> Iterator[None]:
    """Raise StoreUnusable for text that is not UTF-8, as only damage leaves it."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise damaged_error(path, f"text that is not UTF-8: {error.reason}") from error


@contextmanager
def transaction(database: CySqliteDatabase, kind: str) -> Iterator[None]:
    """Run a transaction that begins as "deferred" or "immediate"."""
    database.connect(reuse_if_open=True)
    with database.atomic(kind):
        yield


@contextmanager
def translating(path: Path) -> Iterator[None]:
    """Raise StoreUnusable for damage and refusals of the file; let errors of constraints pass."""
    try:
        yield
    except (peewee.DatabaseError, cysqlite.DatabaseError) as error:
        translated = store_error(path, error)
        if translated is None:
            raise
        raise translated from error


def store_error(path: Path, error: BaseException | None) -> StoreUnusable | None:
    """Return the error for a file that is damaged or cannot be used; None for errors of another kind."""
    if not isinstance(error, peewee.DatabaseError | cysqlite.DatabaseError):
        return None
    if isinstance(error, peewee.IntegrityError | cysqlite.IntegrityError):
        return None
    text = str(error)
    if any(word in text for word in ("malformed", "not a database", "corrupt", "unsupported file format")):
        return damaged_error(path, text)
    if any(word in text for word in ("readonly", "read-only", "disk is full")):
        return StoreNotWritable(f"The store {path} cannot be written: {text}.")
    if any(word in text for word in ("unable to open", "disk")):
        return StoreUnusable(f"The store {path} cannot be used: {text}.")
    return None
