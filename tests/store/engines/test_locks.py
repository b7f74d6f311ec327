"""Locks by name end with their holder, whether files or a server keep them; who lost them can end nothing."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.writes import Operation, Save, Write, WriteStatus
from sitecms.errors import StoreUnusable
from sitecms.runtime import open_runtime
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import load_settings
from sitecms.store.engines.locks import LockFiles, Locks, try_lock
from sitecms.store.engines.postgres.locks import PostgresLocks
from sitecms.store.writes.claims import Membership
from sitecms.store.writes.writes import ClaimLost, claim, finish, insert_write
from tests.support.durable_postgres import DurablePostgres
from tests.support.waiting import PATIENCE_SECONDS

HOLDER = """
import sys, time
from pathlib import Path
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.locks import LockFiles
from sitecms.store.engines.postgres.locks import PostgresLocks
where = sys.argv[1]
locks = PostgresLocks(ServiceUrl(where)) if "://" in where else LockFiles(Path(where))
lock = locks.acquire("sweep")
print(lock is not None, flush=True)
time.sleep(60)
"""


@pytest.fixture(params=["files", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Address of the locks: a folder, or a database."""
    if request.param == "files":
        return str(tmp_path / "workers")
    return str(request.getfixturevalue("durable_postgres").new_database())


@pytest.fixture
def new_locks(place: str) -> Iterator[Callable[[], Locks]]:
    """Return the locks as another process has them."""
    made: list[Locks] = []

    def make() -> Locks:
        made.append(PostgresLocks(ServiceUrl(place)) if "://" in place else LockFiles(Path(place)))
        return made[-1]

    yield make
    for locks in made:
        locks.close()


def happens(check: Callable[[], bool]) -> bool:
    """Return whether it happens in time."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not check():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_lock_has_one_holder(new_locks: Callable[[], Locks]) -> None:
    """No process can acquire a held lock, its own included; released, any can; other names are other locks."""
    one, other = new_locks(), new_locks()
    lock = one.acquire("sweep")
    assert lock is not None
    assert (one.acquire("sweep"), other.acquire("sweep")) == (None, None)
    assert (one.is_held("sweep"), other.is_held("sweep"), other.is_held("publish")) == (True, True, False)
    assert lock.is_held()
    beside = other.acquire("publish")
    assert beside is not None
    lock.release()
    assert (lock.is_held(), one.is_held("sweep")) == (False, False)
    lock.release()
    again = other.acquire("sweep")
    assert again is not None
    lock.release()
    assert again.is_held()
    assert one.is_held("sweep")


def test_one_of_many_threads_holds_the_lock(new_locks: Callable[[], Locks]) -> None:
    """Of twelve threads that act as processes, never two hold the lock, and each gets it ten times."""
    inside, most, turns = [0], [0], [0]
    guard = threading.Lock()

    def work() -> None:
        locks, own = new_locks(), 0
        while own < 10:
            with try_lock(locks, "sweep") as is_locked:
                if not is_locked:
                    time.sleep(0.001)
                    continue
                with guard:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                time.sleep(0.0005)
                own += 1
                with guard:
                    inside[0] -= 1
                    turns[0] += 1

    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert (most, turns) == ([1], [120])


def test_lock_ends_with_its_process(place: str, new_locks: Callable[[], Locks]) -> None:
    """The lock of a killed process can be acquired at once."""
    locks = new_locks()
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, place], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert locks.is_held("sweep")
        assert locks.acquire("sweep") is None
    finally:
        holder.kill()
        holder.communicate()
    assert happens(lambda: not locks.is_held("sweep"))
    assert locks.acquire("sweep") is not None


def test_unique_locks_leave_no_files(tmp_path: Path) -> None:
    """Files of released locks and of ended processes are removed; those of shared names stay."""
    folder = tmp_path / "workers"
    locks = LockFiles(folder)
    folder.mkdir()
    (folder / "77-dead.lock").touch()
    own = locks.acquire_unique()
    assert [path.name for path in folder.iterdir()] == [f"{own.name}.lock"]
    assert locks.is_held(own.name)
    own.release()
    assert list(folder.iterdir()) == []
    for _ in range(2):
        shared = locks.acquire("sweep")
        assert shared is not None
        shared.release()
        assert [path.name for path in (tmp_path / "once").iterdir()] == ["sweep.lock"]


def test_unique_lock_is_held_while_others_prune(new_locks: Callable[[], Locks]) -> None:
    """A new unique lock is held at once, even while other processes prune old files."""
    lost: list[str] = []

    def work() -> None:
        locks = new_locks()
        for _ in range(40):
            own = locks.acquire_unique()
            if not locks.is_held(own.name):
                lost.append(own.name)
            own.release()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert lost == []


@pytest.mark.slow
def test_server_restart_releases_all_locks(durable_postgres: DurablePostgres) -> None:
    """The holder notices that its lock is lost, and gets another name once the server is back."""
    locks = PostgresLocks(ServiceUrl(durable_postgres.new_database()))
    membership = Membership(locks)
    first = membership.name()
    assert membership.name() == first
    assert locks.is_held(first)
    durable_postgres.stop()
    try:
        assert not membership.is_now(first)
        with pytest.raises(StoreUnusable, match=r"cannot be reached") as caught:
            membership.name()
        assert "hush" not in str(caught.value)
    finally:
        durable_postgres.start()
    second = membership.name()
    assert second != first
    assert (locks.is_held(first), locks.is_held(second)) == (False, True)
    locks.close()


def test_worker_that_lost_its_lock_cannot_finish_a_write(
    durable_postgres: DurablePostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, noon: datetime
) -> None:
    """Its claim has passed to another worker; it claims under a new name."""
    url = durable_postgres.new_database()
    monkeypatch.setenv("SITECMS_STORE_URL", url)
    (tmp_path / "site.toml").write_text('name = "Tide"\n', "utf-8")
    store = open_runtime(load_settings(tmp_path), create=True).database
    mine, others = PostgresLocks(ServiceUrl(url)), PostgresLocks(ServiceUrl(url))
    me, other = Membership(mine), Membership(others)
    with store.writing() as transaction:
        insert_write(transaction, write_at(noon))
        held = claim(transaction, "post/a", me.name(), mine.is_held, noon)
    assert held is not None
    assert store.write(claim, "post/a", other.name(), others.is_held, noon) is None
    cut_off(url, mine)
    taken = store.write(claim, "post/a", other.name(), others.is_held, noon)
    assert taken is not None
    assert taken.attempt == held.attempt + 1
    former = held_by(me)
    assert me.name() != former
    for name in (former, me.name()):
        with pytest.raises(ClaimLost), store.writing() as transaction:
            finish(transaction, held, name, WriteStatus.APPLIED, noon)
    store.write(finish, taken, other.name(), WriteStatus.APPLIED, noon)
    mine.close()
    others.close()
    store.close()


def held_by(membership: Membership) -> str:
    """Return the name that it claimed with last."""
    owner: Any = membership._owner
    return str(owner.name)


def write_at(at: datetime) -> Write:
    """Return an open write."""
    return Write(
        id="w", sequence=0, kind=EntryKind.POST, operation=Operation.UPDATE, entry_key="post/a", entry_id=7,
        payload=Save(),
        status=WriteStatus.ACCEPTED, attempt=0, errors={}, accepted_at=at, finished_at=None,
    )  # fmt: skip


def cut_off(url: str, locks: PostgresLocks) -> None:
    """Let the server end the connection, as it does when a host stops responding."""
    held: Any = locks._connection
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (held.raw.info.backend_pid,))
