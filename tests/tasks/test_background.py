"""The queue carries JSON, and a worker process publishes what is due."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from pathlib import Path

import orjson
import pytest
from huey.registry import Message

from sitecms.clock import now
from sitecms.content.status import Status
from sitecms.errors import NotFound
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.store.entries.posts import get_post
from sitecms.tasks import Background, JsonSerializer, run_worker

Make = Callable[..., int]
Working = Callable[[], AbstractContextManager[Background]]
PATIENCE_SECONDS = 15.0


def is_published(store: Database, slug: str) -> bool:
    """Whether readers see the post."""
    try:
        with store.reading() as session:
            get_post(session, slug)
    except NotFound:
        return False
    return True


def until(happened: Callable[[], bool]) -> bool:
    """Wait for it; False if it does not happen in time."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def background(runtime: Runtime) -> Background:
    """The site's queue."""
    return Background(runtime.settings, runtime.database, runtime.clock)


def test_messages_are_json_and_come_back_whole() -> None:
    """Times included, which JSON knows as text only."""
    message = Message("1", "sitecms.apply", datetime(2026, 3, 1, 12), 2, 5, None, ["w-1"], {"attempt": 1})  # noqa: DTZ001
    data = JsonSerializer().serialize(message)
    assert orjson.loads(data)["args"] == ["w-1"]
    assert JsonSerializer().deserialize(data) == message


def test_what_is_no_plain_data_is_refused() -> None:
    """A task gets ids, never objects; and no pickle is ever read."""
    with pytest.raises(TypeError):
        JsonSerializer().serialize(Message("1", "sitecms.apply", args=[object()]))
    with pytest.raises(orjson.JSONDecodeError):
        JsonSerializer().deserialize(b"\x80\x04N.")


@pytest.mark.usefixtures("every_queue")
def test_the_sweep_dispatches_once_and_the_queue_survives_its_loss(
    runtime: Runtime, make_post: Make, noon: datetime
) -> None:
    """Nothing due: nothing queued. Due: one task, however often the sweep looks, and again after the queue is lost."""
    work = background(runtime)
    work.sweep()
    assert work.queue.pending_count() == 0
    make_post("due", status=Status.SCHEDULED, scheduled_at=noon)
    work.sweep()
    work.sweep()
    assert work.queue.pending_count() == 1
    work.queue.flush()
    work.sweep()
    work.queue.execute(work.queue.dequeue())
    assert is_published(runtime.database, "due")
    work.sweep()
    assert work.queue.pending_count() == 0
    work.close()


@pytest.mark.usefixtures("every_queue")
def test_a_worker_ends_when_told(runtime: Runtime, make_post: Make, noon: datetime) -> None:
    """It publishes what is due, and stops within seconds after the event is set."""
    make_post("due", status=Status.SCHEDULED, scheduled_at=noon)
    stop = threading.Event()
    worker = threading.Thread(target=run_worker, args=(background(runtime), stop))
    worker.start()
    try:
        assert until(lambda: is_published(runtime.database, "due"))
    finally:
        stop.set()
        worker.join(PATIENCE_SECONDS)
    assert not worker.is_alive()


@pytest.mark.usefixtures("every_queue")
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_process_publishes_a_scheduled_post(runtime: Runtime, make_post: Make, ending: signal.Signals) -> None:
    """`sitecms worker` alone: a post due in a second is published soon after; the process ends cleanly on a signal."""
    at = now() + timedelta(seconds=1)
    make_post("soon", status=Status.SCHEDULED, scheduled_at=at)
    folder: Path = runtime.settings.folder
    process = subprocess.Popen(
        [sys.executable, "-m", "sitecms", "worker", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert until(lambda: is_published(runtime.database, "soon"))
        with runtime.database.reading() as session:
            assert get_post(session, "soon").published_at == at
    finally:
        process.send_signal(ending)
        out, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0
    assert out == b"sitecms works in the background for Tide.\n"
    assert b"Traceback" not in errors
    assert [orjson.loads(line)["event"] for line in errors.splitlines()] == ["published_scheduled"]


@pytest.mark.usefixtures("every_queue")
def test_a_hint_wakes_a_worker_at_once(
    runtime: Runtime, store_write: Callable[[], str], applied: Callable[[str], bool], working: Working
) -> None:
    """From another queue object, as in another process: far sooner than the worker would look by itself."""
    web = background(runtime)
    waits = []
    with working():
        for _ in range(7):
            time.sleep(0.07)
            write_id = store_write()
            begun = time.monotonic()
            web.hint(write_id)
            assert applied(write_id)
            waits.append(time.monotonic() - begun)
    web.close()
    assert sorted(waits)[3] < 0.1, waits


@pytest.mark.usefixtures("every_queue")
def test_hints_are_few_words_of_json(runtime: Runtime) -> None:
    """First in, first out, each once, whoever asks."""
    web, worker = background(runtime), background(runtime)
    for number in range(3):
        web._send_hint(f"w-{number}")
    assert until(lambda: worker.queue.pending_count() == 3)
    args = [worker.queue.dequeue().args for _ in range(3)]
    assert args == [["w-0"], ["w-1"], ["w-2"]]
    assert (web.queue.pending_count(), web.queue.dequeue()) == (0, None)
    web.close()
    worker.close()
