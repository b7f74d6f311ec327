"""`sitecms serve` while PostgreSQL is unavailable: it runs on, answers 503, and logs the beginning and the end."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import orjson
import pytest
import requests

from sitecms.runtime import Runtime
from tests.cli.commands.test_serve import Served, kill_web_processes, needs_processes, worker_of
from tests.support.commands import CommandServer
from tests.support.durable_postgres import DurablePostgres
from tests.support.waiting import until

PATIENCE_SECONDS = 90.0
KILLED = 6  # of two processes; four that failed within a minute once ended the server


@pytest.fixture
def served(postgres: DurablePostgres, runtime: Runtime, command_server: CommandServer) -> Iterator[Served]:
    """A server of two web processes and a worker that answers."""
    started = Served(command_server, runtime.settings.folder, "--workers", "2")
    started.first_line()
    yield started
    if started.process.poll() is None:
        started.process.kill()
        started.process.communicate(timeout=PATIENCE_SECONDS)


def status(served: Served, path: str) -> int:
    """Return the status of the response; 0 if there is none."""
    try:
        return served.get(path).status_code
    except requests.RequestException:
        return 0


@pytest.mark.slow
def test_server_waits_for_the_store_at_its_start(
    postgres: DurablePostgres, runtime: Runtime, command_server: CommandServer, make_token: Callable[..., str]
) -> None:
    """It answers meanwhile, says so in the beginning, and welcomes when the store is there."""
    secret = make_token("r")
    postgres.stop()
    served = Served(command_server, runtime.settings.folder, "--workers", "1")
    try:
        assert until(lambda: status(served, "/health/live") == 200, PATIENCE_SECONDS)
        answered = served.get("/v2/posts/", secret)
        assert (answered.status_code, int(answered.headers["Retry-After"]) > 0) == (503, True)
    finally:
        postgres.start()
    assert served.first_line().startswith("sitecms serves ")
    assert until(lambda: served.get("/v2/posts/", secret).status_code == 200, PATIENCE_SECONDS)
    served.process.terminate()
    _, errors = served.process.communicate(timeout=PATIENCE_SECONDS)
    assert served.process.returncode == 0
    assert errors.count("sitecms waits for it.") == 1
    assert "cannot be reached" in errors.splitlines()[0]
    assert "Traceback" not in errors


@pytest.mark.slow
def test_no_read_waits_for_a_frozen_server(
    served: Served, postgres: DurablePostgres, make_token: Callable[..., str]
) -> None:
    """Neither one that was cached nor another; then all work again."""
    secret = make_token("r")
    paths = ("/v2/posts/", "/v2/posts/?page_size=2", "/v2/authors/")
    assert [served.get(paths[0], secret).status_code for _ in range(4)] == [200] * 4
    postgres.freeze()
    try:
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda path: served.get(path, secret), paths * 3))
        assert {answered.status_code for answered in answers} == {503}
    finally:
        postgres.thaw()
    assert until(lambda: served.get(paths[0], secret).status_code == 200, PATIENCE_SECONDS)


@needs_processes
@pytest.mark.slow
def test_server_runs_on_while_the_store_is_unavailable(
    served: Served, postgres: DurablePostgres, make_token: Callable[..., str]
) -> None:
    """Processes that are replaced meanwhile wait for the store and need no restart when it is back."""
    secret = make_token("r")
    postgres.stop()
    try:
        for _ in range(KILLED // 2):
            kill_web_processes(served)
            assert until(lambda: status(served, "/health/live") == 200, PATIENCE_SECONDS)
        for worker in worker_of(served.process.pid):
            os.kill(worker, signal.SIGKILL)
        assert status(served, "/health/ready") == 503
        answered = served.get("/v2/posts/", secret)
        assert (answered.status_code, answered.json()) == (503, {"detail": "The store cannot be read at the moment."})
        posted = requests.post(served.url + "/v2/posts/", json={"title": "Ebb"}, timeout=PATIENCE_SECONDS)
        assert posted.status_code == 503
    finally:
        postgres.start()
    assert until(lambda: status(served, "/health/ready") == 200, PATIENCE_SECONDS)
    assert until(lambda: served.get("/v2/posts/", secret).status_code == 200, PATIENCE_SECONDS)
    assert served.process.poll() is None
    served.process.terminate()
    _, errors = served.process.communicate(timeout=PATIENCE_SECONDS)
    assert "Traceback" not in errors
    assert "crash loop" not in errors
    events = [orjson.loads(line)["event"] for line in errors.splitlines()]
    assert events.count("store_usable") >= 1
    assert events.count("store_unusable") <= KILLED + 6, events  # once for each process, and for each refused request
