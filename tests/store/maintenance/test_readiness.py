"""Whether the store can be read: looked at in passing, without waiting for anyone."""

import time
from pathlib import Path

import pytest

from sitecms.store.database import Database
from sitecms.store.engines.sqlite.database import SqliteDatabase
from sitecms.store.maintenance.readiness import look_at_store
from sitecms.store.schema.migrations import LATEST

pytestmark = pytest.mark.sqlite_only("test_postgres has the same of the other")


def test_a_sound_store_has_no_problem(store: Database) -> None:
    """Also while someone writes."""
    assert look_at_store(store.address).problems == ()
    with store.writing() as transaction:
        transaction.sql("UPDATE change_number SET number = 7")
        started = time.monotonic()
        assert look_at_store(store.address).problems == ()
        assert time.monotonic() - started < 1


def test_a_missing_and_a_damaged_store_are_told(store: Database, tmp_path: Path) -> None:
    """Without the path, which readers of /health need not know."""
    assert look_at_store(tmp_path / "none.db").problems == ("The store is missing.",)
    store.close()
    assert isinstance(store.address, Path)
    store.address.write_bytes(b"\xff" * 8192)
    assert look_at_store(store.address).problems == ("The store cannot be read.",)


@pytest.mark.parametrize(("version", "said"), [(LATEST + 1, "newer"), (LATEST - 1, "needs")])
def test_another_version_is_told(store: Database, version: int, said: str) -> None:
    """One that a newer sitecms has moved on, or that was put back from a backup."""
    with store.writing() as transaction:
        transaction.sql(f"PRAGMA user_version = {version}")
    (problem,) = look_at_store(store.address).problems
    assert said in problem


def test_a_store_kept_by_someone_alone_is_busy_within_two_seconds(store: Database) -> None:
    """Nobody who asks whether we are well waits half a minute."""
    with store.writing() as transaction:
        transaction.sql("SELECT 1")
    assert isinstance(store, SqliteDatabase)
    writer = store._writer
    writer.execute_sql("PRAGMA locking_mode = exclusive")
    writer.execute_sql("PRAGMA journal_mode = delete")
    writer.execute_sql("BEGIN EXCLUSIVE")
    started = time.monotonic()
    assert look_at_store(store.address).problems == ("The store is busy.",)
    assert time.monotonic() - started < 2
    writer.execute_sql("ROLLBACK")
