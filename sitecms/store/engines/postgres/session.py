"""Transactions on the PostgreSQL server."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import peewee

from sitecms.cache import BoundedCache
from sitecms.errors import StoreUnusable
from sitecms.store.database import CHANGE_NUMBER, Session, Transaction
from sitecms.store.engines.postgres.connection import Link
from sitecms.store.engines.postgres.dialect import native, numbered, worded
from sitecms.store.engines.postgres.search_vector import vector
from sitecms.store.sql import Statement

_CHANGING = ("INSERT", "UPDATE", "DELETE")


class PostgresSession(Session):
    """One open read transaction."""

    def __init__(self, link: Link, memory: BoundedCache[Any] | None = None) -> None:
        self._link = link
        self._memory = memory
        self._number: int | None = None

    def rows(self, query: Any) -> list[tuple[Any, ...]]:
        """All rows of a Peewee query."""
        return list(query.tuples().execute(self._link))

    def each(self, query: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a Peewee query, one at a time; the session answers nothing else meanwhile."""
        return self._link.stream(query)

    def sql(self, statement: Statement, *values: object) -> list[tuple[Any, ...]]:
        """All rows of a statement written by hand."""
        rows: list[tuple[Any, ...]] = self._link.statement(native(statement), values).fetchall()
        return rows

    def change_number(self) -> int:
        """How many committed changes this snapshot has seen."""
        if self._number is None or self._memory is None:
            row = self.sql_row(CHANGE_NUMBER)
            if row is None:
                raise StoreUnusable("The store is damaged: change_number has no row; restore it from a backup.")
            self._number = int(row[0])
        return self._number


class PostgresTransaction(PostgresSession, Transaction):
    """One open write transaction."""

    def __init__(self, link: Link) -> None:
        super().__init__(link)
        self._changes = 0
        self._depth = 0

    def insert(self, table: Any, values: Mapping[str, object]) -> int:
        """A new row of a Peewee table; its id."""
        fields = table._meta.fields
        statement, gives_id = _insertion(table, tuple(values))
        cursor = self._carry_out(statement, [fields[name].db_value(values[name]) for name in values])
        return int(cursor.fetchone()[0]) if gives_id else 0

    def run(self, query: Any) -> int:
        """Carry out a Peewee insert, update or delete."""
        key = query.model._meta.primary_key if isinstance(query, peewee.ModelInsert) else None
        if not isinstance(key, peewee.AutoField):
            return int(self._carry_out(*worded(query)).rowcount)
        row = self._carry_out(*worded(query.returning(key))).fetchone()
        return int(row[0]) if row else 0

    def sql(self, statement: Statement, *values: object) -> list[tuple[Any, ...]]:
        """Carry out a statement written by hand; all its rows."""
        cursor = self._carry_out(native(statement), values)
        return list(cursor.fetchall()) if cursor.description else []

    def index(self, table: str, row_id: int, title: str, body: str) -> None:
        """A new row of a search index."""
        self.sql(f"INSERT INTO {table} (rowid, words) VALUES (?, ?::tsvector)", row_id, vector(title, body))

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A part that is undone alone when it raises."""
        before = self._changes
        self._depth += 1
        name = f"part_{self._depth}"
        self._link.statement(f"SAVEPOINT {name}")
        try:
            yield
        except BaseException:
            self._changes = before
            if not self._link.is_lost:
                self._link.statement(f"ROLLBACK TO SAVEPOINT {name}; RELEASE SAVEPOINT {name}")
            raise
        else:
            self._link.statement(f"RELEASE SAVEPOINT {name}")
        finally:
            self._depth -= 1

    def total_changes(self) -> int:
        """Rows changed in this transaction so far."""
        return self._changes

    def _carry_out(self, text: str, values: Any) -> Any:
        cursor = self._link.statement(text, values)
        if (cursor.statusmessage or "").startswith(_CHANGING):
            self._changes += cursor.rowcount
        return cursor


@cache
def _insertion(table: Any, names: tuple[str, ...]) -> tuple[str, bool]:
    """The statement, and whether it gives the new row's id."""
    columns = ", ".join(table._meta.fields[name].column_name for name in names)
    text = f"INSERT INTO {table._meta.table_name} ({columns}) VALUES ({', '.join('?' * len(names))})"
    key = table._meta.primary_key
    gives_id = isinstance(key, peewee.AutoField)
    return numbered(f"{text} RETURNING {key.column_name}" if gives_id else text), gives_id
