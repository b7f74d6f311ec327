"""Whoever queues something wakes the workers at once; a bell that nobody listens to harms no one."""

import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

import pytest

from sitecms.content.token import Scope
from sitecms.runtime import Runtime
from sitecms.tasks import Background, run_worker
from sitecms.tasks.bells import Bells

PATIENCE_SECONDS = 15.0


def test_one_thread_answers_a_ring(tmp_path: Path) -> None:
    """Of three that listen one has heard it, and the others go on as if nothing was; it may pass it on."""
    bells = Bells(tmp_path / "bells")
    bell = bells.hang()
    assert bell is not None
    heard: SimpleQueue[bool] = SimpleQueue()
    listening = [threading.Thread(target=lambda: heard.put(bell.wait(0.5))) for _ in range(3)]
    for thread in listening:
        thread.start()
    time.sleep(0.05)
    bells.ring()
    answers = [heard.get(timeout=PATIENCE_SECONDS) for _ in range(3)]
    assert answers.count(True) == 1
    bell.pass_on()
    assert bell.wait(0)


def test_a_bell_that_is_not_rung_is_quiet(tmp_path: Path) -> None:
    """It waits for as long as it is told; a ring before counts, and any number of them counts once."""
    bells = Bells(tmp_path / "bells")
    bell = bells.hang()
    assert bell is not None
    begun = time.monotonic()
    assert not bell.wait(0.1)
    assert time.monotonic() - begun >= 0.09
    for _ in range(100_000):  # more than a pipe holds
        bell.pass_on()
    bells.ring()
    assert bell.wait(0)
    assert not bell.wait(0)


def test_dead_bells_are_taken_down(tmp_path: Path) -> None:
    """What a killed worker left is removed with the next ring; what is no bell is left alone."""
    folder = tmp_path / "bells"
    program = "import os, sys; from pathlib import Path; from sitecms.tasks.bells import Bells; "
    program += "b = Bells(Path(sys.argv[1])).hang(); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", program, str(folder)], check=False)
    assert [path.suffix for path in folder.iterdir()] == [".bell"]
    (folder / "notes.txt").write_text("x")
    living = Bells(folder).hang()
    assert living is not None
    Bells(folder).ring()
    assert living.wait(0)
    assert sorted(path.suffix for path in folder.iterdir()) == [".bell", ".txt"]
    living.take_down()
    assert [path.suffix for path in folder.iterdir()] == [".txt"]


def test_without_named_pipes_the_queue_is_polled(
    runtime: Runtime, store_write: Callable[[], str], applied: Callable[[str], bool]
) -> None:
    """Where no bell can hang, a hint is found within a tenth of a second all the same."""
    runtime.settings.queue_path.with_name("bells").write_text("in the way")
    work = Background(runtime.settings, runtime.database, runtime.clock)
    stop = threading.Event()
    worker = threading.Thread(target=run_worker, args=(work, stop))
    worker.start()
    try:
        write_id = store_write()
        work.hint(write_id)
        assert applied(write_id)
    finally:
        stop.set()
        worker.join(PATIENCE_SECONDS)
    assert not worker.is_alive()


def test_a_hint_wakes_a_worker_at_once(
    runtime: Runtime, store_write: Callable[[], str], applied: Callable[[str], bool]
) -> None:
    """From another queue object, as in another process: far sooner than the worker would look by itself."""
    stop = threading.Event()
    listening = Background(runtime.settings, runtime.database, runtime.clock)
    worker = threading.Thread(target=run_worker, args=(listening, stop))
    web = Background(runtime.settings, runtime.database, runtime.clock)
    worker.start()
    try:
        waits = []
        for _ in range(7):
            time.sleep(0.07)
            write_id = store_write()
            begun = time.monotonic()
            web.hint(write_id)
            assert applied(write_id)
            waits.append(time.monotonic() - begun)
    finally:
        stop.set()
        worker.join(PATIENCE_SECONDS)
        web.queue.storage.close()
    assert sorted(waits)[3] < 0.1, waits
    assert not list(runtime.settings.queue_path.with_name("bells").iterdir())


def test_a_bell_is_private(tmp_path: Path) -> None:
    """No one else on the machine may ring it."""
    assert Bells(tmp_path / "bells").hang() is not None
    (path,) = (tmp_path / "bells").iterdir()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600  # noqa: PTH116


@pytest.fixture
def store_write(runtime: Runtime, make_author: Callable[..., str], make_token: Callable[..., str]) -> Callable[[], str]:
    """Accept a new post; the id of the write. Nobody is told of it."""
    from sitecms.api.app import create_app

    make_author()
    secret = make_token("w", Scope.WRITE)
    client = create_app(runtime, hint=lambda _write_id: None).test_client()

    def write() -> str:
        answered = client.post("/v2/posts/", json={"title": "Ebb"}, headers={"Authorization": f"Token {secret}"})
        assert answered.status_code == 202, answered.text
        return str(answered.headers["Location"].split("/")[3])

    return write


@pytest.fixture
def applied(runtime: Runtime) -> Callable[[str], bool]:
    """Wait until a write is applied; False if it is not in time."""

    def wait(write_id: str) -> bool:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            with runtime.database.reading() as session:
                if session.sql("SELECT status FROM write WHERE id = ?", write_id) == [("applied",)]:
                    return True
            time.sleep(0.002)
        return False

    return wait
