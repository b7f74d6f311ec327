"""A server with two web processes and a worker, watched from outside: its numbers add up, and it tells no secret."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from sitecms.clock import now
from sitecms.content.webhooks.webhook import new_signing_secret
from sitecms.runtime import Runtime
from sitecms.store.writes.webhooks import insert_webhook
from tests.support.reading import execute
from tests.support.waiting import until
from tests.support.webhooks import Receiver

pytestmark = pytest.mark.slow
SETTINGS = """
[logs]
format = "json"
access = true
level = "debug"
[metrics]
enabled = true
token = "prometheus"
[webhooks]
allow_hosts = ["{host}"]
retry_seconds = [0.1, 0.1]
"""
READS, WRITES = 60, 12
Series = tuple[str, str, str]


class Watched:
    """The server's numbers."""

    def __init__(self, server: Any, secret: str) -> None:
        self._url = f"{server.url}/metrics"
        self._headers = {"Authorization": f"Token {secret}"}

    def running(self) -> tuple[float, float]:
        """Web processes and workers; none where the one that was asked is the one that was killed."""
        try:
            return self.total("processes", kind="web"), self.total("processes", kind="worker")
        except requests.ConnectionError:
            return 0, 0

    def samples(self, name: str) -> Mapping[frozenset[tuple[str, str]], float]:
        """All of this name by their labels."""
        answered = requests.get(self._url, headers=self._headers, timeout=60)
        assert answered.status_code == 200, answered.text
        families = text_string_to_metric_families(answered.text)
        return {
            frozenset(sample.labels.items()): sample.value
            for family in families
            for sample in family.samples
            if sample.name == f"sitecms_{name}"
        }

    def total(self, name: str, **labels: str) -> float:
        """Of all that have these labels."""
        return sum(value for found, value in self.samples(name).items() if labels.items() <= dict(found).items())


@pytest.fixture
def watched_site(
    runtime: Runtime, make_token: Callable[..., str], make_receiver: Callable[..., Receiver]
) -> tuple[list[str], Receiver]:
    """Settings and a webhook; the secrets: of metrics, of the signature, of a header."""
    receiver = make_receiver(500, 200)
    with (runtime.settings.folder / "site.toml").open("a", encoding="utf-8") as file:
        file.write(SETTINGS.format(host=receiver.host))
    signing, header = new_signing_secret(), "Bearer hunter2-of-the-receiver"
    with runtime.database.writing() as transaction:
        target = f"{receiver.url}?key=secret-of-the-target"
        insert_webhook(transaction, target, ["*"], signing, {"Authorization": header}, now())
    return [make_token("prometheus"), signing, header, "secret-of-the-target"], receiver


def killed(server: Any, mark: str) -> None:
    """One of the server's processes whose command holds the mark."""
    os.kill(next(child for child, command in server.children().items() if mark in command), signal.SIGKILL)


def test_metrics_add_up_over_processes(serve: Callable[..., Any], watched_site: tuple[list[str], Receiver]) -> None:
    """To the requests that were answered, also after a web process and the worker were killed with -9."""
    server = serve("--workers", "2")
    watched = Watched(server, watched_site[0][0])
    count = "http_request_duration_seconds_count"
    for half in (1, 2):
        for number in range(READS):
            assert server.send("GET", "/v2/posts/?page_size=5").status_code == 200
            assert server.send("GET", f"/v2/posts/no-{number}/").status_code == 404
        for number in range(WRITES):
            body = {"title": "Ebb", "slug": f"ebb-{half}-{number}", "status": "published"}
            assert server.send("POST", "/v2/posts/", body).status_code == 202
        assert until(lambda: watched.total("write_duration_seconds_count") == half * WRITES)  # noqa: B023 - called at once
        assert watched.total(count, route="/v2/posts/", method="GET", status="200") == half * READS
        assert watched.total(count, route="/v2/posts/<slug>/", status="404") == half * READS
        assert watched.total(count, route="/v2/posts/", method="POST", status="202") == half * WRITES
        assert watched.total(count, route="/v2/posts/", cache="hit") > 0
        if half == 1:
            killed(server, " serve ")
            killed(server, " worker ")
            assert until(lambda: watched.running() == (2, 1))
    assert watched.total("open_writes") == 0
    assert watched.total("entries", kind="post", status="published") == 2 * WRITES
    assert until(lambda: watched.total("waiting_deliveries") == 0)
    attempts = "delivery_attempt_duration_seconds_count"
    assert until(lambda: watched.total(attempts, outcome="delivered") == 2 * WRITES)
    assert watched.total(attempts, outcome="retry") == 1


def test_logs_and_files_hold_no_secret(
    serve: Callable[..., Any],
    watched_site: tuple[list[str], Receiver],
    runtime: Runtime,
    make_token: Callable[..., str],
) -> None:
    """Reads, writes, refusals, a crash, messages with their second attempts: all logged, with ids, without secrets."""
    secrets, receiver = watched_site
    server = serve("--workers", "2")
    reader, wrong = make_token("reader"), "f" * 40
    secrets += [server.secret, reader, wrong]
    for path in (f"/v2/posts/?auth_token={reader}", f"/v2/posts?auth_token={reader}", f"/v2/{reader}/"):
        requests.get(server.url + path, timeout=60)
    requests.get(f"{server.url}/v2/posts/", headers={"Authorization": f"Token {wrong}"}, timeout=60)
    server.send("POST", "/v2/posts/", {"title": "", "slug": "bad slug"})
    made = server.send("POST", "/v2/posts/", {"title": "Ebb", "slug": "ebb", "status": "published"}, X_Request_ID="a-1")
    assert (made.status_code, made.headers["X-Request-ID"]) == (202, "a-1")
    log = runtime.settings.folder.parent / "serve.log"
    assert until(lambda: log.read_text().count('"delivery_attempt"') == 2)
    execute(runtime.database, "DROP TABLE page_search")
    assert requests.get(f"{server.url}/v2/pages/search/?query=x&auth_token={reader}", timeout=60).status_code == 500
    command = [sys.executable, "-m", "sitecms", "token", "rotate", str(runtime.settings.folder), "reader"]
    rotated = subprocess.run(command, capture_output=True, text=True, timeout=30)
    secrets.append(rotated.stdout.strip())
    assert requests.get(f"{server.url}/v2/posts/?auth_token={secrets[-1]}", timeout=60).status_code == 200
    server.stop()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    told = {line["event"] for line in lines}
    assert told >= {"request", "write_accepted", "write_applied", "delivery_attempt", "request_failed"}
    (accepted,) = (line for line in lines if line["event"] == "write_accepted")
    (applied,) = (line for line in lines if line["event"] == "write_applied")
    assert accepted["request_id"] == "a-1"
    assert (accepted["write"], applied["attempt"]) == (applied["write"], 1)
    attempts = [line for line in lines if line["event"] == "delivery_attempt"]
    assert [(line["write"], line["attempt"], line["outcome"]) for line in attempts] == [
        (applied["write"], 1, "retry"), (applied["write"], 2, "delivered"),
    ]  # fmt: skip
    assert {line["delivery"] for line in attempts} == {receiver.received[0].headers["webhook-id"]}
    assert len(secrets) == 8
    for written in _written(runtime.settings.folder):
        data = written.read_bytes()
        assert [secret for secret in secrets if secret.encode() in data] == [], written


def _written(folder: Path) -> list[Path]:
    """The log, and every file of the state folder but the store, which keeps what webhooks are signed with."""
    state = (path for path in (folder / ".sitecms").rglob("*") if path.is_file())
    return [folder.parent / "serve.log", *(path for path in state if not path.name.startswith("store.db"))]
