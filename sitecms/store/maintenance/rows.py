"""Transfer of rows between stores, and digests of tables that are equal if the rows are.

Its statements are written by hand: they read and insert rows of any table as they are stored.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import orjson
import peewee
from msgspec import Struct

from sitecms.errors import StoreUnusable
from sitecms.store.database import Session, Transaction
from sitecms.store.models.site_state import ChangeNumberRow
from sitecms.store.schema.columns import CONTENT_TABLES, TableColumns
from sitecms.store.search.index import TABLES, clear
from sitecms.store.site_state.last_ids import COUNTED, last_id, set_last_id
from sitecms.store.site_state.relocation_state import find_move

ROWS_AT_ONCE = 200
_ROWS_A_STATEMENT = 20
Row = tuple[Any, ...]


class TableSum(Struct, frozen=True):
    """Number of rows of a table, and a digest over all their values."""

    rows: int
    sha256: str


class Numbers(Struct, frozen=True):
    """Numbers from which the next change and the next entries are counted."""

    change: int
    mark: str
    last_ids: tuple[int, ...]


def count(session: Session, shape: TableColumns) -> int:
    """Return the number of rows of a table."""
    return int(session.sql(f"SELECT count(*) FROM {shape.name}")[0][0])


def last_key(session: Session, shape: TableColumns) -> Row | None:
    """Return the key of the last row of a table; None if it is empty."""
    return session.sql_row(f"SELECT {', '.join(shape.key)} FROM {shape.name} ORDER BY {_descending(shape.key)} LIMIT 1")


def row_chunks(session: Session, shape: TableColumns, after: Row | None = None) -> Iterator[list[Row]]:
    """Yield the rows with greater keys than `after`, in the order of keys, some hundreds at a time."""
    places = [shape.columns.index(column) for column in shape.key]
    rows = session.sql(_some(shape, is_first=after is None), *(after or ()))
    while rows:
        yield rows
        last = [rows[-1][place] for place in places]
        rows = session.sql(_some(shape, is_first=False), *last)


def put_rows(transaction: Transaction, shape: TableColumns, rows: Sequence[Row]) -> None:
    """Insert new rows. Raises StoreUnusable for a row that cannot be stored."""
    for start in range(0, len(rows), _ROWS_A_STATEMENT):
        some = rows[start : start + _ROWS_A_STATEMENT]
        try:
            transaction.sql(_insertion(shape, len(some)), *(value for row in some for value in row))
        except (peewee.DataError, peewee.IntegrityError) as error:
            first, last = (dict(zip(shape.columns, row, strict=True)) for row in (some[0], some[-1]))
            span = " to ".join(", ".join(str(row[column]) for column in shape.key) for row in (first, last))
            reason = str(error).splitlines()[0]
            raise StoreUnusable(f"A row of {shape.name} ({span}) cannot be kept there: {reason}") from error


def table_sum(session: Session, shape: TableColumns) -> TableSum:
    """Return the digest over all rows in the order of keys, which does not depend on the engine."""
    digest, rows = hashlib.sha256(), 0
    for chunk in row_chunks(session, shape):
        rows += len(chunk)
        for row in chunk:
            digest.update(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
    return TableSum(rows, digest.hexdigest())


def table_sums(session: Session, tick: Callable[[int, int], None] | None = None) -> dict[str, TableSum]:
    """Return the digest of each table by name. `tick` is called with the tables done and the tables in total."""
    sums = {}
    for done, shape in enumerate(CONTENT_TABLES, 1):
        sums[shape.name] = table_sum(session, shape)
        if tick:
            tick(done, len(CONTENT_TABLES))
    return sums


def numbers(session: Session) -> Numbers:
    """Return the numbers of this snapshot."""
    last_ids = tuple(last_id(session, table) for table in COUNTED)
    return Numbers(session.change_number(), session.change_mark(), last_ids)


def set_numbers(transaction: Transaction, kept: Numbers) -> None:
    """Count on from these numbers. The transaction must not count as a change itself."""
    transaction.run(ChangeNumberRow.update(number=kept.change, mark=kept.mark))
    for table, number in zip(COUNTED, kept.last_ids, strict=True):
        set_last_id(transaction, table, number)


def is_unused(session: Session) -> bool:
    """Return whether the store was never used, not even for a part of a store that moves."""
    has_rows = any(session.sql(f"SELECT 1 FROM {shape.name} LIMIT 1") for shape in CONTENT_TABLES)
    return not has_rows and not session.change_number() and find_move(session) is None


def remove_everything(transaction: Transaction) -> None:
    """Remove all rows and the search index."""
    for shape in reversed(CONTENT_TABLES):
        transaction.sql(f"DELETE FROM {shape.name}")
    for kind in TABLES:
        clear(transaction, kind)


@cache
def _some(shape: TableColumns, *, is_first: bool) -> str:
    key, marks = ", ".join(shape.key), ", ".join("?" * len(shape.key))
    behind = "" if is_first else f" WHERE ({key}) > ({marks})"
    return f"SELECT {', '.join(shape.columns)} FROM {shape.name}{behind} ORDER BY {key} LIMIT {ROWS_AT_ONCE}"


@cache
def _insertion(shape: TableColumns, rows: int) -> str:
    row = f"({', '.join('?' * len(shape.columns))})"
    return f"INSERT INTO {shape.name} ({', '.join(shape.columns)}) VALUES {', '.join([row] * rows)}"


def _descending(key: tuple[str, ...]) -> str:
    return ", ".join(f"{column} DESC" for column in key)
