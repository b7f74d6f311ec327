"""The promise: 202 means kept, applied once, and told. Clients write while everything is killed and the queue deleted.

SITECMS_STORM_SECONDS=300 makes the storm longer by hand.
"""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sitecms.runtime import Runtime
from sitecms.store.database import Database
from tests.flows.storm import ACCEPTED_BETWEEN, Storm, begin_writing, check_all, settle
from tests.support.reading import select
from tests.support.webhooks import Receiver

KILLS, WEB_KILLS = 50, 5
pytestmark = [
    pytest.mark.sqlite_only,  # of the queue in a file; test_crash_storm_servers.py has the others
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc (Linux)"),
]


class QueueFiles:
    """Files of the queue, which are deleted now and then."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.deleted = 0

    def delete(self, luck: random.Random) -> None:
        """Delete the file of the queue, or also those that SQLite keeps beside it."""
        if luck.random() < 0.1:
            self.deleted += self._path.exists()
            for path in [self._path] if luck.random() < 0.5 else [*self._path.parent.glob("queue.db*")]:
                path.unlink(missing_ok=True)


def test_every_202_is_applied_exactly_once_with_its_events(
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
    storm, queue = Storm(KILLS, WEB_KILLS), QueueFiles(runtime.settings.queue_path)
    storm.rage(server, clients, storm_seconds, queue.delete)
    settle(server, threads, stop, store)
    assert storm.is_enough, storm
    assert queue.deleted > 0
    check_all(server, clients, store, forgetful_receiver, 5 * ACCEPTED_BETWEEN)
    assert select(store, "PRAGMA integrity_check") == [("ok",)]
    with store.writing(counts_as_change=False) as transaction:
        for table in ("post_search", "page_search"):
            transaction.sql(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
