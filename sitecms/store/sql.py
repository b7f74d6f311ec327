"""What is said differently to SQLite and to PostgreSQL: statements, and parts of Peewee queries.

Most statements are plain text that both understand, with `?` for each value; what differs is written twice, side by
side, and the session takes its own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from peewee import SQL, Node

POSTGRES = "postgres"


@dataclass(frozen=True, slots=True)
class Sql:
    """One statement, or a part of one, in the words of each engine. Parts are added up once, where they are declared.

    Both take the same values in the same order.
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
LISTED = Sql(
    sqlite="(SELECT value FROM json_each(?))",
    postgres="(SELECT value::bigint FROM jsonb_array_elements_text(?::jsonb) AS listed (value))",
)
"""The numbers of one bound JSON list, for `IN`: one statement, however many there are."""


class ByEngine(Node):
    """A part of a Peewee query that each engine has made for itself; only the one that is asked makes its own."""

    def __init__(self, *, sqlite: Callable[[], Any], postgres: Callable[[], Any]) -> None:
        self._sqlite = sqlite
        self._postgres = postgres

    def __sql__(self, ctx: Any) -> Any:
        make = self._postgres if ctx.state.engine == POSTGRES else self._sqlite
        return ctx.sql(make())


def in_words(part: Sql, *values: object) -> ByEngine:
    """A part of a Peewee query that is written by hand."""
    return ByEngine(sqlite=lambda: SQL(part.sqlite, values), postgres=lambda: SQL(part.postgres, values))
