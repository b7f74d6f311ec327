"""The SQLite file before it is used: whether it is a store, and bringing its tables to this version."""

import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import cysqlite
import peewee
from playhouse.cysqlite_ext import CySqliteDatabase

from sitecms.errors import StoreMissing, StoreUnusable
from sitecms.files import make_private_file, make_private_folder
from sitecms.store.engines.sqlite.connection import BUSY_TIMEOUT_SECONDS, transaction
from sitecms.store.engines.sqlite.digests import set_digests
from sitecms.store.schema import migrations, new_store

APPLICATION_ID = 0x51_7E_C3_55
_HEADER = b"SQLite format 3\x00"


def check_file(path: Path, *, create: bool) -> None:
    """Raise StoreUnusable for a file that cannot be a store, before SQLite touches it."""
    try:
        _check(path, create=create)
    except OSError as error:
        raise StoreUnusable(f"The store {path} cannot be used: {error.strerror}.") from error


def _check(path: Path, *, create: bool) -> None:
    if path.is_dir():
        raise StoreUnusable(f"The store {path} is a folder; a file is needed there.")
    if create:
        if not path.parent.parent.is_dir():
            raise StoreUnusable(f"The folder {path.parent.parent} does not exist, so no store can be created in it.")
        make_private_folder(path.parent)
    if create and not path.exists():
        make_private_file(path)  # SQLite gives its mode to the files beside it
    if not path.exists():
        raise _no_store(path)
    with path.open("rb") as file:
        if file.read(len(_HEADER)) not in (_HEADER, b""):
            raise StoreUnusable(f"{path} is not a store of sitecms (not an SQLite file). Nothing was changed.")


def _no_store(path: Path) -> StoreMissing:
    return StoreMissing(f"There is no store at {path} yet: `sitecms load` creates it from the site folder.")


def prepare(writer: CySqliteDatabase, path: Path, *, create: bool, steps: migrations.Steps = migrations.STEPS) -> None:
    """Bring the tables to this version.

    Raises StoreMissing or StoreUnusable, and changes nothing, if the file is not a store of this version or older.
    """
    with transaction(writer, "deferred"):  # one snapshot: another process may be making the store just now
        version = int(writer.pragma("user_version"))
        owner = int(writer.pragma("application_id"))
        is_empty = not writer.get_tables()
    if owner != APPLICATION_ID and (owner or version or not is_empty):
        raise StoreUnusable(f"{path} belongs to another program. Nothing was changed.")
    latest = migrations.last_version(steps)
    if version > latest:
        raise migrations.newer_version_error(str(path), version)
    if is_empty and not create:
        raise _no_store(path)
    if version < latest:
        _use_wal(writer)
        _migrate(writer, steps)


def _use_wal(writer: CySqliteDatabase) -> None:
    """Switch the file to WAL mode. SQLite itself does not wait for another process that does the same."""
    deadline = time.monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            writer.pragma("journal_mode", "wal")
        except (peewee.OperationalError, cysqlite.OperationalError) as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _migrate(writer: CySqliteDatabase, steps: migrations.Steps) -> None:
    with writer.atomic("immediate"):
        version = int(writer.pragma("user_version"))
        for statement in statements_of([] if version else [new_store.sqlite_script()]):
            writer.execute_sql(statement)
        for step in migrations.steps_after(version, steps):
            for statement in statements_of([step.sqlite]):
                writer.execute_sql(statement)
            if step.rewriting:
                step.rewriting.run(writer.execute_sql)
        set_digests(writer.connection())
        writer.pragma("application_id", APPLICATION_ID)
        writer.pragma("user_version", migrations.last_version(steps))


def statements_of(scripts: Iterable[str]) -> Iterator[str]:
    """Yield the statements one at a time, as SQLite's driver takes them."""
    for script in scripts:
        yield from (statement for statement in script.split(";\n") if statement.strip())
