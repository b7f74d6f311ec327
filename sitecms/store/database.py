"""One store and its read and write transactions, whichever engine keeps it.

Both engines guarantee the same. A read transaction sees one stable snapshot, and runs beside the one writer. Write
transactions of all processes run one after the other, so that what a transaction has read stays true until it writes,
and ids are given out in the same order. What was committed survives power loss.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from peewee import SQL, fn

from sitecms.cache import ENTRY_BYTES, BoundedCache
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.prepared import first_only
from sitecms.store.sql import Statement

if TYPE_CHECKING:
    from sitecms.content.fields import FieldType  # opening a store loads no field types

T = TypeVar("T")
P = ParamSpec("P")
CACHE_BYTES = 12 * 1024 * 1024
CHANGE_NUMBER = "SELECT number FROM change_number WHERE id = 1"
CHANGE_MARK = "SELECT mark FROM change_number WHERE id = 1"
"""The table has one row. On PostgreSQL a large load leaves many pages of former ones, which the index passes over."""
Listener = Callable[[Sequence[Any]], None]
StoreAddress = Path | ServiceUrl
"""Address of a store: an SQLite file, or a PostgreSQL database."""
IndexRow = tuple[int, str, str]
"""Row of a search index: the id of the entry, its title and its other text."""


class Session(ABC):
    """One open read transaction: a stable snapshot until it ends."""

    _cache: BoundedCache[Any] | None = None
    field_types: "tuple[FieldType, ...]" = ()
    """The field types that plug-ins of the site add."""

    @abstractmethod
    def rows(self, query: Any) -> list[tuple[Any, ...]]:
        """Return all rows of a query of Peewee, or those that it changed, as tuples of Python values."""

    @abstractmethod
    def sql(self, statement: Statement, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of a statement written by hand. Its text is constant, so that it is prepared once."""

    @abstractmethod
    def stream_sql(self, statement: Statement, *values: object) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a statement written by hand one at a time, for callers that may stop before the last."""

    @abstractmethod
    def change_number(self) -> int:
        """Return the number of committed changes that this snapshot contains."""

    @abstractmethod
    def learn_change_number(self, number: int) -> None:
        """Take the change number that a statement has read beside its rows, so that no other one asks for it."""

    def row(self, query: Any) -> tuple[Any, ...] | None:
        """Return the first row of a query of Peewee, or None."""
        rows = self.rows(first_only(query))
        return rows[0] if rows else None

    def count(self, query: Any) -> int:
        """Return the number of rows of a select of Peewee, whatever its columns."""
        return int(self.rows(query.select(fn.COUNT(SQL("*"))).order_by())[0][0])

    def sql_row(self, statement: Statement, *values: object) -> tuple[Any, ...] | None:
        """Return the first row of a statement written by hand, or None."""
        rows = self.sql(statement, *values)
        return rows[0] if rows else None

    def change_mark(self) -> str:
        """Return a text that each committed change replaces by a new one, unique across all copies of the store."""
        return str(self.sql(CHANGE_MARK)[0][0])

    @property
    def has_cache(self) -> bool:
        """True if `cached` keeps values between sessions."""
        return self._cache is not None

    def cached(self, key: Hashable, compute: Callable[[], T], size_of: Callable[[T], int]) -> T:
        """Return what `compute` returns, cached until the store changes; `size_of` returns its size in bytes.

        A write transaction, which sees uncommitted changes, computes it each time.
        """
        return (
            compute() if self._cache is None else cached_value(self._cache, self.change_number(), key, compute, size_of)
        )


def cached_value(
    cache: BoundedCache[Any], version: int, key: Hashable, compute: Callable[[], T], size_of: Callable[[T], int]
) -> T:
    """Return the value that a cache has for this version; compute and keep it if there is none."""
    value: T | None = cache.get(key, version)
    if value is None:
        value = compute()
        cache.put(key, value, size_of(value) + ENTRY_BYTES, version)
    return value


class Transaction(Session):
    """One open write transaction, which also reads, its own writes included. Constraints raise Peewee's errors.

    `listener` gets what was announced once it is committed; None where nobody listens.
    """

    listener: "Listener | None" = None
    announced: tuple[Any, ...] = ()

    def announce(self, events: Sequence[Any]) -> None:
        """Have the listener told after the commit, unless the part of the transaction is undone."""
        if self.listener is not None:
            self.announced += tuple(events)

    def tell_listener(self) -> None:
        """Tell the listener what was announced."""
        if self.listener is not None and self.announced:
            self.listener(self.announced)

    @abstractmethod
    def insert(self, table: Any, values: Mapping[str, object]) -> int:
        """Insert a row into a Peewee table, with values by the names of their fields; return its id."""

    @abstractmethod
    def run(self, query: Any) -> int:
        """Run an insert, update or delete of Peewee; return the new row's id, or the number of rows."""

    @abstractmethod
    def run_many(self, queries: Sequence[Any]) -> None:
        """Run one prepared insert, update or delete with the arguments of each of these."""

    @abstractmethod
    def insert_many(self, table: Any, rows: Sequence[Mapping[str, object]], *, replaces: bool = False) -> None:
        """Insert rows into a Peewee table, in order; all of them give values to the same fields.

        With `replaces`, a row with the key of a stored one replaces it; of the new rows each has a key of its own.
        """

    @abstractmethod
    def sql_many(self, statement: Statement, rows: Sequence[Sequence[object]]) -> None:
        """Run a changing statement written by hand once for each row of values."""

    @abstractmethod
    def index(self, table: str, rows: Sequence[IndexRow]) -> None:
        """Insert rows into a search index, with texts made by `content.search_text.indexed_text`."""

    @abstractmethod
    def savepoint(self) -> AbstractContextManager[None]:
        """Return a context manager for a part that is undone alone if it raises."""

    @abstractmethod
    def total_changes(self) -> int:
        """Return the number of rows changed on this connection so far, without those that were undone."""


class Database(ABC):
    """One store. Opened by `store.opening.open_database`; safe to share between threads (a connection each)."""

    address: StoreAddress
    cache: BoundedCache[Any]
    listener: "Listener | None" = None
    """Called with what transactions announce, after their commits."""
    field_types: "tuple[FieldType, ...]" = ()
    """The field types that plug-ins of the site add, for its sessions."""
    is_moving: bool = False
    """Opened by the command that moves the store, which may use it in any state of a move."""

    @property
    @abstractmethod
    def engine(self) -> str:
        """Name and version of the engine, as `SQLite 3.54.0`."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[Session]:
        """Return a read transaction; within another one of the same thread it is a part of that one.

        Raises StoreUnusable if the store is damaged or out of reach.
        """

    @abstractmethod
    def writing(self, *, counts_as_change: bool = True, is_durable: bool = True) -> AbstractContextManager[Transaction]:
        """Return a write transaction: when it ends, all of it is durable, or none of it happened. Raises StoreMoved.

        If any row changed, the store's change number grows by one, unless `counts_as_change` is false (for bookkeeping
        that no read shows). Without `is_durable` the commit does not wait for the disk: it survives its process, but a
        power cut may undo it, alone or with later ones of its kind.
        """

    def read(self, function: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function reads in a transaction of its own. Raises as `reading`."""
        with self.reading() as session:
            return function(session, *args, **kwargs)

    def write(self, function: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function returns that writes in a transaction of its own. Raises as `writing`."""
        with self.writing() as transaction:
            return function(transaction, *args, **kwargs)

    @abstractmethod
    def change_number(self) -> int:
        """Return the number of changes that any process has committed. Raises as `reading`."""

    @abstractmethod
    def size_bytes(self) -> int:
        """Return the size of the store on disk."""

    @abstractmethod
    def close(self) -> None:
        """Close this thread's connections."""
