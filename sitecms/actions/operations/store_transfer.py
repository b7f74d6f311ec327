"""Copies of stores between engines: to an SQLite file while others write, and into an empty store."""

from pathlib import Path

from sitecms.actions.operations.reindex import reindex_all
from sitecms.progress import Progress
from sitecms.store.database import Database, Session, StoreAddress, Transaction
from sitecms.store.maintenance.rows import count, numbers, put_rows, row_chunks, set_numbers
from sitecms.store.maintenance.store_copy import StoreCopy, copy_store, remove_store_file
from sitecms.store.opening import find_database, open_database
from sitecms.store.schema.columns import CONTENT_TABLES
from sitecms.store.schema.migrations import LATEST

PHASE = "Rows"


def copy_to_file(
    database: Database, target: Path, *, search: bool = True, progress: Progress | None = None
) -> StoreCopy:
    """Copy what one read transaction sees into the new file `target`.

    A file is copied page by page, as it is, damage too; a server's rows are read, and their search index is built again
    unless nobody is to `search` the copy.
    """
    if isinstance(database.address, Path):

        def tick(done: int, total: int) -> None:
            if progress:
                progress("Store", done, total)

        return copy_store(database.address, target, tick)
    copy = open_database(target, create=True)
    copy.field_types = database.field_types
    try:
        with database.reading() as session, copy.writing(counts_as_change=False) as transaction:
            fill_store(session, transaction, search=search, progress=progress)
            return StoreCopy(session.change_number(), LATEST)
    finally:
        copy.close()


def renew_copy(source: StoreAddress, target: Path) -> None:
    """Put a copy that nobody is to search in place of `target`; without a source an empty store.

    A file of an older version stays one. Nothing may have the target open. Raises StoreUnusable.
    """
    remove_store_file(target)
    if isinstance(source, Path) and source.is_file():
        copy_store(source, target)
        return
    database = None if isinstance(source, Path) else find_database(source)
    if database is None:
        open_database(target, create=True).close()
        return
    try:
        copy_to_file(database, target, search=False)
    finally:
        database.close()


def fill_store(source: Session, target: Transaction, *, search: bool = True, progress: Progress | None = None) -> None:
    """Copy all rows in one transaction that counts as no change; rebuild the search index unless `search` is off."""
    total = sum(count(source, shape) for shape in CONTENT_TABLES)
    done = 0
    for shape in CONTENT_TABLES:
        for rows in row_chunks(source, shape):
            put_rows(target, shape, rows)
            done += len(rows)
            if progress:
                progress(PHASE, done, total)
    if search:
        reindex_all(target, progress)
    set_numbers(target, numbers(source))
