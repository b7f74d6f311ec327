"""The highest id that each kind of entry, and writes, ever had: no id is given out twice, whatever was removed."""

from collections.abc import Sequence

from sitecms.store.database import Session, Transaction
from sitecms.store.sql import Sql

ID_COLUMNS = {"post": "id", "page": "id", "item": "id", "write": "sequence"}
"""The tables whose ids are given out once, and the column of the id."""
_LAST = {
    table: Sql(
        sqlite=f"SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{table}'), 0)",
        postgres=f"SELECT greatest((SELECT max({column}) FROM {table}), "
        f"(SELECT number FROM last_id WHERE name = '{table}'), 0)",
    )
    for table, column in ID_COLUMNS.items()
}
_DELETE = Sql(sqlite="DELETE FROM sqlite_sequence WHERE name = ?", postgres="DELETE FROM last_id WHERE name = ?")
_INSERT = Sql(
    sqlite="INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",  # a table without a unique key
    postgres="INSERT INTO last_id (name, number) VALUES (?, ?)",
)


def last_id(session: Session, table: str) -> int:
    """Return the highest id that was given out, 0 if none was."""
    return int(session.sql(_LAST[table])[0][0])


def reserve_ids(transaction: Transaction, table: str, ids: Sequence[int]) -> None:
    """Reserve these ids: an entry that is inserted without an id gets none of them."""
    highest = max(ids, default=0)
    if last_id(transaction, table) < highest:
        set_last_id(transaction, table, highest)


def set_last_id(transaction: Transaction, table: str, number: int) -> None:
    """Make the table give out only ids above the number."""
    transaction.sql(_DELETE, table)
    transaction.sql(_INSERT, table, number)
