"""Peewee queries and statements written by hand as text for PostgreSQL, with its numbered placeholders."""

import re
from functools import lru_cache
from typing import Any

from peewee import PostgresqlDatabase

from sitecms.store.sql import POSTGRES, Statement

_CACHED_TEXTS = 2000
_PLACEHOLDER = re.compile(r"'[^']*'|\?(\d*)")


class _Dialect(PostgresqlDatabase):
    """A database without a connection, which only compiles queries."""

    param = "?"

    def get_context_options(self) -> dict[str, Any]:
        options: dict[str, Any] = super().get_context_options()
        return {**options, "engine": POSTGRES}


_DIALECT: Any = _Dialect(None)


def compile_query(query: Any) -> tuple[str, list[Any]]:
    """Return the text and the values of a Peewee query."""
    text, values = _DIALECT.get_sql_context().sql(query).query()
    return number_placeholders(text), values


def compile_statement(statement: Statement) -> str:
    """Return the text of a statement written by hand."""
    return number_placeholders(statement if isinstance(statement, str) else statement.postgres)


@lru_cache(_CACHED_TEXTS)
def number_placeholders(text: str) -> str:
    """Replace `?`, `?` by `$1`, `$2`, and `?3` by `$3`, except within quotes."""
    count = 0

    def place(match: re.Match[str]) -> str:
        nonlocal count
        if match[1] is None:
            return match[0]
        count += 1
        return f"${match[1] or count}"

    return _PLACEHOLDER.sub(place, text)
