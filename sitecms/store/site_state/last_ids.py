"""The highest id that each kind of entry, and writes, ever had: no id is given out twice, whatever was removed.

The SQL is written by hand: each engine keeps that of writes in its own way, and no table of them is a model.
"""

from collections.abc import Mapping, Sequence

from sitecms.content.kinds import EntryKind
from sitecms.store.database import Session, Transaction
from sitecms.store.sql import Sql, Statement

_OF_ENTRIES = tuple(kind.value for kind in EntryKind)
COUNTED = (*_OF_ENTRIES, "write")
"""The names of ids that are given out once: the kinds of entries, and writes."""
_KEPT = "SELECT number FROM last_id WHERE name = '{}'"
_LAST: Mapping[str, Statement] = {kind: f"SELECT coalesce(({_KEPT.format(kind)}), 0)" for kind in _OF_ENTRIES} | {
    "write": Sql(
        sqlite="SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'write'), 0)",
        postgres=f"SELECT greatest((SELECT max(sequence) FROM write), ({_KEPT.format('write')}), 0)",
    )
}
_DELETE = Sql(sqlite="DELETE FROM sqlite_sequence WHERE name = ?", postgres="DELETE FROM last_id WHERE name = ?")
_INSERT = Sql(
    sqlite="INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",  # a table without a unique key
    postgres="INSERT INTO last_id (name, number) VALUES (?, ?)",
)


def last_id(session: Session, name: str) -> int:
    """Return the highest id that was given out, 0 if none was."""
    return int(session.sql(_LAST[name])[0][0])


def reserve_ids(transaction: Transaction, name: str, ids: Sequence[int]) -> None:
    """Reserve these ids: an entry that is inserted without an id gets none of them."""
    highest = max(ids, default=0)
    if last_id(transaction, name) < highest:
        set_last_id(transaction, name, highest)


def set_last_id(transaction: Transaction, name: str, number: int) -> None:
    """Let only ids above the number be given out. Both engines keep those of entries alike."""
    for statement, values in ((_DELETE, (name,)), (_INSERT, (name, number))):
        transaction.sql(statement.postgres if name in _OF_ENTRIES else statement, *values)
