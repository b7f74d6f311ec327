"""A queue on Redis that fails delays writes by seconds: no request waits for it, and no write is lost."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from redis.exceptions import RedisError
from structlog.testing import capture_logs

from sitecms.actions.operations.backup.create import back_up
from sitecms.actions.operations.restore import restore_backup
from sitecms.clock import now
from sitecms.content.token import Scope
from sitecms.runtime import Runtime, open_runtime
from sitecms.settings.operations import MetricsSettings
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import load_settings
from sitecms.store.site_state.documents import ensure_identity
from sitecms.tasks.background import Background
from sitecms.tasks.queue import QueueWatch, open_queue
from sitecms.tasks.queue_storage import MOST_HINTS, open_redis
from tests.support.reading import select
from tests.support.redis_server import PASSWORD, RedisServer, redis_program
from tests.support.waiting import until

Working = Callable[[], AbstractContextManager[Background]]
SECONDS_WITHOUT = 20.0  # the longest pop, the rest after it, and a sweep, on a busy machine


@pytest.fixture
def web(redis: RedisServer, runtime: Runtime) -> Iterator[Background]:
    """Background work as a web process has it."""
    made = Background(runtime.settings, runtime.database, runtime.clock)
    yield made
    made.close()


def events(logs: list[Any]) -> list[str]:
    """Return the logged events about the queue."""
    return [log["event"] for log in logs if log["event"].startswith(("queue", "sweep", "hint", "side"))]


@pytest.mark.slow
def test_writes_are_applied_within_seconds_while_redis_is_down(
    redis: RedisServer, store_write: Callable[[], str], applied: Callable[[str], bool], working: Working,
    web: Background,
) -> None:  # fmt: skip
    """Afterwards hints arrive again; each process logs the beginning and the end of the outage."""
    with capture_logs() as logs, working() as work:
        web.hint(first := store_write())
        assert applied(first)
        redis.kill()
        for _ in range(3):
            begun = time.monotonic()
            web.hint(write_id := store_write())
            assert applied(write_id)
            assert time.monotonic() - begun < SECONDS_WITHOUT
        redis.restart()
        assert until(lambda: events(logs).count("queue_reachable") >= 1)
        assert until(lambda: web.queue.pending_count() == 0 if _answers(web) else False)
        waits = []
        for _ in range(5):
            begun = time.monotonic()
            web.hint(write_id := store_write())
            assert applied(write_id)
            waits.append(time.monotonic() - begun)
        assert min(waits) < 0.6, waits  # a sweep would find each a second after the one before it
        assert work.queue.pending_count() == 0
    both = ["queue_unreachable", "queue_reachable"]
    assert sorted(events(logs)) == sorted(both * 2)  # the worker's, and the web process's own
    assert PASSWORD not in str(logs)
    assert all(log["queue"] == f"redis://127.0.0.1:{redis.port}/0" for log in logs if log["event"] in both)


def _answers(web: Background) -> bool:
    try:
        web.queue.pending_count()
    except Exception:  # noqa: BLE001 - the circuit is open
        return False
    return True


@pytest.mark.slow
def test_writes_are_applied_within_seconds_while_redis_hangs(
    redis: RedisServer, store_write: Callable[[], str], applied: Callable[[str], bool], working: Working,
    web: Background,
) -> None:  # fmt: skip
    """A hint takes no time even if Redis never answers, as behind a broken network."""
    with working():
        web.hint(first := store_write())
        assert applied(first)
        redis.freeze()
        try:
            told = []
            for _ in range(3):
                write_id = store_write()
                begun = time.monotonic()
                web.hint(write_id)
                told.append(time.monotonic() - begun)
                assert applied(write_id)
                assert time.monotonic() - begun < SECONDS_WITHOUT
            assert min(told) < 0.3, told  # less than the time to connect
        finally:
            redis.thaw()
        web.hint(last := store_write())
        assert applied(last)


def test_requests_never_wait_for_redis(
    redis: RedisServer, runtime: Runtime, make_author: Callable[..., str], make_token: Callable[..., str]
) -> None:
    """Whether Redis is down or hangs; readiness reports it and does not fail."""
    from sitecms.web.service import create_app

    make_author()
    headers = {"Authorization": f"Token {make_token('w', Scope.WRITE)}"}
    client = create_app(runtime).test_client()

    def seconds() -> float:
        begun = time.monotonic()
        answered = client.post("/v2/posts/", json={"title": "Ebb"}, headers=headers)
        assert answered.status_code == 202, answered.text
        return time.monotonic() - begun

    def queue() -> object:
        answered = client.get("/health/ready")
        assert answered.status_code == 200
        return answered.get_json()["queue"]

    seconds()
    assert queue() == "reachable"
    redis.freeze()
    silent = [seconds() for _ in range(20)]
    assert queue() == "unreachable"
    redis.thaw()
    redis.kill()
    gone = [seconds() for _ in range(20)]
    assert queue() == "unreachable"
    assert sorted(silent)[10] < 0.4, silent  # less than one timeout; a busy machine makes a few take longer
    assert sorted(gone)[10] < 0.4, gone


def test_metrics_contain_the_length_of_the_queue(redis: RedisServer, runtime: Runtime, web: Background) -> None:
    """They contain whether the queue can be reached, and its length only if it can."""
    from sitecms.web.service import create_app

    settings = replace(runtime.settings, metrics=MetricsSettings(enabled=True))
    client = create_app(replace(runtime, settings=settings)).test_client()
    for number in range(2):
        web._send_hint(f"w-{number}")

    def queue() -> list[str]:
        return [line for line in client.get("/metrics").text.splitlines() if line.startswith("sitecms_queue")]

    assert queue() == ["sitecms_queue_up 1.0", "sitecms_queue_length 2.0"]
    redis.kill()
    assert queue() == ["sitecms_queue_up 0.0"]


def test_sites_that_share_a_redis_have_separate_queues(
    redis_server: RedisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queues are named by the identity of the store, which all processes of a site share."""
    monkeypatch.setenv("SITECMS_QUEUE_URL", redis_server.url)
    queues = []
    for name in ("one", "two", "one"):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "site.toml").write_text('name = "Tide"\n', "utf-8")
        runtime = open_runtime(load_settings(folder), create=True)
        queues.append(open_queue(runtime.settings, runtime.database))
        queues[-1].storage.enqueue(name.encode())
        runtime.database.close()
    assert [queue.storage.dequeue() for queue in queues] == [b"one", b"two", b"one"]
    for queue in queues:
        queue.storage.close()


def test_reading_the_state_changes_nothing(redis: RedisServer, runtime: Runtime) -> None:
    """An unused queue is created neither in the store nor on Redis; problems do not contain the password."""
    before = runtime.database.change_number()
    watch = QueueWatch(runtime.settings, lambda: open_queue(runtime.settings, runtime.database, read_only=True))
    assert watch.look().length == 0
    with redis.client() as client:
        assert client.keys() == []
    assert select(runtime.database, "SELECT count(*) FROM document") == [(0,)]
    assert runtime.database.change_number() == before
    redis.kill()
    state = watch.look()
    assert (state.kind, state.length) == ("redis", None)
    assert "refused" in state.problem.lower() or "closed" in state.problem.lower(), state
    assert PASSWORD not in repr(state)


def test_number_and_age_of_hints_are_limited(redis: RedisServer, web: Background, runtime: Runtime) -> None:
    """Of more than ten thousand, the oldest stay; after a day without a new one, all are dropped."""
    key = f"huey.redis.sitecms_{ensure_identity(runtime.database)}"
    with redis.client() as client:
        for _ in range(2):
            web._send_hint("w-1")
        assert 0 < int(client.ttl(key)) <= 24 * 3600
        client.lpush(key, *[b"old"] * (MOST_HINTS - 3))
        for number in range(2, 5):
            web._send_hint(f"w-{number}")
        assert client.llen(key) == web.queue.pending_count() == MOST_HINTS
        newest: Any = client.lrange(key, 0, 0)
    assert b"w-2" in newest[0]
    assert web.queue.dequeue().args == ["w-1"]


def test_tls_certificate_is_checked(tmp_path: Path, lacking: Callable[[str], None]) -> None:
    """With `rediss://` the address may name the certificate authority."""
    if redis_program() is None or shutil.which("openssl") is None:
        lacking("redis-server or openssl is not installed")
    server = RedisServer(tmp_path, has_tls=True)
    try:
        known = open_redis(ServiceUrl(f"{server.url}?ssl_ca_certs={server.certificate}"), "tls")
        known.enqueue(b"hint")
        assert (known.queue_size(), known.dequeue()) == (1, b"hint")
        known.close()
        stranger = open_redis(ServiceUrl(server.url), "tls")
        with pytest.raises(RedisError, match=r"(?i)certificate verify failed"):
            stranger.enqueue(b"hint")
    finally:
        server.kill()


def test_restored_store_has_its_own_queue(redis: RedisServer, runtime: Runtime, tmp_path: Path) -> None:
    """The original site may still use the same Redis."""
    first = ensure_identity(runtime.database)
    assert ensure_identity(runtime.database) == first
    back_up(runtime.database, runtime.settings, tmp_path / "site.tar", now())
    restore_backup(tmp_path / "site.tar", tmp_path / "again", now())
    copy = open_runtime(load_settings(tmp_path / "again"))
    assert ensure_identity(copy.database) not in ("", first)
    copy.database.close()
