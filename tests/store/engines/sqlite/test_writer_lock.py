"""Writers of several processes take turns, and nobody who dies keeps the others waiting."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sitecms.store.database import Database
from sitecms.store.engines.sqlite.database import WriterLock
from sitecms.store.opening import open_database

PATIENCE_SECONDS = 20.0
HOLD = (
    "import sys, time; from pathlib import Path; from sitecms.store.engines.sqlite.database import WriterLock\n"
    "with WriterLock(Path(sys.argv[1])).held():\n    print('held', flush=True)\n    time.sleep(60)"
)


@pytest.mark.sqlite_only("is about the lock file beside it")
def test_a_writer_waits_for_another_process_and_for_no_dead_one(store: Database) -> None:
    """Another process holds the turn: the write waits; it is killed with -9: the write goes on at once."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(store.address)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    written = threading.Event()

    def write() -> None:
        with store.writing() as transaction:
            transaction.sql("UPDATE change_number SET number = 40")
        written.set()
        store.close()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert not written.wait(0.3)
    finally:
        holder.kill()
        holder.communicate()
    killed = time.monotonic()
    assert written.wait(PATIENCE_SECONDS)
    assert time.monotonic() - killed < 1
    thread.join()
    assert store.change_number() == 41


def test_turns_are_alone(tmp_path: Path) -> None:
    """Three that want the same turn again and again are never within it together, and each gets it."""
    inside, most, counts = [0], [0], [0, 0, 0]

    def work(number: int, turns: WriterLock) -> None:
        for _ in range(200):
            with turns.held():
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                time.sleep(0)
                inside[0] -= 1
                counts[number] += 1

    threads = [threading.Thread(target=work, args=(number, WriterLock(tmp_path / "store.db"))) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert (most, counts) == ([1], [200, 200, 200])


@pytest.mark.sqlite_only("is about the lock file beside it")
def test_without_a_lock_file_writing_goes_on(store: Database) -> None:
    """Where there can be none, SQLite's own locks keep writers apart."""
    store.close()
    assert isinstance(store.address, Path)
    store.address.with_suffix(".lock").unlink(missing_ok=True)
    store.address.with_suffix(".lock").mkdir()
    opened = open_database(store.address)
    with opened.writing() as transaction:
        transaction.sql("UPDATE change_number SET number = 7")
    assert opened.change_number() == 8
    opened.close()


@pytest.mark.parametrize("is_durable", [True, False])
def test_both_ways_of_writing_are_seen_and_undone(
    store: Database, is_durable: bool, make_author: Callable[..., str]
) -> None:
    """What was written without waiting for the disk is seen by every connection at once, and outlives its own."""
    with store.writing(is_durable=is_durable) as transaction:
        transaction.sql("INSERT INTO document VALUES ('a', '1')")

    def fail() -> None:
        with store.writing(is_durable=is_durable) as transaction:
            transaction.sql("INSERT INTO document VALUES ('b', '1')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    store.close()
    other = open_database(store.address)
    with other.reading() as session:
        assert session.sql("SELECT name FROM document WHERE name IN ('a', 'b')") == [("a",)]
    other.close()
