"""Fixtures of background work: each kind of queue, accepted writes, and a running worker."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from sitecms.content.token import Scope
from sitecms.runtime import Runtime
from sitecms.tasks.background import SWEEP_SECONDS, Background, run_worker
from tests.support.reading import select
from tests.support.waiting import PATIENCE_SECONDS, until


@pytest.fixture(params=["file", "redis", "postgresql"])
def every_queue(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the test, and processes that it starts, on each kind of queue."""
    name = str(request.param)
    if name == "redis":
        monkeypatch.setenv("SITECMS_QUEUE_URL", request.getfixturevalue("redis_server").url)
    elif name == "postgresql":
        monkeypatch.setenv("SITECMS_STORE_URL", request.getfixturevalue("durable_postgres").new_database())
    return name


@pytest.fixture
def store_write(runtime: Runtime, make_author: Callable[..., str], make_token: Callable[..., str]) -> Callable[[], str]:
    """Accept a new post without a hint to the queue; return the id of the write."""
    from sitecms.web.service import create_app

    make_author()
    secret = make_token("w", Scope.WRITE)
    client = create_app(runtime, hint=lambda _write_id: None).test_client()

    def write() -> str:
        answered = client.post("/v2/posts/", json={"title": "Ebb"}, headers={"Authorization": f"Token {secret}"})
        assert answered.status_code == 202, answered.text
        return str(answered.headers["Location"].split("/")[3])

    return write


@pytest.fixture
def applied(runtime: Runtime) -> Callable[[str], bool]:
    """Wait until a write is applied; return False if it takes too long."""

    def wait(write_id: str) -> bool:
        status = "SELECT status FROM write WHERE id = ?"
        return until(lambda: select(runtime.database, status, write_id) == [("applied",)], pause=0.002)

    return wait


@pytest.fixture
def working(runtime: Runtime) -> Callable[[], object]:
    """Run a worker in a thread within a `with` block, by default with a sweep each second."""

    @contextmanager
    def run(sweep_seconds: float = SWEEP_SECONDS) -> Iterator[Background]:
        work, stop = Background(runtime.settings, runtime.database, runtime.clock), threading.Event()
        worker = threading.Thread(target=run_worker, args=(work, stop), kwargs={"sweep_seconds": sweep_seconds})
        worker.start()
        try:
            yield work
        finally:
            stop.set()
            worker.join(PATIENCE_SECONDS)
            work.close()
            assert not worker.is_alive()

    return run
