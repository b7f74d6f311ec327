"""Whether the store can be read: looked at in passing, without waiting for anyone."""

import time
from pathlib import Path

import pytest

from sitecms.store.database import Database
from sitecms.store.migrations import LATEST
from sitecms.store.readiness import store_problems


def test_a_sound_store_has_no_problem(store: Database) -> None:
    """Also while someone writes."""
    assert store_problems(store.path) == ()
    with store.writing() as transaction:
        transaction.sql("UPDATE change_number SET number = 7")
        started = time.monotonic()
        assert store_problems(store.path) == ()
        assert time.monotonic() - started < 1


def test_a_missing_and_a_damaged_store_are_told(store: Database, tmp_path: Path) -> None:
    """Without the path, which readers of /health need not know."""
    assert store_problems(tmp_path / "none.db") == ("The store is missing.",)
    store.close()
    store.path.write_bytes(b"\xff" * 8192)
    assert store_problems(store.path) == ("The store cannot be read.",)


@pytest.mark.parametrize(("version", "said"), [(LATEST + 1, "newer"), (LATEST - 1, "needs")])
def test_another_version_is_told(store: Database, version: int, said: str) -> None:
    """One that a newer sitecms has moved on, or that was put back from a backup."""
    with store.writing() as transaction:
        transaction.sql(f"PRAGMA user_version = {version}")
    (problem,) = store_problems(store.path)
    assert said in problem


def test_a_store_kept_by_someone_alone_is_busy_within_two_seconds(store: Database) -> None:
    """Nobody who asks whether we are well waits half a minute."""
    with store.writing() as transaction:
        transaction.sql("SELECT 1")
    writer = store._writer
    writer.execute_sql("PRAGMA locking_mode = exclusive")
    writer.execute_sql("PRAGMA journal_mode = delete")
    writer.execute_sql("BEGIN EXCLUSIVE")
    started = time.monotonic()
    assert store_problems(store.path) == ("The store is busy.",)
    assert time.monotonic() - started < 2
    writer.execute_sql("ROLLBACK")
