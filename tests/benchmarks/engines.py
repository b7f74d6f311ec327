"""Which engine keeps the content of a site that is measured: SQLite, or a PostgreSQL server."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from sitecms.settings.service_url import ServiceUrl, variable_of

SQLITE = "sqlite"
HELP = "Several are measured in one run: `sqlite`, or addresses of PostgreSQL databases."


def engine_of(store: str) -> str:
    """`sqlite` or `postgresql`."""
    return SQLITE if store == SQLITE else ServiceUrl(store).scheme


@contextmanager
def kept_in(store: str) -> Iterator[None]:
    """Meanwhile, what is opened and started here keeps its content there, whatever the settings say."""
    variable = variable_of("store")
    before = os.environ.pop(variable, None)
    if store != SQLITE:
        os.environ[variable] = store
    try:
        yield
    finally:
        os.environ.pop(variable, None)
        if before is not None:
            os.environ[variable] = before


@contextmanager
def fresh_database(store: str) -> Iterator[str]:
    """An empty database on that server, removed afterwards; `sqlite` stays as it is."""
    if store == SQLITE:
        yield store
        return
    name = f"benchmark_{secrets.token_hex(4)}"
    start, _slash, rest = store.rpartition("/")
    with psycopg.connect(store, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
        try:
            yield f"{start}/{name}" + (f"?{rest.partition('?')[2]}" if "?" in rest else "")
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
