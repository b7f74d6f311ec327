"""The queue carries JSON, and a worker process publishes what is due."""

import signal
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

import orjson
import pytest
from huey.registry import Message

from sitecms.clock import now
from sitecms.content.status import Status
from sitecms.errors import NotFound
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.tasks.background import Background, run_worker
from sitecms.tasks.queue import JsonSerializer
from tests.support.commands import CommandServer
from tests.support.reading import get_post
from tests.support.waiting import PATIENCE_SECONDS, until

Make = Callable[..., int]
Working = Callable[..., AbstractContextManager[Background]]


def is_published(store: Database, slug: str) -> bool:
    """Return whether readers see the post."""
    try:
        store.read(get_post, slug)
    except NotFound:
        return False
    return True


def background(runtime: Runtime) -> Background:
    """Return the queue of the site."""
    return Background(runtime.settings, runtime.database, runtime.clock)


def test_messages_round_trip_as_json() -> None:
    """Times, which are text in JSON, are times again."""
    message = Message("1", "sitecms.apply", datetime(2026, 3, 1, 12), 2, 5, None, ["w-1"], {"attempt": 1})  # noqa: DTZ001
    data = JsonSerializer().serialize(message)
    assert orjson.loads(data)["args"] == ["w-1"]
    assert JsonSerializer().deserialize(data) == message


def test_objects_and_pickles_are_refused() -> None:
    """Arguments of a task are ids, and no pickle is ever read."""
    with pytest.raises(TypeError):
        JsonSerializer().serialize(Message("1", "sitecms.apply", args=[object()]))
    with pytest.raises(orjson.JSONDecodeError):
        JsonSerializer().deserialize(b"\x80\x04N.")


@pytest.mark.usefixtures("every_queue")
def test_sweep_queues_due_work_once_and_again_after_a_loss(runtime: Runtime, make_post: Make, noon: datetime) -> None:
    """Due work is queued once, however often the sweep runs, and once more after the queue is emptied."""
    work = background(runtime)
    work.sweep()
    assert work.queue.pending_count() == 0
    make_post("due", status=Status.SCHEDULED, scheduled_at=noon)
    work.sweep()
    work.sweep()
    assert work.queue.pending_count() == 1
    assert work.queue.dequeue() is not None  # by a worker that is killed
    work.sweep()
    work.queue.execute(work.queue.dequeue())
    assert is_published(runtime.database, "due")
    work.sweep()
    assert work.queue.pending_count() == 0
    work.close()


@pytest.mark.usefixtures("every_queue")
def test_worker_stops_within_seconds(runtime: Runtime, make_post: Make, noon: datetime) -> None:
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
@pytest.mark.parametrize("ending", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_worker_process_publishes_a_scheduled_post(
    runtime: Runtime, make_post: Make, ending: signal.Signals, command_server: CommandServer
) -> None:
    """`sitecms worker` alone: a post due in a second is published soon after; the process ends cleanly on a signal."""
    at = now() + timedelta(seconds=1)
    make_post("soon", status=Status.SCHEDULED, scheduled_at=at)
    process = command_server.start("worker", runtime.settings.folder)
    try:
        assert until(lambda: is_published(runtime.database, "soon"))
        assert runtime.database.read(get_post, "soon").published_at == at
    finally:
        process.send_signal(ending)
        out, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0
    assert out == "sitecms works in the background for Tide.\n"
    assert "Traceback" not in errors
    assert [orjson.loads(line)["event"] for line in errors.splitlines()] == ["published_scheduled"]


@pytest.mark.usefixtures("every_queue")
def test_write_is_applied_soon_after_its_hint(
    runtime: Runtime, store_write: Callable[[], str], applied: Callable[[str], bool], working: Working
) -> None:
    """The best of seven hints from another queue object, as in another process; no sweep finds the writes."""
    web = background(runtime)
    waits = []
    with working(sweep_seconds=3600.0):
        for _ in range(7):
            time.sleep(0.07)
            write_id = store_write()
            begun = time.monotonic()
            web.hint(write_id)
            assert applied(write_id)
            waits.append(time.monotonic() - begun)
    web.close()
    assert min(waits) < 0.5, waits


@pytest.mark.parametrize("is_damaged", [False, True])
def test_file_of_the_queue_is_replaced(runtime: Runtime, *, is_damaged: bool) -> None:
    """One that was deleted or damaged while processes use it costs the hints that it had, and no later ones."""
    web, worker, path = background(runtime), background(runtime), runtime.settings.queue_path
    web._send_hint("w-lost")
    assert worker.queue.pending_count() == 1
    if is_damaged:
        for file in path.parent.glob("queue.db*"):
            file.write_bytes(b"damaged" * 10_000)
        web._send_hint("w-also-lost")
    else:
        path.unlink()
    web._send_hint("w-1")
    assert [hint.args for hint in iter(worker.queue.dequeue, None)] == [["w-1"]]
    assert path.stat().st_mode & 0o077 == 0
    web.close()
    worker.close()


@pytest.mark.usefixtures("every_queue")
def test_hints_are_taken_once_in_order(runtime: Runtime) -> None:
    """Each hint is taken once, in the order of the queue."""
    web, worker = background(runtime), background(runtime)
    for number in range(3):
        web._send_hint(f"w-{number}")
    assert until(lambda: worker.queue.pending_count() == 3)
    args = [worker.queue.dequeue().args for _ in range(3)]
    assert args == [["w-0"], ["w-1"], ["w-2"]]
    assert (web.queue.pending_count(), web.queue.dequeue()) == (0, None)
    web.close()
    worker.close()
