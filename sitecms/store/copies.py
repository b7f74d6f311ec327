"""A copy of a store for work that must not touch it."""

from pathlib import Path

import cysqlite
import peewee

from sitecms.store.connection import connector, translated
from sitecms.store.database import open_database


def copy_store(source: Path, target: Path) -> None:
    """Put a copy of the store, as it is at one moment, in place of `target`; without a source an empty store.

    Writers of the source go on meanwhile, and a store of an older version stays one. Nothing may have the target open.
    Raises StoreUnusable.
    """
    for ending in ("", "-wal", "-shm"):
        target.with_name(target.name + ending).unlink(missing_ok=True)
    if not source.is_file():
        open_database(target, create=True).close()
        return
    origin, copy = connector(source, {"query_only": 1}), connector(target, {})
    try:
        with translated(source):
            origin.connection().backup(copy.connection())
    finally:
        origin.close()
        copy.close()


def change_of(path: Path) -> tuple[int, int] | None:
    """What differs whenever a store has changed or is another file; None if there is none that can be read now."""
    if not path.is_file():
        return None
    database = connector(path, {"query_only": 1})
    try:
        return path.stat().st_ino, int(database.connection().execute_scalar("SELECT number FROM change_number"))
    except (peewee.DatabaseError, cysqlite.DatabaseError, TypeError, OSError):
        return None
    finally:
        database.close()
