"""Peewee queries as text for PostgreSQL, and `?` as its own numbered placeholders."""

import re
from functools import lru_cache
from typing import Any

from peewee import PostgresqlDatabase

from sitecms.store.sql import POSTGRES, Statement

_TEXTS_KEPT = 2000
_PLACEHOLDER = re.compile(r"'[^']*'|\?(\d*)")


class _Dialect(PostgresqlDatabase):
    """Connected to nothing: it only puts queries into words."""

    param = "?"

    def get_context_options(self) -> dict[str, Any]:
        options: dict[str, Any] = super().get_context_options()
        return {**options, "engine": POSTGRES}


_DIALECT: Any = _Dialect(None)


def worded(query: Any) -> tuple[str, list[Any]]:
    """A Peewee query as text and values."""
    text, values = _DIALECT.get_sql_context().sql(query).query()
    return numbered(text), values


def native(statement: Statement) -> str:
    """A statement in PostgreSQL's words."""
    return numbered(statement if isinstance(statement, str) else statement.postgres)


@lru_cache(_TEXTS_KEPT)
def numbered(text: str) -> str:
    """`$1`, `$2` in place of `?`, `?`; a `?3` is `$3`. What stands in quotes stays."""
    count = 0

    def place(match: re.Match[str]) -> str:
        nonlocal count
        if match[1] is None:
            return match[0]
        count += 1
        return f"${match[1] or count}"

    return _PLACEHOLDER.sub(place, text)
