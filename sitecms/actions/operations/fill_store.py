"""Fill an empty store with all that one snapshot of another holds, whatever keeps either of them."""

from sitecms.actions.operations.reindex import reindex_all
from sitecms.progress import Progress
from sitecms.store.database import Session, Transaction
from sitecms.store.maintenance.rows import count, numbers, put_rows, row_chunks, set_numbers
from sitecms.store.schema.columns import content_tables

PHASE = "Rows"


def fill_store(source: Session, target: Transaction, *, search: bool = True, progress: Progress | None = None) -> None:
    """All of it, in a transaction that is not shown; the search index is made anew unless nobody is to `search`."""
    total = sum(count(source, shape) for shape in content_tables())
    done = 0
    for shape in content_tables():
        for rows in row_chunks(source, shape):
            put_rows(target, shape, rows)
            done += len(rows)
            if progress:
                progress(PHASE, done, total)
    if search:
        reindex_all(target, progress)
    set_numbers(target, numbers(source))
