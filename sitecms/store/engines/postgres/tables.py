"""The database before it is used: whether it is a store of ours, and bringing its tables up to date."""

from typing import Any

from sitecms.errors import StoreMissing, StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.connection import Link
from sitecms.store.engines.postgres.write_connection import TAKE_TURN
from sitecms.store.schema import migrations

OLDEST_VERSION = 15
_OPENING_LOCK = 0x51_7E_C3_56
_BEGIN = f"BEGIN; SELECT pg_advisory_xact_lock({_OPENING_LOCK}); {TAKE_TURN}"  # nobody writes to tables that change
_MARK = "CREATE TABLE sitecms_store (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL)"
_TABLES = """
SELECT count(*), count(*) FILTER (WHERE relname = 'sitecms_store') FROM pg_class
WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p', 'v', 'm')"""
_SET_VERSION = "INSERT INTO sitecms_store VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET version = excluded.version"


def prepare(writer: Link, url: ServiceUrl, *, create: bool) -> None:
    """Bring the tables to this version. Raises StoreUnusable, and changes nothing, if they are not ours to change."""
    _check_server(writer, url)
    if _found_version(writer, url, create=create) == migrations.LATEST:
        return
    writer.begin(_BEGIN)
    try:
        found = _found_version(writer, url, create=create)  # another process may have made the store meanwhile
        for step in migrations.steps_after(found):
            writer.statement(step.postgres)
        if not found:
            writer.statement(_MARK)
        writer.statement(_SET_VERSION, (migrations.LATEST,))
        writer.statement("COMMIT")
    except BaseException:
        if not writer.is_lost:
            writer.statement("ROLLBACK")
        raise


def store_version(link: Link) -> int | None:
    """The version of the tables; 0 where there is nothing at all, None where there are only other tables."""
    tables, ours = link.statement(_TABLES).fetchone()
    if not ours:
        return None if tables else 0
    row: Any = link.statement("SELECT version FROM sitecms_store").fetchone()
    return int(row[0]) if row else None


def _check_server(writer: Link, url: ServiceUrl) -> None:
    version = writer.raw.info.server_version
    if version < OLDEST_VERSION * 10_000:
        raise StoreUnusable(
            f"The server of {url} is PostgreSQL {version // 10_000}; {OLDEST_VERSION} or newer is needed."
        )
    encoding = writer.raw.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreUnusable(
            f"The database {url} keeps text as {encoding}; make one that keeps all of it: createdb -E UTF8 -T template0"
        )


def _found_version(writer: Link, url: ServiceUrl, *, create: bool) -> int:
    found = store_version(writer)
    if found is None:
        raise StoreUnusable(f"{url} belongs to another program. Nothing was changed.")
    if found > migrations.LATEST:
        raise migrations.made_by_newer(str(url), found)
    if not found and not create:
        raise StoreMissing(f"There is no store at {url} yet: `sitecms load` makes it from the site folder.")
    return found
