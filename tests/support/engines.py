"""The engine that a test runs on: stores in SQLite files, or in PostgreSQL databases."""

import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

from sitecms.settings.service_url import ServiceUrl
from sitecms.store.database import Database, Session, StoreAddress
from sitecms.store.opening import open_database
from sitecms.store.sql import Sql
from tests.support.postgres import Databases

ENGINES = ("sqlite", "postgres")
_INDEXED = {
    table: Sql(
        sqlite=f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid",
        postgres=f"SELECT rowid FROM {table} WHERE words @@ matching(?) ORDER BY rowid",
    )
    for table in ("post_search", "page_search")
}


def indexed(session: Session, word: str, table: str = "post_search") -> list[int]:
    """Return the rows of the search index that contain the word."""
    return [int(row[0]) for row in session.sql(_INDEXED[table], f'"{word}"')]


def is_sound(database: Database) -> bool:
    """Return whether an SQLite file is intact and no foreign key is broken; PostgreSQL guarantees both."""
    if not isinstance(database.address, Path):
        return True
    with database.reading() as session:
        return session.sql("PRAGMA integrity_check") == [("ok",)] and not session.sql("PRAGMA foreign_key_check")


def make_store(address: StoreAddress) -> Database:
    """Open the store, an empty one if there is none."""
    prepare_store(address)
    return open_database(address, create=True)


def prepare_store(address: StoreAddress) -> None:
    """Copy an empty store to a path where there is none: making a file durable takes twenty times as long."""
    if not isinstance(address, Path) or address.exists():
        return
    data, mode, folder_mode = _empty_store()
    if not address.parent.exists():
        address.parent.mkdir(parents=True)
        address.parent.chmod(folder_mode)
    address.write_bytes(data)
    address.chmod(mode)
    with closing(sqlite3.connect(address)) as file, file:
        file.execute("PRAGMA synchronous = OFF")
        file.execute("UPDATE change_number SET mark = hex(randomblob(8))")  # each store has its own


@cache
def _empty_store() -> tuple[bytes, int, int]:
    """Return the content of a new store, and the modes of its file and folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ".sitecms" / "store.db"
        open_database(path, create=True).close()
        return path.read_bytes(), path.stat().st_mode, path.parent.stat().st_mode


class Stores:
    """Stores of the engine that a test runs on: PostgreSQL with `databases`, otherwise SQLite."""

    def __init__(self, databases: Databases | None = None) -> None:
        self._databases = databases
        self._names: dict[Path, str] = {}

    @property
    def engine(self) -> str:
        """Name of the engine, one of ENGINES."""
        return ENGINES[self._databases is not None]

    def url(self, folder: Path) -> str:
        """Return `url` under `[store]` for the settings of the site in that folder."""
        if self._databases is None:
            return ""
        name = self._names.get(folder.resolve())
        if name is None:
            name = self._names[folder.resolve()] = self._databases.take()
        return self._databases.server.url(name)

    def address(self, folder: Path) -> Path | ServiceUrl:
        """Return the address of the store of the site in that folder."""
        return ServiceUrl(self.url(folder)) if self._databases else folder / ".sitecms" / "store.db"

    def toml(self, folder: Path) -> str:
        """Return lines to append to the settings of the site in that folder."""
        return f'[store]\nurl = "{self.url(folder)}"\n' if self._databases else ""

    def ruin(self, database: Database) -> None:
        """Make the store unreadable."""
        database.close()
        if isinstance(database.address, Path):
            database.address.write_bytes(b"\xff" * database.address.stat().st_size)
        else:
            assert self._databases is not None
            self._databases.ruin(database.address.reveal().rpartition("/")[2])

    def close(self) -> None:
        """Give the databases back."""
        if self._databases is not None:
            for name in self._names.values():
                self._databases.give_back(name)
        self._names.clear()


_FILES = Stores()
_chosen: list[Stores] = [_FILES]


def stores() -> Stores:
    """Return the stores of the test that runs now."""
    return _chosen[-1]


def choose(chosen: Stores) -> None:
    """Use these stores until `choose_files`."""
    _chosen.append(chosen)


def choose_files() -> None:
    """Use SQLite files again."""
    del _chosen[1:]
