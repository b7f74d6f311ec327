"""One store and the two ways into it, `reading()` and `writing()`, whatever engine keeps it.

Both engines give the same promises. A read transaction sees one stable snapshot, and goes on beside the one writer.
Writers of all processes take turns, so that what a transaction has read is still so when it writes, and ids are given
out in the same order. What was committed survives power loss.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from sitecms.cache import ENTRY_BYTES, BoundedCache
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.sql import Statement

T = TypeVar("T")
MEMORY_BYTES = 16 * 1024 * 1024
CHANGE_NUMBER = "SELECT number FROM change_number"
CHANGE_MARK = "SELECT mark FROM change_number"
Address = Path | ServiceUrl
"""Where a store is: an SQLite file, or a PostgreSQL database."""


class Session(ABC):
    """One open read transaction: a stable snapshot until it ends."""

    _memory: BoundedCache[Any] | None = None

    @abstractmethod
    def rows(self, query: Any) -> list[tuple[Any, ...]]:
        """All rows of a Peewee query, as tuples of Python values."""

    @abstractmethod
    def stream(self, query: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a Peewee query, one at a time: for a reader that may stop before the last."""

    @abstractmethod
    def sql(self, statement: Statement, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a statement written by hand; its text is constant, so that it is prepared once."""

    @abstractmethod
    def change_number(self) -> int:
        """How many committed changes this snapshot has seen."""

    def row(self, query: Any) -> tuple[Any, ...] | None:
        """The first row of a Peewee query, or None."""
        rows = self.rows(query.limit(1))
        return rows[0] if rows else None

    def sql_row(self, statement: Statement, *values: object) -> tuple[Any, ...] | None:
        """The first row of a statement written by hand, or None."""
        rows = self.sql(statement, *values)
        return rows[0] if rows else None

    def change_mark(self) -> str:
        """A text that each committed change replaces with one that was never there before, in any copy of the store."""
        return str(self.sql(CHANGE_MARK)[0][0])

    @property
    def remembers(self) -> bool:
        """Whether anything is kept in memory between sessions."""
        return self._memory is not None

    def remember(self, key: Hashable, make: Callable[[], T], size_of: Callable[[T], int]) -> T:
        """What `make` gives, kept in memory until the store changes; `size_of` says how many bytes it takes.

        A write transaction, which sees what is not committed yet, makes it anew each time.
        """
        if self._memory is None:
            return make()
        number = self.change_number()
        found: T | None = self._memory.get(key, number)
        if found is None:
            found = make()
            self._memory.put(key, found, size_of(found) + ENTRY_BYTES, number)
        return found


class Transaction(Session):
    """One open write transaction; it also reads, and sees its own writes. Errors of constraints are Peewee's."""

    @abstractmethod
    def insert(self, table: Any, values: Mapping[str, object]) -> int:
        """A new row of a Peewee table, its values by the names of their fields; its id.

        Much faster than `run` with a Peewee insert: loading a site does little else.
        """

    @abstractmethod
    def run(self, query: Any) -> int:
        """Carry out a Peewee insert, update or delete; the new row's id, or the number of rows."""

    @abstractmethod
    def index(self, table: str, row_id: int, title: str, body: str) -> None:
        """A new row of a search index, found by the words of these indexed texts."""

    @abstractmethod
    def savepoint(self) -> AbstractContextManager[None]:
        """A part that is undone alone when it raises."""

    @abstractmethod
    def total_changes(self) -> int:
        """Rows changed on this connection so far, without those that were undone."""


class Database(ABC):
    """One store. Opened by `store.opening.open_database`; safe to share between threads (a connection each)."""

    address: Address
    memory: BoundedCache[Any]
    is_moving: bool = False
    """Opened by who moves it, and may use it in any state of a move (`store.maintenance.relocation`)."""

    @property
    @abstractmethod
    def engine(self) -> str:
        """What keeps the store, and its version: `SQLite 3.54.0`."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[Session]:
        """A read transaction; within another one of the same thread it is a part of that one.

        Raises StoreUnusable if the store turns out to be damaged or out of reach.
        """

    @abstractmethod
    def writing(self, *, counts_as_change: bool = True, is_durable: bool = True) -> AbstractContextManager[Transaction]:
        """A write transaction: all of it is durable when this returns, or none of it happened. Raises StoreMoved.

        If any row changed, the store's change number grows by one, unless `counts_as_change` is false (for bookkeeping
        that no read shows). Without `is_durable` the commit does not wait for the disk: it survives its process, but a
        power cut may undo it, alone or with later ones of its kind.
        """

    @abstractmethod
    def change_number(self) -> int:
        """How many changes are committed now, by whatever process. Raises as `reading`."""

    @abstractmethod
    def size_bytes(self) -> int:
        """What the store takes on disk."""

    @abstractmethod
    def close(self) -> None:
        """Close this thread's connections."""
