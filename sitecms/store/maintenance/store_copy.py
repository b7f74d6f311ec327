"""Copies of a store file, made page by page while others write."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cysqlite
from msgspec import Struct

from sitecms.errors import StoreNotWritable
from sitecms.files import why_not_writable
from sitecms.store.engines.sqlite.connection import PRAGMAS, checked_number, connector, translating

PAGES_AT_ONCE = 2000


class StoreCopy(Struct, frozen=True):
    """Change number of the copied state, and the version of its tables."""

    change_number: int
    version: int


def copy_store(path: Path, target: Path, progress: Callable[[int, int], None] | None = None) -> StoreCopy:
    """Copy the store at `path` as one transaction sees it into the new file `target`. Writers are not delayed.

    `progress` is called with the pages copied and the pages in total. Damage is copied too. Raises StoreUnusable if
    the file cannot be read, StoreNotWritable if the copy cannot be written.
    """

    def report(left: int, total: int, _is_done: bool) -> None:
        if progress:
            progress(total - left, total)

    source, copy = connector(path, {**PRAGMAS, "query_only": 1}), connector(target, {"synchronous": "off"})
    with translating(path):
        try:
            connection: Any = source.connection()
            connection.execute("BEGIN")
            # The snapshot begins here.
            number = checked_number(path, connection.execute_scalar("SELECT number FROM change_number"))
            version = int(connection.execute_scalar("PRAGMA user_version"))
            _copy_pages(connection, copy.connection(), target, report)
            connection.execute("COMMIT")
        finally:
            if source.connection().in_transaction:
                source.connection().execute("ROLLBACK")
            copy.close()
            source.close()
    return StoreCopy(number, version)


def _copy_pages(source: Any, copy: Any, target: Path, report: Callable[[int, int, bool], None]) -> None:
    try:
        source.backup(copy, PAGES_AT_ONCE, None, report)
    except cysqlite.OperationalError as error:  # whose text does not say that the disk is full
        if reason := why_not_writable(target.parent):
            raise StoreNotWritable(f"The store cannot be copied to {target.parent}: {reason}.") from error
        raise


def remove_store_file(path: Path) -> None:
    """Remove a store file that no process has open, if it exists, and the files that SQLite keeps beside it."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
