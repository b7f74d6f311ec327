"""Writes against a real server: how soon they show, and that none needs the queue."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sitecms.runtime import Runtime
from tests.support.commands import CommandServer
from tests.support.waiting import until

Serve = Callable[..., Any]


def is_shown(server: Any, path: str) -> bool:
    """Return whether readers get an answer."""
    return bool(server.send("GET", path).status_code == 200)


def test_a_write_shows_soon(serve: Serve) -> None:
    """The best of eight within 600 ms: the worker is woken, and does not wait to look by itself.

    It looks once a second, so a write that follows one which was found in this way would take that second.
    """
    server = serve("--workers", "1")
    waits = []
    for number in range(9):
        start = time.monotonic()
        accepted = server.send("POST", "/v2/posts/", {"title": f"Post {number}", "status": "published"})
        assert accepted.json() == {"status": "pending"}
        assert until(partial(is_shown, server, f"/v2/posts/post-{number}/"), pause=0.005)
        waits.append(time.monotonic() - start)
    assert min(waits[1:]) < 0.6, waits


@pytest.mark.slow
@pytest.mark.sqlite_only("deletes the file of the queue; test_crash_storm_servers empties the others")
def test_without_queue_and_worker_nothing_is_lost(
    serve: Serve, runtime: Runtime, command_server: CommandServer
) -> None:
    """What was accepted with no worker about, and its queue deleted, is applied by the next one that comes."""
    server = serve("--no-worker", "--workers", "1")
    created = server.send("POST", "/v2/posts/", {"title": "Ebb", "status": "published"})
    updated = server.send("PATCH", "/v2/posts/ebb/", {"summary": "later"})
    runtime.settings.queue_path.unlink()
    assert server.send("GET", created.headers["Location"]).json()["status"] == "accepted"
    worker = command_server.start("worker", runtime.settings.folder)
    try:
        assert until(lambda: server.send("GET", updated.headers["Location"]).json()["status"] == "applied")
        assert server.send("GET", "/v2/posts/ebb/").json()["data"]["summary"] == "later"
        for path in queue_files(runtime.settings.queue_path):
            path.unlink()
        late = server.send("PATCH", "/v2/posts/ebb/", {"summary": "last"})
        assert until(lambda: server.send("GET", late.headers["Location"]).json()["status"] == "applied")
    finally:
        worker.terminate()
        worker.communicate(30)
    assert worker.returncode == 0
    assert list(runtime.settings.workers_dir.iterdir()) == []


def queue_files(path: Path) -> list[Path]:
    """The queue's file and those that SQLite keeps beside it."""
    return [each for each in path.parent.iterdir() if each.name.startswith(path.name)]
