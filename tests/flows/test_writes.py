"""Writes against a real server: races for what is unique, how soon they show, and that none needs the queue."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import requests

from sitecms.runtime import Runtime
from tests.support.commands import CommandServer

Serve = Callable[..., Any]
Until = Callable[..., bool]
EIGHT = 8


def at_once(send: Callable[[int], requests.Response]) -> list[requests.Response]:
    """Eight requests that start together."""
    barrier = Barrier(EIGHT)

    def one(number: int) -> requests.Response:
        barrier.wait()
        return send(number)

    with ThreadPoolExecutor(EIGHT) as pool:
        return list(pool.map(one, range(EIGHT)))


def post_one(server: Any, body: object, _number: int) -> requests.Response:
    """The same post, whoever sends it."""
    answered: requests.Response = server.send("POST", "/v2/posts/", body)
    return answered


@pytest.mark.slow
def test_eight_writers_make_one_post_of_a_slug_and_one_last_item(serve: Serve, until: Until, runtime: Runtime) -> None:
    """One is accepted: the others are 400 under `slug`, ten times in a row, or 400 {error} where one place is free."""
    settings = runtime.settings.folder / "site.toml"
    settings.write_text(settings.read_text() + "\n[limits]\ncollection_items = 3\n")
    server = serve("--workers", "2")
    for turn in range(10):
        body = {"title": "Ebb", "slug": f"ebb-{turn}", "status": "published"}
        answered = at_once(partial(post_one, server, body))
        assert sorted(each.status_code for each in answered) == [202, *[400] * 7]
        assert all(list(each.json()) == ["slug"] for each in answered if each.status_code == 400)
    assert until(lambda: server.send("GET", "/v2/posts/").json()["meta"]["count"] == 10)
    item = {"key": "team", "status": "published", "fields": [{"name": "Ann"}, {"name": "Bo"}]}
    assert server.send("POST", "/v2/content/", item).status_code == 202
    answered = at_once(lambda number: server.send("POST", "/v2/content/", {**item, "fields": {"name": str(number)}}))
    assert sorted(each.status_code for each in answered) == [202, *[400] * 7]
    assert all(list(each.json()) == ["error"] for each in answered if each.status_code == 400)
    assert until(lambda: server.send("GET", "/v2/content/team/").json()["meta"]["count"] == 3)


def test_a_write_shows_soon(serve: Serve, until: Until) -> None:
    """The best of eight within 600 ms: the worker is woken, and does not wait to look by itself.

    It looks once a second, so a write that follows one which was found in this way would take that second.
    """
    server = serve("--workers", "1")
    waits = []
    for number in range(9):
        start = time.monotonic()
        accepted = server.send("POST", "/v2/posts/", {"title": f"Post {number}", "status": "published"})
        assert accepted.json() == {"status": "pending"}
        path = f"/v2/posts/post-{number}/"
        assert until(lambda path=path: server.send("GET", path).status_code == 200, pause=0.005)
        waits.append(time.monotonic() - start)
    assert min(waits[1:]) < 0.6, waits


@pytest.mark.slow
@pytest.mark.sqlite_only("deletes the file of the queue; test_crash_storm_servers empties the others")
def test_without_queue_and_worker_nothing_is_lost(
    serve: Serve, until: Until, runtime: Runtime, command_server: CommandServer
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
