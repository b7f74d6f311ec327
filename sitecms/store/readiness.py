"""Whether the store can be read just now, and by this version: asked often, and answered at once.

A connection of its own looks, which waits for nobody longer than a second, whatever others do with the store.
"""

from pathlib import Path

import cysqlite
import peewee

from sitecms.store.connection import connector
from sitecms.store.migrations import LATEST

WAIT_SECONDS = 1.0


def engine_version() -> str:
    """The version of SQLite that the store is kept with."""
    return str(cysqlite.sqlite_version)  # type: ignore[attr-defined]


def store_problems(path: Path) -> tuple[str, ...]:
    """Why it cannot be read, in words for operators without the path; nothing if it can."""
    if not path.is_file():
        return ("The store is missing.",)
    database = connector(path, {"query_only": 1, "busy_timeout": round(WAIT_SECONDS * 1000)})
    try:
        version = int(database.pragma("user_version"))
        database.execute_sql("SELECT number FROM change_number")
    except (peewee.DatabaseError, cysqlite.DatabaseError) as error:
        busy = any(word in str(error) for word in ("locked", "busy"))
        return ("The store is busy." if busy else "The store cannot be read.",)
    finally:
        database.close()
    if version < LATEST:
        return (f"The store has version {version}; this sitecms needs {LATEST} and brings it there when it starts.",)
    if version > LATEST:
        return (f"The store has version {version}, which a newer sitecms made; this one knows {LATEST}.",)
    return ()
