"""The promise on servers: 202 means kept, applied once, and told, while PostgreSQL falls and Redis is killed or empty.

Two web processes and three workers; PostgreSQL keeps what it says it keeps (fsync on). SITECMS_STORM_SECONDS=300 makes
the storm longer by hand.
"""

import random
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from sitecms.runtime import Runtime
from sitecms.store.database import Database
from tests.flows.storm import ACCEPTED_BETWEEN, Storm, begin_writing, check_all, settle
from tests.support.durable_postgres import PASSWORD as POSTGRES_PASSWORD
from tests.support.durable_postgres import DurablePostgres
from tests.support.redis_server import PASSWORD as REDIS_PASSWORD
from tests.support.redis_server import RedisServer
from tests.support.webhooks import Receiver

KILLS, WEB_KILLS = 30, 3
FALLS = 3
REDIS_BLOWS = 6
BLOW_PAUSE_SECONDS = (1.0, 2.0)
FROZEN_SECONDS = 1.5
DOWN_SECONDS = (1.0, 2.5)
BLOWS_FOR_A_FALL = 2
pytestmark = [
    pytest.mark.sqlite_only,  # the environment names another store, whatever the engine
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc (Linux)"),
]


class Outages:
    """Failures of the servers, caused by one thread for each."""

    def __init__(self, postgres: DurablePostgres, redis: RedisServer) -> None:
        self._postgres = postgres
        self._redis = redis
        self._over = Event()
        self._luck = random.Random(11)
        self._thread = Thread(target=self._run, name="outages")
        self.falls = self.blows = 0
        self.kinds: set[str] = set()

    def start(self) -> None:
        """Start the failures."""
        self._thread.start()

    def end(self) -> None:
        """End the failures; both servers run again when this returns."""
        self._over.set()
        self._thread.join()

    @property
    def is_enough(self) -> bool:
        """Return whether enough failures have happened."""
        return self.falls >= FALLS and self.blows >= REDIS_BLOWS

    def _run(self) -> None:
        while not (self._over.is_set() and self.is_enough):
            time.sleep(self._luck.uniform(*BLOW_PAUSE_SECONDS))
            if self.blows >= BLOWS_FOR_A_FALL * (self.falls + 1):
                self._postgres.fall()
                self.falls += 1
            else:
                self._strike_redis(("killed", "emptied", "frozen")[self.blows % 3])

    def _strike_redis(self, kind: str) -> None:
        match kind:
            case "killed":
                self._redis.kill()
                time.sleep(self._luck.uniform(*DOWN_SECONDS))
                self._redis.restart()
            case "emptied":
                with self._redis.client() as client:
                    client.flushall()
            case "frozen":
                self._redis.freeze()
                time.sleep(FROZEN_SECONDS)
                self._redis.thaw()
        self.kinds.add(kind)
        self.blows += 1


@pytest.fixture
def servers(durable_postgres: DurablePostgres, own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Outages:
    """Servers of store and queue; requested before the site is opened."""
    monkeypatch.setenv("SITECMS_STORE_URL", durable_postgres.new_database())
    monkeypatch.setenv("SITECMS_QUEUE_URL", own_redis.url)
    return Outages(durable_postgres, own_redis)


def test_every_202_outlives_the_servers(
    servers: Outages,
    forgetful_receiver: Receiver,
    serve: Callable[..., Any],
    runtime: Runtime,
    store: Database,
    storm_seconds: float,
) -> None:
    """Posts, terms, items, search rows and messages are what the accepted writes say, in their order, soon after."""
    server = serve("--workers", "2")
    server.add_workers(2)
    clients, threads, stop = begin_writing(server)
    storm = Storm(KILLS, WEB_KILLS)
    servers.start()
    try:
        storm.rage(server, clients, storm_seconds, lambda _luck: None)
    finally:
        servers.end()
    settle(server, threads, stop, store)
    assert storm.is_enough, storm
    assert servers.is_enough
    assert servers.kinds == {"killed", "emptied", "frozen"}
    least = 3 * ACCEPTED_BETWEEN  # falls take seconds, in which nobody is answered
    check_all(server, clients, store, forgetful_receiver, least)
    said = (runtime.settings.folder.parent / "serve.log").read_text("utf-8", "replace")
    assert POSTGRES_PASSWORD not in said
    assert REDIS_PASSWORD not in said
