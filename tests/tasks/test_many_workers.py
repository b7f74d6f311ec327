"""Several workers on one host or many: one of them at a time does each kind of work, and another takes over."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from sitecms.actions.loading import load_site
from sitecms.actions.writing.entry_events import record_event
from sitecms.clock import now
from sitecms.content.status import Status
from sitecms.content.webhooks.event import Event, EventKind
from sitecms.runtime import Runtime, open_runtime
from sitecms.settings.current import CurrentSettings
from sitecms.settings.site import load_settings
from sitecms.store.site_state.site_builds import built_change, site_changes
from sitecms.tasks.background import PUBLISH, SWEEP, Background
from sitecms.tasks.periodic_work import HOUSEKEEPING, Rebuilder
from tests.support.durable_postgres import DurablePostgres
from tests.support.waiting import until

Make = Callable[..., int]
HOLDER = """
import sys, time
from pathlib import Path
from sitecms.settings.site import load_settings
from sitecms.store.writes.claims import site_locks
locks = site_locks(load_settings(Path(sys.argv[1])))
lock = locks.acquire(sys.argv[2])
print(lock is not None, flush=True)
time.sleep(60)
"""


@contextmanager
def held(folder: Path, name: str) -> Iterator[None]:
    """Hold a lock in another process, which is killed in the end."""
    command = [sys.executable, "-c", HOLDER, str(folder), name]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        yield
    finally:
        holder.kill()
        holder.communicate()


@pytest.mark.usefixtures("every_queue")
def test_one_worker_sweeps_at_a_time(runtime: Runtime, store_write: Callable[[], str]) -> None:
    """While another worker sweeps nothing is queued; when it is killed, the next worker sweeps at once."""
    workers = [Background(runtime.settings, runtime.database, runtime.clock) for _ in range(2)]
    store_write()
    with held(runtime.settings.folder, SWEEP):
        for worker in workers:
            worker.sweep()
        assert workers[0].queue.pending_count() == 0

    def sweeps() -> bool:
        for worker in workers:
            worker.sweep()
        return bool(workers[0].queue.pending_count() == 1)

    assert until(sweeps)
    for worker in workers:
        worker.close()


@pytest.mark.usefixtures("every_queue")
def test_one_worker_publishes_at_a_time(runtime: Runtime, make_post: Make, noon: datetime) -> None:
    """A due entry is published once, with one event."""
    make_post("due", status=Status.SCHEDULED, scheduled_at=noon)
    workers = [Background(runtime.settings, runtime.database, runtime.clock) for _ in range(2)]

    def changes() -> int:
        with runtime.database.reading() as session:
            return site_changes(session)

    with held(runtime.settings.folder, PUBLISH):
        workers[0]._publish_scheduled()
        assert changes() == 0

    def publishes() -> bool:
        for worker in workers:
            worker._publish_scheduled()
        return changes() == 1

    assert until(publishes)
    workers[1]._publish_scheduled()
    assert changes() == 1
    for worker in workers:
        worker.close()


@pytest.mark.usefixtures("every_queue")
def test_one_worker_removes_old_rows_at_a_time(runtime: Runtime) -> None:
    """While another worker holds the lock, housekeeping is tried again a minute later."""
    old = round((now() - timedelta(days=400)).timestamp() * 1e6)
    with runtime.database.writing() as transaction:
        transaction.sql(
            "INSERT INTO write (id, kind, operation, entry_key, entry_id, payload_json, status, attempt, errors_json,"
            " accepted_at, finished_at) VALUES ('w', 'post', 'create', 'k', 1, '{}', 'applied', 1, '{}', ?, ?)",
            old, old,
        )  # fmt: skip

    def writes() -> int:
        with runtime.database.reading() as session:
            return int(session.sql("SELECT count(*) FROM write")[0][0])

    work = Background(runtime.settings, runtime.database, runtime.clock)
    beside = work.periodic_work()
    beside._next_housekeeping = float("inf")
    with held(runtime.settings.folder, HOUSEKEEPING):
        beside._remove_expired()
        assert writes() == 1
        assert 50 < beside._next_housekeeping - time.monotonic() <= 60

    def keeps() -> bool:
        beside._remove_expired()
        return writes() == 0

    assert until(keeps)
    beside.stop()
    work.close()


@pytest.mark.slow
def test_each_host_builds_its_own_output(
    durable_postgres: DurablePostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hosts that share a store both build: each builds a change once, by one of its workers."""
    monkeypatch.setenv("SITECMS_STORE_URL", durable_postgres.new_database())
    one, two = tmp_path / "one", tmp_path / "two"
    posts = one / "content" / "posts"
    posts.mkdir(parents=True)
    settings = 'name = "Tide"\nowner = "ann"\n[search]\nenabled = false\n[share_images]\nenabled = false\n'
    settings += "[build]\non_publish = true\n"
    (one / "site.toml").write_text(settings, "utf-8")
    (one / "content" / "authors.yaml").write_text('- {slug: "ann", first_name: "Ann"}\n', "utf-8")
    (posts / "calm.md").write_text("---\ntitle: Calm\nstatus: published\n---\nNothing moves.\n", "utf-8")
    shutil.copytree(one, two)
    runtimes = [open_runtime(load_settings(folder), create=True) for folder in (one, two)]
    assert load_site(runtimes[0].database, runtimes[0].settings, now()).errors == ()
    rebuilders = [
        Rebuilder(CurrentSettings(runtime.settings), runtime.database) for runtime in runtimes for _ in range(2)
    ]
    with runtimes[0].database.writing() as transaction:
        transaction.sql("UPDATE version SET title = 'Storm' WHERE slug = 'calm'")
        record_event(transaction, Event(EventKind.POST_PUBLISHED, {}), now())
        number = site_changes(transaction)

    def built() -> bool:
        for rebuilder in rebuilders:
            rebuilder.step()
        return all(built_change(folder / ".sitecms") == number for folder in (one, two))

    assert until(built)
    for rebuilder in rebuilders:
        assert rebuilder._build is None
    for folder in (one, two):
        assert "Storm" in (folder / "public" / "blog" / "calm" / "index.html").read_text("utf-8")
    for runtime in runtimes:
        runtime.database.close()
