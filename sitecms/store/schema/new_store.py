"""The tables of a new store: those of the models, and what Peewee cannot declare, for each engine."""

from typing import Any

from peewee import PostgresqlDatabase, SchemaManager, SqliteDatabase

from sitecms.store.models import MODELS
from sitecms.store.schema import postgres, sqlite
from sitecms.store.sql import POSTGRES

_WITHOUT_ROWID = " WITHOUT ROWID"


class _SqliteTables(SqliteDatabase):
    """A database without a connection, which collects the statements of Peewee's schema manager."""

    def __init__(self) -> None:
        super().__init__(None)
        self.statements: list[str] = []

    def execute(self, query: Any, **_options: Any) -> None:
        """Keep the statement."""
        text, values = query.query()
        if values:
            raise ValueError(f"A declaration has values: {text}")
        self.statements.append(text)


class _PostgresTables(PostgresqlDatabase):
    """As `_SqliteTables`, with PostgreSQL's types of columns."""

    def __init__(self) -> None:
        super().__init__(None, field_types={"AUTO": "BIGINT", "INT": "BIGINT", "TEXT": postgres.TEXT})
        self.statements: list[str] = []

    def get_context_options(self) -> dict[str, Any]:
        """Return the options, with the name of the engine."""
        options: dict[str, Any] = super().get_context_options()
        return {**options, "engine": POSTGRES}

    def execute(self, query: Any, **_options: Any) -> None:
        """Keep the statement. Peewee knows no option that SQLite alone has."""
        self.statements.append(query.query()[0].removesuffix(_WITHOUT_ROWID))


def sqlite_script() -> str:
    """Return the script that makes the tables of a new store in an SQLite file, with `;` at the end of each line."""
    return _declarations(_SqliteTables()) + sqlite.additions()


def postgres_script() -> str:
    """Return the script that makes the tables of a new store on PostgreSQL."""
    return _declarations(_PostgresTables()) + postgres.additions()


def _declarations(tables: _SqliteTables | _PostgresTables) -> str:
    for model in MODELS:
        manager = SchemaManager(model, tables)
        manager.create_table(safe=False)
        manager.create_indexes(safe=False)
    return "".join(f"{statement};\n" for statement in tables.statements)
