"""Whether the store can be read just now, and by this version: asked often, and answered at once.

A connection of its own looks, which waits for nobody longer than a second or two, whatever others do with the store.
"""

from dataclasses import dataclass
from pathlib import Path

import cysqlite
import peewee

from sitecms.settings.service_url import ServiceUrl
from sitecms.store.database import Address
from sitecms.store.engines.sqlite.connection import connector, sqlite_version
from sitecms.store.schema.migrations import LATEST
from sitecms.store.site_state.relocation_state import SELECT_BLOCKING_MOVE, move_problem

WAIT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class StoreLook:
    """What keeps the store, and why it cannot be read, in words for operators without the place; none if it can."""

    engine: str
    problems: tuple[str, ...]


def look_at_store(address: Address) -> StoreLook:
    """How the store is just now."""
    if isinstance(address, ServiceUrl):
        from sitecms.store.engines.postgres.tables import probe

        engine, version, problem = probe(address)
    else:
        engine, (version, problem) = f"SQLite {sqlite_version()}", _look_at_file(address)
    return StoreLook(engine, (problem,) if problem else _of_version(version))


def _look_at_file(path: Path) -> tuple[int, str]:
    """The version of the tables, and what is wrong or ""."""
    if not path.is_file():
        return 0, "The store is missing."
    database = connector(path, {"query_only": 1, "busy_timeout": round(WAIT_SECONDS * 1000)})
    try:
        version = int(database.pragma("user_version"))
        in_the_way = database.execute_sql(SELECT_BLOCKING_MOVE).fetchone()
    except (peewee.DatabaseError, cysqlite.DatabaseError, UnicodeDecodeError) as error:
        busy = any(word in str(error) for word in ("locked", "busy"))
        return 0, "The store is busy." if busy else "The store cannot be read."
    finally:
        database.close()
    return version, move_problem(in_the_way)


def _of_version(version: int) -> tuple[str, ...]:
    if version < LATEST:
        return (f"The store has version {version}; this sitecms needs {LATEST} and brings it there when it starts.",)
    if version > LATEST:
        return (f"The store has version {version}, which a newer sitecms made; this one knows {LATEST}.",)
    return ()
