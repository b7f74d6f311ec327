"""Connections to the SQLite file: how each is set up, and what its errors say about the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cysqlite
import peewee
from playhouse.cysqlite_ext import CySqliteDatabase

from sitecms.errors import StoreUnusable

BUSY_TIMEOUT_SECONDS = 30
PRAGMAS: dict[str, int | str] = {
    "synchronous": "full",
    "foreign_keys": 1,
    "trusted_schema": 0,
    "temp_store": "memory",
    "cache_size": -8000,
    "journal_size_limit": 64 * 1024 * 1024,
}


class _Connector(CySqliteDatabase):  # type: ignore[misc]
    """Connections whose statements keep their plan, whatever values are bound.

    Else SQLite (as built here, with STAT4) prepares a statement anew for each range that it looks up: two thirds of
    the time that the neighbours of a post took.
    """

    def _add_conn_hooks(self, connection: Any) -> None:
        connection.db_config(cysqlite.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # type: ignore[attr-defined]
        super()._add_conn_hooks(connection)

    def rollback(self) -> None:
        """Where SQLite has undone the transaction itself, as it does when the disk fails, only that error counts."""
        if self.connection().in_transaction:
            super().rollback()


def connector(path: Path, pragmas: dict[str, int | str]) -> CySqliteDatabase:
    """A connection for each thread that asks for one."""
    return _Connector(str(path), pragmas=pragmas, timeout=BUSY_TIMEOUT_SECONDS, rank_functions=False)


def sqlite_version() -> str:
    """The version of SQLite that the driver carries."""
    return str(cysqlite.sqlite_version)  # type: ignore[attr-defined]


def damaged(path: object, problem: str) -> StoreUnusable:
    """Return the error for a file whose content cannot be read."""
    return StoreUnusable(
        f"The store {path} is damaged ({problem}). Nothing was changed; restore it from a backup, "
        "or move it away and run `sitecms load`."
    )


def number_in(path: object, value: object) -> int:
    """Return the change number that was read. Raises StoreUnusable where it is missing."""
    if not isinstance(value, int):
        raise damaged(path, "the table change_number has no number")
    return value


@contextmanager
def decoded(path: object) -> Iterator[None]:
    """Raise StoreUnusable for text that is not UTF-8, as only damage leaves it."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise damaged(path, f"text that is not UTF-8: {error.reason}") from error


@contextmanager
def transaction(database: CySqliteDatabase, kind: str) -> Iterator[None]:
    """One transaction, begun as "deferred" or "immediate"."""
    database.connect(reuse_if_open=True)
    with database.atomic(kind):
        yield


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Damage and refusals of the file, said in our words; errors of constraints pass through."""
    try:
        yield
    except (peewee.DatabaseError, cysqlite.DatabaseError) as error:
        refusal = refusal_of(path, error)
        if refusal is None:
            raise
        raise refusal from error


def refusal_of(path: Path, error: BaseException | None) -> StoreUnusable | None:
    """What the error says about the file; None if it is about something else."""
    if not isinstance(error, peewee.DatabaseError | cysqlite.DatabaseError):
        return None
    if isinstance(error, peewee.IntegrityError | cysqlite.IntegrityError):
        return None
    text = str(error)
    if any(word in text for word in ("malformed", "not a database", "corrupt", "unsupported file format")):
        return damaged(path, text)
    if any(word in text for word in ("unable to open", "readonly", "read-only", "disk")):
        return StoreUnusable(f"The store {path} cannot be used: {text}.")
    return None
