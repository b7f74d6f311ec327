"""Checks of a store from outside: whether it can be read, whether it has changed, and whether its server is safe.

Each look uses a connection of its own and waits for a second or two at most, whatever others do with the store.
"""

import os
from pathlib import Path

import cysqlite
import peewee
from msgspec import Struct

from sitecms.errors import StoreUnusable
from sitecms.files import why_not_writable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.database import Database, Session, StoreAddress
from sitecms.store.engines.sqlite.connection import connector, sqlite_version
from sitecms.store.opening import open_database
from sitecms.store.schema.migrations import LATEST
from sitecms.store.site_state.relocation_state import SELECT_BLOCKING_MOVE, move_problem
from sitecms.store.sql import Sql

WAIT_SECONDS = 1.0
_UNSAFE = Sql(  # by hand: settings of the server
    sqlite="SELECT 1 WHERE 1 = 0",  # connections to a file set what is needed
    postgres="SELECT name || ' = ' || setting FROM pg_settings "
    "WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name",
)


class StoreLook(Struct, frozen=True):
    """The engine of the store, and why it cannot be read, in words for operators that do not name the place.

    `write_problem` is why a store that can be read cannot be written, "" if it can.
    """

    engine: str
    problems: tuple[str, ...]
    write_problem: str = ""


def look_at_store(address: StoreAddress) -> StoreLook:
    """Return the state of the store now."""
    if isinstance(address, ServiceUrl):
        from sitecms.store.engines.postgres.tables import probe

        engine, version, problem, write_problem = probe(address)
    else:
        engine, (version, problem) = f"SQLite {sqlite_version()}", _look_at_file(address)
        write_problem = "" if problem else _why_not_writable(address)
    why = f"The store cannot be written: {write_problem}." if write_problem else ""
    return StoreLook(engine, (problem,) if problem else _of_version(version), why)


def _why_not_writable(path: Path) -> str:
    files = (path.with_name(path.name + ending) for ending in ("", "-wal", "-shm"))
    if not all(os.access(file, os.W_OK) for file in files if file.exists()):
        return "permission denied"
    return why_not_writable(path.parent)


def _look_at_file(path: Path) -> tuple[int, str]:
    """Return the version of the tables, and the problem or ""."""
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
        return (f"The store has version {version}, which a newer sitecms created; this one reads up to {LATEST}.",)
    return ()


class ChangeWatch:
    """Reports changes of a store to one thread that asks often."""

    def __init__(self, address: StoreAddress) -> None:
        self._address = address
        self._database: Database | None = None

    def now(self) -> tuple[int, int] | None:
        """Return a value that differs after each change and for each file; None if no store can be read now."""
        if isinstance(self._address, Path):
            return _change_of_file(self._address)
        try:
            if self._database is None:
                self._database = open_database(self._address)
            return 0, self._database.change_number()
        except StoreUnusable:
            return None

    def close(self) -> None:
        """Close the connection to the server that keeps the store."""
        if self._database is not None:
            self._database.close()


def _change_of_file(path: Path) -> tuple[int, int] | None:
    if not path.is_file():
        return None
    database = connector(path, {"query_only": 1})
    try:
        return path.stat().st_ino, int(database.connection().execute_scalar("SELECT number FROM change_number"))
    except (peewee.DatabaseError, cysqlite.DatabaseError, TypeError, OSError):
        return None
    finally:
        database.close()


def unsafe_settings(session: Session) -> tuple[str, ...]:
    """Return the settings of the server by which a power cut may undo or damage what was committed."""
    return tuple(str(row[0]) for row in session.sql(_UNSAFE))
