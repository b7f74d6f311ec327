"""Transactions on the PostgreSQL server."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import groupby
from typing import Any

import peewee

from sitecms.cache import BoundedCache
from sitecms.errors import StoreUnusable
from sitecms.store.database import CHANGE_NUMBER, IndexRow, Session, Transaction
from sitecms.store.engines.postgres.connection import Connection
from sitecms.store.engines.postgres.dialect import Options, compile_statement, number_placeholders
from sitecms.store.engines.postgres.search_vector import vector
from sitecms.store.prepared import Dialect
from sitecms.store.sql import Statement, insertion

DIALECT = Dialect(Options(None).get_context_options(), number_placeholders)
_CHANGING_COMMANDS = ("INSERT", "UPDATE", "DELETE")
_ROWS_AT_ONCE = 50


class PostgresSession(Session):
    """One open read transaction."""

    def __init__(self, connection: Connection, cache: BoundedCache[Any] | None = None) -> None:
        self._connection = connection
        self._cache = cache

    def rows(self, query: Any) -> list[tuple[Any, ...]]:
        """Return all rows of a query of Peewee."""
        compiled, values = DIALECT.compile(query)
        return compiled.rows(self._run(compiled.text, values))

    def sql(self, statement: Statement, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of a statement written by hand."""
        rows: list[tuple[Any, ...]] = self._connection.run(compile_statement(statement), values).fetchall()
        return rows

    def _run(self, text: str, values: Any) -> Any:
        return self._connection.run(text, values)

    def stream_sql(self, statement: Statement, *values: object) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a statement; the session runs nothing else until the iterator is closed."""
        return self._connection.stream(compile_statement(statement), values)

    def change_number(self) -> int:
        """Return the number of committed changes that this snapshot contains."""
        number = None if self._cache is None else self._connection.change_number
        if number is None:
            row = self.sql_row(CHANGE_NUMBER)
            if row is None:
                raise StoreUnusable("The store is damaged: change_number has no row; restore it from a backup.")
            number = self._connection.change_number = int(row[0])
        return number

    def learn_change_number(self, number: int) -> None:
        """Take the change number that a statement has read beside its rows."""
        self._connection.change_number = number


class PostgresTransaction(PostgresSession, Transaction):
    """One open write transaction."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._changes = 0
        self._depth = 0

    def insert(self, table: Any, values: Mapping[str, object]) -> int:
        """Insert a row into a Peewee table; return its id."""
        fields = table._meta.fields
        statement, has_id = _insertion(table, tuple(values))
        cursor = self._run(statement, [fields[name].db_value(values[name]) for name in values])
        return int(cursor.fetchone()[0]) if has_id else 0

    def run(self, query: Any) -> int:
        """Run an insert, update or delete of Peewee."""
        compiled, values = DIALECT.compile(query, _returning_id)
        cursor = self._run(compiled.text, values)
        if not cursor.description:
            return int(cursor.rowcount)
        row = cursor.fetchone()
        return int(row[0]) if row else 0

    def run_many(self, queries: Sequence[Any]) -> None:
        """Run one prepared query with the arguments of each of these."""
        compiled = [DIALECT.compile(query) for query in queries]
        if compiled:
            self._changes += self._connection.run_many(compiled[0][0].text, [values for _compiled, values in compiled])

    def sql(self, statement: Statement, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement written by hand; return all its rows."""
        cursor = self._run(compile_statement(statement), values)
        return list(cursor.fetchall()) if cursor.description else []

    def insert_many(self, table: Any, rows: Sequence[Mapping[str, object]], *, replaces: bool = False) -> None:
        """Insert rows into a Peewee table, many with one statement: its trigger adds the digests of all of them."""
        names = tuple(rows[0]) if rows else ()
        fields = [table._meta.fields[name] for name in names]
        parts = (rows[start : start + _ROWS_AT_ONCE] for start in range(0, len(rows), _ROWS_AT_ONCE))
        for size, some in groupby(parts, len):  # all but the last part have the same size
            values = [[field.db_value(row[field.name]) for row in part for field in fields] for part in some]
            statement = number_placeholders(insertion(table, names, size, replaces=replaces))
            self._changes += self._connection.run_many(statement, values)

    def sql_many(self, statement: Statement, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement for each row of values."""
        if rows:
            self._changes += self._connection.run_many(compile_statement(statement), rows)

    def index(self, table: str, rows: Sequence[IndexRow]) -> None:
        """Insert rows into a search index."""
        vectors = [(row_id, vector(title, body)) for row_id, title, body in rows]
        self.sql_many(f"INSERT INTO {table} (rowid, words) VALUES (?, ?::tsvector)", vectors)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo this part alone if it raises."""
        before, announced = self._changes, self.announced
        self._depth += 1
        name = f"part_{self._depth}"
        self._connection.run(f"SAVEPOINT {name}")
        try:
            yield
        except BaseException:
            self._changes, self.announced = before, announced
            if not self._connection.is_lost:
                self._connection.run(f"ROLLBACK TO SAVEPOINT {name}; RELEASE SAVEPOINT {name}")
            raise
        else:
            self._connection.run(f"RELEASE SAVEPOINT {name}")
        finally:
            self._depth -= 1

    def total_changes(self) -> int:
        """Return the number of rows changed in this transaction so far."""
        return self._changes

    def _run(self, text: str, values: Any) -> Any:
        """Run a statement, and count the rows that it changed."""
        cursor = self._connection.run(text, values)
        if (cursor.statusmessage or "").startswith(_CHANGING_COMMANDS):
            self._changes += cursor.rowcount
        return cursor


def _returning_id(query: Any) -> Any:
    """Let an insert return the new row's id."""
    key = query.model._meta.primary_key
    return (
        query.returning(key) if isinstance(query, peewee.ModelInsert) and isinstance(key, peewee.AutoField) else query
    )


@cache
def _insertion(table: Any, names: tuple[str, ...]) -> tuple[str, bool]:
    """Return the statement, and whether it returns the new row's id."""
    text = insertion(table, names)
    key = table._meta.primary_key
    has_id = isinstance(key, peewee.AutoField)
    return number_placeholders(f"{text} RETURNING {key.column_name}" if has_id else text), has_id
