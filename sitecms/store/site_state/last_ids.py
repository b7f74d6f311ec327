"""The highest id that each kind of entry, and writes, ever had: none is given out twice, whatever was removed."""

from sitecms.store.database import Session, Transaction
from sitecms.store.sql import Sql

NUMBERED = {"post": "id", "page": "id", "item": "id", "write": "sequence"}
"""The tables of which this is so, and the column that holds the number."""
_LAST = {
    table: Sql(
        sqlite=f"SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{table}'), 0)",
        postgres=f"SELECT greatest((SELECT max({column}) FROM {table}), "
        f"(SELECT number FROM last_id WHERE name = '{table}'), 0)",
    )
    for table, column in NUMBERED.items()
}
_FORGET = Sql(sqlite="DELETE FROM sqlite_sequence WHERE name = ?", postgres="DELETE FROM last_id WHERE name = ?")
_SET = Sql(
    sqlite="INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",  # a table that has no unique key
    postgres="INSERT INTO last_id (name, number) VALUES (?, ?)",
)


def last_id(session: Session, table: str) -> int:
    """The highest that was given out, 0 if none was."""
    return int(session.sql(_LAST[table])[0][0])


def set_last_id(transaction: Transaction, table: str, number: int) -> None:
    """Give out higher ones only."""
    transaction.sql(_FORGET, table)
    transaction.sql(_SET, table, number)
