"""Whoever queues something wakes the workers at once; a bell that nobody listens to harms no one."""

import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from queue import SimpleQueue

from sitecms.runtime import Runtime
from sitecms.tasks import Background
from sitecms.tasks.wake_up import Bells

Working = Callable[[], AbstractContextManager[Background]]
PATIENCE_SECONDS = 15.0


def until(happened: Callable[[], bool]) -> bool:
    """Wait for it; False if it does not happen in time."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


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
    program = "import os, sys; from pathlib import Path; from sitecms.tasks.wake_up import Bells; "
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
    runtime: Runtime, store_write: Callable[[], str], applied: Callable[[str], bool], working: Working
) -> None:
    """Where no bell can hang, a hint is found within a tenth of a second all the same."""
    runtime.settings.queue_path.with_name("bells").write_text("in the way")
    with working() as work:
        write_id = store_write()
        work.hint(write_id)
        assert applied(write_id)


def test_the_bell_goes_with_its_worker(runtime: Runtime, working: Working) -> None:
    """It hangs while the worker runs, and leaves nothing."""
    bells = runtime.settings.queue_path.with_name("bells")
    with working():
        assert until(lambda: bells.is_dir() and [path.suffix for path in bells.iterdir()] == [".bell"])
    assert not list(bells.iterdir())


def test_a_bell_is_private(tmp_path: Path) -> None:
    """No one else on the machine may ring it."""
    assert Bells(tmp_path / "bells").hang() is not None
    (path,) = (tmp_path / "bells").iterdir()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600  # noqa: PTH116
