"""Statements, and parts of Peewee queries, that differ between SQLite and PostgreSQL.

Most statements are plain text that both engines understand, with `?` for each value. Those that differ are declared
once for each engine, side by side, and the session takes its own.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import orjson
from msgspec import Struct
from peewee import SQL, Node, fn

POSTGRES = "postgres"


class Sql(Struct, frozen=True):
    """One statement, or a part of one, for each engine. Parts are added up once, where they are declared.

    Both texts take the same values in the same order.
    """

    sqlite: str
    postgres: str

    def __add__(self, other: "Statement") -> "Sql":
        if isinstance(other, Sql):
            return Sql(self.sqlite + other.sqlite, self.postgres + other.postgres)
        return Sql(self.sqlite + other, self.postgres + other)

    def __radd__(self, other: str) -> "Sql":
        return Sql(other + self.sqlite, other + self.postgres)


Statement = str | Sql
JSON_NUMBERS = Sql(
    sqlite="(SELECT value FROM json_each(?))",
    postgres="(SELECT unnest(ARRAY(SELECT value::bigint FROM jsonb_array_elements_text(?::jsonb) AS listed (value))))",
)
"""The numbers of one bound JSON list, for `IN`: one statement for lists of any length.

PostgreSQL takes an array for short, and looks each number up; it would read a whole table for a list of rows.
"""
_JSON_TEXTS = Sql(
    sqlite="(SELECT value FROM json_each(?))",
    postgres="(SELECT value FROM jsonb_array_elements_text(?::jsonb) AS listed (value))",
)


class ByEngine(Node):
    """A part of a Peewee query that is built differently for each engine; only the engine in use builds it."""

    def __init__(self, *, sqlite: Callable[[], Any], postgres: Callable[[], Any]) -> None:
        self._sqlite = sqlite
        self._postgres = postgres

    def __sql__(self, ctx: Any) -> Any:
        build = self._postgres if ctx.state.engine == POSTGRES else self._sqlite
        return ctx.sql(build())


def handwritten(part: Sql, *values: object) -> ByEngine:
    """Return a part of a Peewee query that is written by hand."""
    return ByEngine(sqlite=lambda: SQL(part.sqlite, values), postgres=lambda: SQL(part.postgres, values))


def json_numbers(text: str) -> ByEngine:
    """Return the numbers of a JSON list for `in_`: the statement is the same for any number of them."""
    return handwritten(JSON_NUMBERS, text)


def number_list(numbers: Iterable[int]) -> ByEngine:
    """Return numbers for `in_` as `json_numbers` does."""
    return json_numbers(orjson.dumps([*numbers]).decode())


def json_texts(text: str) -> ByEngine:
    """Return the texts of a JSON list for `in_`: the statement is the same for any number of them."""
    return handwritten(_JSON_TEXTS, text)


def is_among(column: Any, query: Any) -> ByEngine:
    """Return the condition that a query of few rows returns the column; PostgreSQL runs it first, for an array."""
    return ByEngine(sqlite=lambda: column.in_(query), postgres=lambda: column == fn.ANY(fn.ARRAY(query)))


@cache
def insertion(table: Any, names: tuple[str, ...], rows: int = 1, *, replaces: bool = False) -> str:
    """Return the statement that inserts rows with these fields of a Peewee class; `replaces`: also rows that exist."""
    columns = [table._meta.fields[name].column_name for name in names]
    row = f"({', '.join('?' * len(names))})"
    text = f"INSERT INTO {table._meta.table_name} ({', '.join(columns)}) VALUES {', '.join([row] * rows)}"
    if not replaces:
        return text
    key = table._meta.primary_key.column_name
    values = ", ".join(f"{name} = excluded.{name}" for name in columns if name != key)
    return f"{text} ON CONFLICT ({key}) DO UPDATE SET {values}"
