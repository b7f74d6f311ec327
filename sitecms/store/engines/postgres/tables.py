"""The database before it is used: whether it is a store, its version, and bringing its tables to this version."""

from typing import Any

import peewee

from sitecms.errors import StoreMissing, StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.connection import PROBING, Connection
from sitecms.store.engines.postgres.write_connection import LOCK_WRITERS
from sitecms.store.schema import migrations, new_store
from sitecms.store.site_state.relocation_state import SELECT_BLOCKING_MOVE, move_problem

OLDEST_VERSION = 15
_OPENING_LOCK = 0x51_7E_C3_56
_BEGIN = f"BEGIN; SELECT pg_advisory_xact_lock({_OPENING_LOCK}); {LOCK_WRITERS}"  # nobody writes while tables change
_VERSION_TABLE = "CREATE TABLE sitecms_store (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL)"
_COUNT_TABLES = """
SELECT count(*), count(*) FILTER (WHERE relname = 'sitecms_store') FROM pg_class
WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p', 'v', 'm')"""
_SET_VERSION = "INSERT INTO sitecms_store VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET version = excluded.version"
_UNREACHABLE = "The store's server cannot be reached."


def prepare(
    connection: Connection, url: ServiceUrl, *, create: bool, steps: migrations.Steps = migrations.STEPS
) -> None:
    """Bring the tables to this version.

    Raises StoreMissing or StoreUnusable, and changes nothing, if the database is not a store of this version or older.
    """
    _check_server(connection, url)
    latest = migrations.last_version(steps)
    if _checked_version(connection, url, latest, create=create) == latest:
        return
    connection.begin(_BEGIN)
    try:
        # Another process may have made the store meanwhile.
        version = _checked_version(connection, url, latest, create=create)
        if not version:
            connection.run(new_store.postgres_script())
            connection.run(_VERSION_TABLE)
        for step in migrations.steps_after(version, steps):
            connection.run(step.postgres)
            if step.rewriting:
                step.rewriting.run(connection.run)
        connection.run(_SET_VERSION, (latest,))
        connection.run("COMMIT")
    except BaseException:
        if not connection.is_lost:
            connection.run("ROLLBACK")
        raise


def probe(url: ServiceUrl) -> tuple[str, int, str, str]:
    """Return the engine with its version if it is known, the version of the tables, and problems or "".

    The second problem is why a store that can be read cannot be written.
    """
    engine = "PostgreSQL"
    try:
        connection = Connection(url, PROBING)
    except StoreUnusable:
        return engine, 0, _UNREACHABLE, ""
    try:
        engine = connection.server
        version = _store_version(connection)
        if not version:
            return engine, 0, "The store is missing.", ""
        blocking_move = connection.run(SELECT_BLOCKING_MOVE).fetchone()
        is_standby = bool(connection.run("SELECT pg_is_in_recovery()").fetchone()[0])
    except (StoreUnusable, peewee.DatabaseError):
        return engine, 0, _UNREACHABLE if connection.is_lost else "The store cannot be read.", ""
    finally:
        connection.close()
    return engine, version, move_problem(blocking_move), "the server is a standby" if is_standby else ""


def _store_version(connection: Connection) -> int | None:
    """Return the version of the tables; 0 if there is no table, None if there are only tables of other programs."""
    tables, version_tables = connection.run(_COUNT_TABLES).fetchone()
    if not version_tables:
        return None if tables else 0
    row: Any = connection.run("SELECT version FROM sitecms_store").fetchone()
    return int(row[0]) if row else None


def _check_server(connection: Connection, url: ServiceUrl) -> None:
    if connection.raw.info.server_version < OLDEST_VERSION * 10_000:
        raise StoreUnusable(f"The server of {url} is {connection.server}; {OLDEST_VERSION} or newer is needed.")
    encoding = connection.raw.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreUnusable(
            f"The database {url} keeps text as {encoding}; make one that keeps all of it: createdb -E UTF8 -T template0"
        )


def _checked_version(connection: Connection, url: ServiceUrl, latest: int, *, create: bool) -> int:
    version = _store_version(connection)
    if version is None:
        raise StoreUnusable(f"{url} belongs to another program. Nothing was changed.")
    if version > latest:
        raise migrations.newer_version_error(str(url), version)
    if not version and not create:
        raise StoreMissing(f"There is no store at {url} yet: `sitecms load` creates it from the site folder.")
    return version
