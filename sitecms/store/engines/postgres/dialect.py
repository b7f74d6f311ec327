"""Peewee queries and statements written by hand as text for PostgreSQL, with its numbered placeholders."""

import re
from functools import lru_cache
from typing import Any

from peewee import PostgresqlDatabase

from sitecms.store.sql import POSTGRES, Statement

_CACHED_TEXTS = 2000
_PLACEHOLDER = re.compile(r"'[^']*'|\?(\d*)")


class Options(PostgresqlDatabase):
    """Peewee's options for PostgreSQL, of a database without a connection."""

    param = "?"

    def get_context_options(self) -> dict[str, Any]:
        """Return the options, and the name of the engine."""
        options: dict[str, Any] = super().get_context_options()
        return {**options, "engine": POSTGRES}


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
