"""A copy of a store for work that must not touch it, and when to make the next."""

from pathlib import Path

import cysqlite
import peewee

from sitecms.errors import StoreUnusable
from sitecms.store.database import Address, Database
from sitecms.store.engines.sqlite.connection import connector, translating
from sitecms.store.opening import open_database


def copy_store(source: Path, target: Path) -> None:
    """Put a copy of the store, as it is at one moment, in place of `target`; without a source an empty store.

    Writers of the source go on meanwhile, and a store of an older version stays one. Nothing may have the target open.
    Raises StoreUnusable.
    """
    remove_file(target)
    if not source.is_file():
        open_database(target, create=True).close()
        return
    origin, copy = connector(source, {"query_only": 1}), connector(target, {})
    try:
        with translating(source):
            origin.connection().backup(copy.connection())
    finally:
        origin.close()
        copy.close()


def remove_file(path: Path) -> None:
    """Remove a store that nobody has open, if there is one, and what stands beside it."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


class Changes:
    """Whether a store has changed: asked often, by one thread."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._database: Database | None = None

    def now(self) -> tuple[int, int] | None:
        """What differs whenever it has, or is another file; None if there is none that can be read now."""
        if isinstance(self._address, Path):
            return _change_of_file(self._address)
        try:
            if self._database is None:
                self._database = open_database(self._address)
            return 0, self._database.change_number()
        except StoreUnusable:
            return None

    def close(self) -> None:
        """Let go of the server that keeps it."""
        if self._database is not None:
            self._database.close()


def _change_of_file(path: Path) -> tuple[int, int] | None:
    if not path.is_file():
        return None
    database = connector(path, {"query_only": 1})
    try:
        return path.stat().st_ino, int(database.connection().execute_scalar("SELECT number FROM change_number"))
    except (peewee.DatabaseError, cysqlite.DatabaseError, TypeError, OSError):
        return None
    finally:
        database.close()
