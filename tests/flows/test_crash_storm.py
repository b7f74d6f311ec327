"""The promise: 202 means kept. Clients write while everything is killed with -9 and the queue is deleted."""

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import requests

from sitecms.runtime import Runtime
from sitecms.store.database import Database

CLIENTS = 4
KILL_PAUSE_SECONDS = (0.1, 0.7)
SETTLED_WITHIN_SECONDS = 60.0
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc (Linux)")]


@dataclass
class Client:
    """One that never gives up: it asks again, under the same key, until it is answered."""

    server: Any
    name: str
    stop: Event
    accepted: list[str] = field(default_factory=list)
    last: dict[str, str] = field(default_factory=dict)
    items: int = 0

    def run(self) -> None:
        """Posts, updates of them, and items, one after another."""
        number = 0
        while not self.stop.is_set():
            number += 1
            slug = f"{self.name}-{number % 5}"
            if slug not in self.last:
                post: dict[str, object] = {
                    "title": "Storm",
                    "slug": slug,
                    "status": "published",
                    "body": "thunder",
                    "tags": ["sea"],
                }
                self.write("POST", "/v2/posts/", post)
                self.last[slug] = ""
            elif number % 3:
                summary = f"{self.name} {number}"
                self.write("PATCH", f"/v2/posts/{slug}/", {"summary": summary, "tags": ["sea", f"t{number % 4}"]})
                self.last[slug] = summary
            else:
                item: dict[str, object] = {"name": f"{self.name} {number}"}
                self.write("POST", "/v2/content/", {"key": "team", "status": "published", "fields": item})
                self.items += 1

    def write(self, method: str, path: str, body: dict[str, object]) -> None:
        """Until it is 202: a dead server, and 503 or 500 in its last moment, are no answer."""
        key = os.urandom(8).hex()
        while True:
            with suppress(requests.RequestException):
                answered = self.server.send(method, path, body, Idempotency_Key=key)
                if answered.status_code < 500:
                    assert answered.status_code == 202, (path, answered.text)
                    self.accepted.append(answered.headers["Location"].split("/")[3])
                    return
            time.sleep(0.05)


def storm(server: Any, queue: Path, seconds: float) -> int:
    """Kill web processes, workers and now and then the server above them, delete the queue; how many were killed.

    granian's own processes end together when one of them dies twice within seconds: the server is started again.
    """
    luck, killed = random.Random(7), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(luck.uniform(*KILL_PAUSE_SECONDS))
        server.revive()
        children = {**server.children(), **{worker.pid: " worker " for worker in server.workers}}
        workers = [child for child, command in children.items() if " worker " in command]
        webs, chance = [child for child in children if child not in workers], luck.random()
        some = webs if chance < 0.2 else workers
        victim = server.process.pid if not some or chance > 0.97 else luck.choice(some)
        if children:
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                killed += 1
        if luck.random() < 0.1:
            files = [queue] if luck.random() < 0.5 else [*queue.parent.glob("queue.db*")]
            for path in files:
                path.unlink(missing_ok=True)
    return killed


def test_every_202_is_applied_exactly_once(
    serve: Callable[..., Any], until: Callable[..., bool], runtime: Runtime, store: Database, storm_seconds: float
) -> None:
    """Posts, terms, items and search rows are what the accepted writes say, in their order; the files are sound."""
    server, stop = serve("--workers", "2"), Event()
    server.add_workers(2)
    clients = [Client(server, f"c{number}", stop) for number in range(CLIENTS)]
    threads = [Thread(target=client.run, name=client.name) for client in clients]
    for thread in threads:
        thread.start()
    killed = storm(server, runtime.settings.queue_path, storm_seconds)
    stop.set()

    def are_answered() -> bool:
        server.revive()
        return not any(thread.is_alive() for thread in threads)

    assert until(are_answered, SETTLED_WITHIN_SECONDS, pause=0.2)

    def is_settled() -> bool:
        server.revive()
        with store.reading() as session:
            return session.sql("SELECT count(*) FROM write WHERE status = 'accepted'") == [(0,)]

    assert until(is_settled, SETTLED_WITHIN_SECONDS, pause=0.2)
    accepted = [write_id for client in clients for write_id in client.accepted]
    assert killed > storm_seconds, killed
    assert len(accepted) > storm_seconds
    check(store, clients, accepted)


def check(store: Database, clients: list[Client], accepted: list[str]) -> None:
    """What the store holds, against what the clients were told."""
    with store.reading() as session:
        states = dict(session.sql("SELECT id, status FROM write"))
        assert {states.get(write_id) for write_id in accepted} == {"applied"}
        assert (len(set(accepted)), len(states)) == (len(accepted), len(accepted))
        summaries = dict(session.sql("SELECT slug, summary FROM post WHERE deleted_at IS NULL"))
        assert summaries == {slug: summary for client in clients for slug, summary in client.last.items()}
        assert session.sql("SELECT count(*) FROM item") == [(sum(client.items for client in clients),)]
        assert session.sql("SELECT count(*) FROM item_version") == session.sql("SELECT count(*) FROM item")
        names = [row[0] for row in session.sql("SELECT fields_json ->> 'name' FROM item_version")]
        assert len(set(names)) == len(names)
        assert session.sql("SELECT count(*) FROM term") == session.sql("SELECT count(DISTINCT slug) FROM term")
        found = session.sql("SELECT count(*) FROM post_search WHERE post_search MATCH 'thunder'")
        assert found == [(len(summaries),)]
        assert session.sql("SELECT count(*) FROM reservation") == [(0,)]
        out_of_order = (
            "SELECT count(*) FROM write AS a JOIN write AS b ON a.entry_key = b.entry_key"
            " WHERE a.sequence < b.sequence AND a.finished_at > b.finished_at"
        )
        assert session.sql(out_of_order) == [(0,)]
        assert session.sql("PRAGMA integrity_check") == [("ok",)]
    with store.writing(is_shown=False) as transaction:
        transaction.sql("INSERT INTO post_search (post_search, rank) VALUES ('integrity-check', 1)")
