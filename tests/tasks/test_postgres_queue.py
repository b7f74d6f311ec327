"""A worker on PostgreSQL survives restarts of the server without a restart of its own."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from structlog.testing import capture_logs

from sitecms.runtime import Runtime
from sitecms.tasks.background import Background
from tests.support.durable_postgres import PASSWORD, DurablePostgres
from tests.support.waiting import until

Working = Callable[[], AbstractContextManager[Background]]
GONE_SECONDS = 3.0


@pytest.mark.slow
def test_worker_continues_after_a_restart_of_the_server(
    postgres: DurablePostgres,
    runtime: Runtime,
    store_write: Callable[[], str],
    applied: Callable[[str], bool],
    working: Working,
) -> None:
    """Each outage is logged once, and later writes are applied at once."""
    web = Background(runtime.settings, runtime.database, runtime.clock)
    with capture_logs() as logs, working() as work:
        web.hint(first := store_write())
        assert applied(first)
        former = work._membership.name()
        postgres.stop()
        time.sleep(GONE_SECONDS)
        postgres.start()
        assert until(lambda: names(logs).count("store_usable") == 1)
        waits: list[float] = []
        while len(waits) < 10 and min(waits, default=1) > 0.6:  # the first ones may come before it listens again
            begun = time.monotonic()
            web.hint(write_id := store_write())
            assert applied(write_id)
            waits.append(time.monotonic() - begun)
        assert work._membership.name() != former
        assert len(waits) < 10, waits  # a sweep would find each a second after the one before it
    web.close()
    logged = [name for name in names(logs) if name.startswith(("store", "queue", "sweep", "side"))]
    assert logged.count("store_unusable") == logged.count("store_usable") == 1, logged
    assert logged.count("queue_unreachable") <= 2, logged  # the worker's, and the web process's own
    assert not {"sweep_failed", "periodic_work_failed"} & set(logged)
    assert PASSWORD not in str(logs)


def names(logs: list[Any]) -> list[str]:
    """Return the names of the logged events."""
    return [log["event"] for log in logs]


@pytest.mark.slow
def test_worker_stops_while_the_server_is_down(
    postgres: DurablePostgres, store_write: Callable[[], str], applied: Callable[[str], bool], working: Working
) -> None:
    """Its claims are free afterwards, since its locks ended with the server."""
    with working() as work:
        work.hint(first := store_write())
        assert applied(first)
        second = store_write()
        postgres.stop()
    postgres.start()
    with working():
        assert applied(second)
