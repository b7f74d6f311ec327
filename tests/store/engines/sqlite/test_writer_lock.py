"""The lock by which SQLite's writers queue: one at a time, and free as soon as its process ends."""

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
from tests.support.reading import execute, select
from tests.support.waiting import PATIENCE_SECONDS

HOLD = (
    "import sys, time; from pathlib import Path; from sitecms.store.engines.sqlite.database import WriterLock\n"
    "with WriterLock(Path(sys.argv[1])).held():\n    print('held', flush=True)\n    time.sleep(60)"
)


@pytest.mark.sqlite_only("is about the lock file beside it")
def test_write_waits_until_the_process_that_holds_the_lock_ends(store: Database) -> None:
    """The write waits while another process holds the lock, and runs at once when that process is killed."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(store.address)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    written = threading.Event()

    def write() -> None:
        execute(store, "UPDATE change_number SET number = 40")
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
    assert time.monotonic() - killed < 20
    thread.join()
    assert store.change_number() == 41


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    """Of three threads that keep acquiring the lock, never two hold it, and each gets it."""
    inside, most, counts = [0], [0], [0, 0, 0]

    def work(number: int, lock: WriterLock) -> None:
        for _ in range(200):
            with lock.held():
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
def test_writes_work_without_a_lock_file(store: Database) -> None:
    """Where no lock file can be made, SQLite's own locks separate the writers."""
    store.close()
    assert isinstance(store.address, Path)
    store.address.with_suffix(".lock").unlink(missing_ok=True)
    store.address.with_suffix(".lock").mkdir()
    opened = open_database(store.address)
    execute(opened, "UPDATE change_number SET number = 7")
    assert opened.change_number() == 8
    opened.close()


@pytest.mark.parametrize("is_durable", [True, False])
def test_durable_and_other_writes_are_visible_or_undone(
    store: Database, is_durable: bool, make_author: Callable[..., str]
) -> None:
    """A commit that does not wait for the disk is visible to every connection, and survives its own; errors undo it."""
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
    assert select(other, "SELECT name FROM document WHERE name IN ('a', 'b')") == [("a",)]
    other.close()
