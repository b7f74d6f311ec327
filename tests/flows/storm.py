"""The crash storm: clients that repeat requests, a killer of processes, and checks of the result."""

import json
import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Thread
from typing import Any

import requests

from sitecms.store.database import Database
from tests.support.waiting import until
from tests.support.webhooks import Receiver

CLIENTS = 4
ACCEPTED_BETWEEN = 20
LONGEST_SECONDS = 180.0  # however slow the machine: 20 where it is idle
KILL_PAUSE_SECONDS = (0.1, 0.6)
SETTLED_WITHIN_SECONDS = 60.0
UP_WITHIN_SECONDS = 60.0  # processes start slowly where others keep the machine busy


@dataclass
class Client:
    """Client that repeats a request with the same key until it gets a response."""

    server: Any
    name: str
    stop: Event
    accepted: list[str] = field(default_factory=list)
    last: dict[str, str] = field(default_factory=dict)
    tags: dict[str, set[str]] = field(default_factory=dict)
    items: int = 0

    def run(self) -> None:
        """Write posts, updates and items, one after another."""
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
                self.last[slug], self.tags[slug] = "", {"sea"}
            elif number % 3:
                summary, tag = f"{self.name} {number}", f"t{number % 4}"
                self.write("PATCH", f"/v2/posts/{slug}/", {"summary": summary, "tags": ["sea", tag]})
                self.last[slug], self.tags[slug] = summary, {"sea", tag}
            else:
                item: dict[str, object] = {"name": f"{self.name} {number}"}
                self.write("POST", "/v2/content/", {"key": "team", "status": "published", "fields": item})
                self.items += 1

    def write(self, method: str, path: str, body: dict[str, object]) -> None:
        """Repeat until the response is 202: a dead server, and 503 or 500 while it dies, do not count."""
        key = os.urandom(8).hex()
        while True:
            with suppress(requests.RequestException):
                answered = self.server.send(method, path, body, Idempotency_Key=key)
                if answered.status_code < 500:
                    assert answered.status_code == 202, (path, answered.text)
                    self.accepted.append(answered.headers["Location"].split("/")[3])
                    return
            time.sleep(0.05)


@dataclass
class Storm:
    """Killer of processes, with the numbers killed and to be killed: of all, and of web processes."""

    kills: int
    web_kills: int
    webs: int = 0
    workers: int = 0

    @property
    def killed(self) -> int:
        """Return the number of killed web and worker processes."""
        return self.webs + self.workers

    @property
    def is_enough(self) -> bool:
        """Return whether enough processes were killed."""
        return self.killed >= self.kills and self.webs >= self.web_kills

    def rage(self, server: Any, clients: list[Client], seconds: float, beside: Callable[[random.Random], None]) -> None:
        """Kill web processes, workers and now and then the server above them; `beside` is called after each.

        Web processes are spared until some writes were accepted since the last of them was killed.
        """
        luck, begun, spared_until = random.Random(7), time.monotonic(), ACCEPTED_BETWEEN
        while time.monotonic() < begun + seconds or not self.is_enough:
            if time.monotonic() > begun + max(seconds, LONGEST_SECONDS):
                return
            time.sleep(luck.uniform(*KILL_PAUSE_SECONDS))
            server.revive()
            children = {**server.children(), **{worker.pid: " worker " for worker in server.workers}}
            workers = [child for child, command in children.items() if " worker " in command]
            webs = [child for child, command in children.items() if command and child not in workers]
            accepted = sum(len(client.accepted) for client in clients)
            some = webs if accepted >= spared_until and webs else workers
            is_late = self.killed < self.kills * (time.monotonic() - begun) / seconds
            for victim in luck.sample(some, min(len(some), 2 if is_late and some is workers else 1)):
                with suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
                    self.webs, self.workers = self.webs + (some is webs), self.workers + (some is workers)
            if some is webs:
                spared_until = accepted + ACCEPTED_BETWEEN
                if self.webs % 5 == 0:
                    server.process.kill()
            beside(luck)


def begin_writing(server: Any) -> tuple[list[Client], list[Thread], Event]:
    """Start the clients; return them, their threads, and the event that stops them."""
    stop = Event()
    clients = [Client(server, f"c{number}", stop) for number in range(CLIENTS)]
    threads = [Thread(target=client.run, name=client.name, daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    return clients, threads, stop


def settle(server: Any, threads: list[Thread], stop: Event, store: Database) -> None:
    """Stop the clients, and wait until all requests are answered, all writes applied, and all deliveries delivered."""

    stop.set()

    def left() -> dict[str, int]:
        server.revive()
        with store.reading() as session:
            writes = session.sql("SELECT count(*) FROM write WHERE status = 'accepted'")[0][0]
            messages = session.sql("SELECT count(*) FROM delivery WHERE status = 'waiting'")[0][0]
        clients = sum(thread.is_alive() for thread in threads)
        return {"clients": clients, "writes": writes, "messages": messages}

    assert until(lambda: ask(server, "/health/live") is not None, UP_WITHIN_SECONDS, pause=0.2)
    assert until(lambda: not any(left().values()), SETTLED_WITHIN_SECONDS, pause=0.2), left()


def ask(server: Any, path: str) -> dict[str, Any] | None:
    """Return the body of the response; None if nobody answers with 200. Start the server again if it ended."""
    server.revive()
    with suppress(requests.RequestException):
        response = server.send("GET", path)
        if response.status_code == 200:
            return dict(response.json())
    return None


def check_answers(server: Any, clients: list[Client]) -> None:
    """Check what the API returns and finds.

    Each request is repeated until it is answered: the processes of a server that was killed last answer for a moment
    more, and then nobody does until the next server has started.
    """
    paths = ("/v2/posts/", "/v2/content/team/", "/v2/search/?query=thunder", "/v2/search/?query=calm")
    posts = sum(len(client.last) for client in clients)
    expected = dict(zip(paths, (posts, sum(client.items for client in clients), posts, 0), strict=True))
    counts: dict[str, int] = {}

    def is_answered(path: str) -> bool:
        body = ask(server, path)
        if body is not None:
            counts[path] = body["meta"]["count"]
        return body is not None

    assert all(until(partial(is_answered, path), UP_WITHIN_SECONDS, pause=0.2) for path in paths)
    assert counts == expected


def check_store(store: Database, clients: list[Client], accepted: list[str]) -> None:
    """Check the store against the accepted writes."""
    with store.reading() as session:
        states = dict(session.sql("SELECT id, status FROM write"))
        assert {states.get(write_id) for write_id in accepted} == {"applied"}
        assert (len(set(accepted)), len(states)) == (len(accepted), len(accepted))
        summaries = dict(
            session.sql(
                "SELECT slug, summary FROM version WHERE kind = 'post' AND version = 'live' AND deleted_at IS NULL"
            )
        )
        assert summaries == {slug: summary for client in clients for slug, summary in client.last.items()}
        items = sum(client.items for client in clients)
        assert session.sql("SELECT count(*) FROM entry WHERE kind = 'item'") == [(items,)]
        assert session.sql("SELECT count(*) FROM version") == session.sql("SELECT count(*) FROM entry")
        rows = session.sql("SELECT fields_json FROM version WHERE kind = 'item'")
        names = [json.loads(row[0])["name"] for row in rows]
        assert len(set(names)) == len(names)
        assert session.sql("SELECT count(*) FROM term") == session.sql("SELECT count(DISTINCT slug) FROM term")
        tagged: dict[str, set[str]] = {}
        query = (
            "SELECT version.slug, term.slug FROM version JOIN version_term ON version_id = version.id "
            "JOIN term ON term.id = term_id"
        )
        for slug, tag in session.sql(query):
            tagged.setdefault(slug, set()).add(tag)
        assert tagged == {slug: tags for client in clients for slug, tags in client.tags.items()}
        assert session.sql("SELECT count(*) FROM reservation") == [(0,)]
        out_of_order = (
            "SELECT count(*) FROM write AS a JOIN write AS b ON a.entry_key = b.entry_key"
            " WHERE a.sequence < b.sequence AND a.finished_at > b.finished_at"
        )
        assert session.sql(out_of_order) == [(0,)]


def check_messages(store: Database, accepted: list[str], receiver: Receiver) -> None:
    """Check for one delivery of each applied write; repeated ones have the same id and body."""
    with store.reading() as session:
        kept = session.sql("SELECT id, write_id, status, payload_json FROM delivery")
        assert sorted(row[1] for row in kept) == sorted(accepted)
        assert {row[2] for row in kept} == {"delivered"}
        attempts = session.sql("SELECT count(*) FROM delivery_attempt WHERE http_status = 200")
    bodies: dict[str, set[bytes]] = {}
    for message in receiver.received:
        bodies.setdefault(message.headers["webhook-id"], set()).add(message.body)
    assert bodies.keys() == {row[0] for row in kept}
    assert all(len(each) == 1 for each in bodies.values())
    assert attempts >= [(len(kept),)]


def check_all(server: Any, clients: list[Client], store: Database, receiver: Receiver, least: int) -> None:
    """Check that at least so many writes were accepted, and that each is stored, told and answered once."""
    accepted = [write_id for client in clients for write_id in client.accepted]
    assert len(accepted) >= least
    check_store(store, clients, accepted)
    check_messages(store, accepted, receiver)
    check_answers(server, clients)
