"""Transactions on the SQLite file. Every request uses them, so each method makes few calls."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from playhouse.cysqlite_ext import CySqliteDatabase

from sitecms.cache import BoundedCache
from sitecms.store.database import CHANGE_MARK, CHANGE_NUMBER, IndexRow, Session, Transaction
from sitecms.store.engines.sqlite.connection import checked_number, damaged_error, decoding
from sitecms.store.prepared import Dialect
from sitecms.store.sql import Statement, insertion

DIALECT = Dialect(CySqliteDatabase(None, rank_functions=False).get_context_options())


class SqliteSession(Session):
    """One open read transaction."""

    def __init__(self, database: CySqliteDatabase, cache: BoundedCache[Any] | None = None) -> None:
        self._database = database
        self._connection: Any = database.connection()
        self._cache = cache
        self._number: int | None = None

    def rows(self, query: Any) -> list[tuple[Any, ...]]:
        """Return all rows of a query of Peewee."""
        compiled, values = DIALECT.compile(query)
        try:  # written out, as in `sql`
            return compiled.rows(self._run(compiled.text, values))
        except UnicodeDecodeError as error:
            raise damaged_error(self._database.database, f"text that is not UTF-8: {error.reason}") from error

    def _run(self, text: str, values: Sequence[object]) -> Any:
        return self._connection.execute(text, values)

    def sql(self, statement: Statement, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of a statement written by hand."""
        text = statement if statement.__class__ is str else statement.sqlite  # type: ignore[union-attr]
        try:  # written out: every request runs this, and `decoding` would be slower
            rows: list[tuple[Any, ...]] = self._connection.execute(text, values).fetchall()
        except UnicodeDecodeError as error:
            raise damaged_error(self._database.database, f"text that is not UTF-8: {error.reason}") from error
        return rows

    def stream_sql(self, statement: Statement, *values: object) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a statement written by hand."""
        with decoding(self._database.database):
            yield from self._connection.execute(statement if isinstance(statement, str) else statement.sqlite, values)

    def change_number(self) -> int:
        """Return the number of committed changes that this snapshot contains."""
        if self._number is None or self._cache is None:
            number = self._connection.execute_scalar(CHANGE_NUMBER)
            self._number = checked_number(self._database.database, number)
        return self._number

    def learn_change_number(self, number: int) -> None:
        """Take the change number that a statement has read beside its rows."""
        self._number = checked_number(self._database.database, number)

    def change_mark(self) -> str:
        """Return the mark of the last change."""
        return str(self._connection.execute_scalar(CHANGE_MARK))


class SqliteTransaction(SqliteSession, Transaction):
    """One open write transaction."""

    def __init__(self, database: CySqliteDatabase) -> None:
        super().__init__(database)
        self._undone = 0

    def insert(self, table: Any, values: Mapping[str, object]) -> int:
        """Insert a row into a Peewee table; return its id."""
        statement = insertion(table, tuple(values))
        fields = table._meta.fields
        cursor = self._database.execute_sql(statement, [fields[name].db_value(values[name]) for name in values])
        return int(cursor.lastrowid or 0)

    def run(self, query: Any) -> int:
        """Run an insert, update or delete of Peewee."""
        compiled, values = DIALECT.compile(query)
        cursor = self._run(compiled.text, values)
        return int((cursor.lastrowid if compiled.is_insert else cursor.rowcount) or 0)

    def run_many(self, queries: Sequence[Any]) -> None:
        """Run one prepared query with the arguments of each of these."""
        compiled = [DIALECT.compile(query) for query in queries]
        if compiled:
            self._connection.executemany(compiled[0][0].text, [values for _compiled, values in compiled])

    def sql(self, statement: Statement, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement written by hand; return all its rows."""
        text = statement if isinstance(statement, str) else statement.sqlite
        with decoding(self._database.database):
            return list(self._database.execute_sql(text, values))

    def _run(self, text: str, values: Sequence[object]) -> Any:
        return self._database.execute_sql(text, values)

    def insert_many(self, table: Any, rows: Sequence[Mapping[str, object]], *, replaces: bool = False) -> None:
        """Insert rows into a Peewee table."""
        if rows:
            names = tuple(rows[0])
            fields = [table._meta.fields[name] for name in names]
            values = ([field.db_value(row[field.name]) for field in fields] for row in rows)
            self._connection.executemany(insertion(table, names, replaces=replaces), values)

    def sql_many(self, statement: Statement, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement for each row of values."""
        self._connection.executemany(statement if isinstance(statement, str) else statement.sqlite, rows)

    def index(self, table: str, rows: Sequence[IndexRow]) -> None:
        """Insert rows into a search index."""
        self.sql_many(f"INSERT INTO {table} (rowid, title, body) VALUES (?, ?, ?)", rows)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo this part alone if it raises."""
        before, announced = self.total_changes(), self.announced
        try:
            with self._database.savepoint():
                yield
        except BaseException:
            self._undone += self.total_changes() - before
            self.announced = announced
            raise

    def total_changes(self) -> int:
        """Return the number of rows changed on this connection so far."""
        return int(self.sql("SELECT total_changes()")[0][0]) - self._undone
