"""Readiness of a store is found without waiting for other processes."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sitecms.store.database import Database
from sitecms.store.engines.sqlite.database import SqliteDatabase
from sitecms.store.maintenance.readiness import look_at_store
from sitecms.store.opening import open_database
from sitecms.store.schema.migrations import LATEST
from tests.support.reading import execute

pytestmark = pytest.mark.sqlite_only("test_postgres has the same of the other")


def test_a_sound_store_has_no_problem(store: Database) -> None:
    """This also holds during a write."""
    assert look_at_store(store.address).problems == ()
    with store.writing() as transaction:
        transaction.sql("UPDATE change_number SET number = 7")
        started = time.monotonic()
        assert look_at_store(store.address).problems == ()
        assert time.monotonic() - started < 20


def test_missing_and_damaged_stores_are_reported(store: Database, tmp_path: Path) -> None:
    """The path is left out, since /health is public."""
    assert look_at_store(tmp_path / "none.db").problems == ("The store is missing.",)
    store.close()
    assert isinstance(store.address, Path)
    store.address.write_bytes(b"\xff" * 8192)
    assert look_at_store(store.address).problems == ("The store cannot be read.",)


_LOOK = """
import os, sys
from pathlib import Path
from sitecms.store.maintenance.readiness import look_at_store
look = look_at_store(Path(sys.argv[1]))
assert look.problems == (), look
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
print(look_at_store(Path(sys.argv[1])))
"""


@pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o555, 0o666), (0o777, 0o444)])
def test_a_store_that_cannot_be_written_is_reported(folder_mode: int, file_mode: int) -> None:
    """For want of permission: for the folder, or for the file. It can be read."""
    place = Path("/tmp") / f"sitecms-test-{os.getpid()}-readiness"  # where another user can go
    shutil.rmtree(place, ignore_errors=True)
    path = place / ".sitecms" / "store.db"
    place.mkdir(mode=0o755)
    try:
        database = open_database(path, create=True)
        for file in path.parent.iterdir():
            file.chmod(file_mode)
        path.parent.chmod(folder_mode)
        done = subprocess.run([sys.executable, "-c", _LOOK, str(path)], capture_output=True, text=True, check=False)
        assert "write_problem='The store cannot be written: permission denied.'" in done.stdout, done.stderr
        database.close()
    finally:
        path.parent.chmod(0o755)
        shutil.rmtree(place)


@pytest.mark.parametrize(("version", "said"), [(LATEST + 1, "newer"), (LATEST - 1, "needs")])
def test_other_versions_are_reported(store: Database, version: int, said: str) -> None:
    """The store was migrated by a newer sitecms, or restored from an old backup."""
    execute(store, f"PRAGMA user_version = {version}")
    (problem,) = look_at_store(store.address).problems
    assert said in problem


def test_locked_store_is_reported_as_busy_at_once(store: Database) -> None:
    """A health check does not wait for the busy timeout of thirty seconds."""
    execute(store, "SELECT 1")
    assert isinstance(store, SqliteDatabase)
    store._reader.close()
    writer = store._writer
    writer.execute_sql("PRAGMA locking_mode = exclusive")
    writer.execute_sql("PRAGMA journal_mode = delete")
    writer.execute_sql("BEGIN EXCLUSIVE")
    started = time.monotonic()
    assert look_at_store(store.address).problems == ("The store is busy.",)
    assert time.monotonic() - started < 20
    writer.execute_sql("ROLLBACK")
