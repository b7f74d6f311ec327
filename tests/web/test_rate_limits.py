"""Rate limits: what is counted together, refusals, and the table of rates that processes share."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from sitecms.content.token import Scope
from sitecms.runtime import Runtime
from sitecms.settings.operations import RateLimitSettings
from sitecms.web import rate_limits
from sitecms.web.rate_limits import SIZE_BYTES, WAYS, Rate, RateLimitMiddleware, RateTable, subscriber_of
from sitecms.web.service import create_app, create_service

MakeClient = Callable[..., FlaskClient]


@pytest.fixture
def limited(runtime: Runtime) -> MakeClient:
    """Return a function that makes a client of an app with these limits, by default with a burst of one second."""

    def make(**limits: int) -> FlaskClient:
        rates = RateLimitSettings(**{"burst_seconds": 1, **limits})
        return create_app(replace(runtime, settings=replace(runtime.settings, rate_limits=rates))).test_client()

    return make


def ask(client: FlaskClient, path: str = "/v2/posts/", address: str = "192.0.2.1", **more: Any) -> int:
    """Return the status of the response."""
    return client.open(path, environ_overrides={"REMOTE_ADDR": address}, **more).status_code


def token(secret: str, scheme: str = "Token") -> dict[str, str]:
    """Return the header that carries the token."""
    return {"Authorization": f"{scheme} {secret}"}


def test_token_is_counted_however_it_is_sent(limited: MakeClient, make_token: Callable[..., str]) -> None:
    """Header, letter case, query and address make no difference; another token has its own count."""
    client, secret, other = limited(token_reads_per_minute=1), make_token("one"), make_token("two")
    assert ask(client, headers=token(secret)) == 200
    for headers in (token(secret), token(secret, "TOKEN"), token(f" {secret} ")):
        assert ask(client, headers=headers) == 429
    assert ask(client, f"/v2/authors/?auth_token={secret}") == 429
    assert ask(client, f"/v2/authors/?page=1&auth_token={secret}", address="192.0.2.9") == 429
    assert ask(client, headers=token(other)) == 200
    assert ask(client) == 401
    assert ask(client) == 401


def test_429_has_body_retry_after_and_headers_of_reads(limited: MakeClient, make_token: Callable[..., str]) -> None:
    """The body is that of other errors, browsers can read it, and a HEAD request gets none."""
    client, secret = limited(token_reads_per_minute=1), make_token()
    ask(client, headers=token(secret))
    refused = client.get("/v2/posts/", headers={**token(secret), "X-Request-ID": "mine"})
    assert (refused.status_code, refused.content_type) == (429, "application/json")
    wait = int(refused.headers["Retry-After"])
    assert 55 <= wait <= 60
    assert refused.get_json() == {"detail": f"Too many requests. Try again in {wait} s."}
    assert refused.headers["Cache-Control"] == "no-store"
    assert refused.headers["Access-Control-Allow-Origin"] == "*"
    assert "retry-after" in refused.headers["Access-Control-Expose-Headers"]
    assert refused.headers["X-Request-ID"] == "mine"
    head = client.head("/v2/posts/", headers=token(secret))
    assert (head.status_code, head.data) == (429, b"")


def test_cached_responses_are_counted(limited: MakeClient, make_token: Callable[..., str]) -> None:
    """Repeated requests, which the cache answers, are refused like any other."""
    client, secret = limited(token_reads_per_minute=240, burst_seconds=1), make_token()
    assert [ask(client, headers=token(secret)) for _ in range(5)] == [200, 200, 200, 200, 429]


def test_address_is_counted_for_all_requests(limited: MakeClient, make_token: Callable[..., str]) -> None:
    """Invalid tokens, no token, media and preflight requests count; another address has its own count."""
    client = limited(address_reads_per_minute=240)
    asked: list[dict[str, Any]] = [
        {"headers": token("nope")}, {}, {"path": "/media/x.png"}, {"method": "OPTIONS"},
        {"headers": token(make_token())}, {"path": "/docs"},
    ]  # fmt: skip
    assert [ask(client, **each) for each in asked] == [401, 401, 404, 200, 429, 429]
    assert ask(client, address="192.0.2.2") == 401


def test_reads_and_writes_are_counted_apart(limited: MakeClient, make_token: Callable[..., str]) -> None:
    """The limit of reads leaves writes alone, and the other way round."""
    client, secret = limited(token_reads_per_minute=1, address_writes_per_minute=1), make_token("w", Scope.WRITE)
    write: dict[str, Any] = {"method": "POST", "headers": token(secret), "json": {}}
    assert [ask(client, headers=token(secret)) for _ in range(2)] == [200, 429]
    assert [ask(client, **write) for _ in range(2)] == [400, 429]


def test_refusal_by_one_limit_is_not_counted_by_the_other(limited: MakeClient, make_token: Callable[..., str]) -> None:
    """An address at its limit does not use up its token's requests from elsewhere."""
    client, secret = limited(token_reads_per_minute=120, address_reads_per_minute=60), make_token()
    assert [ask(client, headers=token(secret)) for _ in range(4)] == [200, 429, 429, 429]
    assert ask(client, address="192.0.2.2", headers=token(secret)) == 200
    assert ask(client, address="192.0.2.3", headers=token(secret)) == 429


def test_health_and_metrics_are_free(limited: MakeClient) -> None:
    """Any number of requests is answered."""
    client = limited(address_reads_per_minute=1)
    ask(client)
    assert [ask(client, path) for path in ("/health/live", "/health/ready", "/metrics") * 2] == [200, 200, 404] * 2
    assert ask(client, "/health/else") == 429


def test_refusals_are_counted_as_requests(limited: MakeClient, runtime: Runtime) -> None:
    """They are in the metrics with their status."""
    client = limited(address_reads_per_minute=1)
    ask(client)
    ask(client)
    labels = {"route": "/v2/posts/", "method": "GET", "status": "429", "cache": ""}
    assert runtime.metrics.registry.get_sample_value("sitecms_http_request_duration_seconds_count", labels) == 1


def test_apps_of_one_site_share_their_counts(limited: MakeClient) -> None:
    """Two apps count as the web processes of a server do."""
    first, second = limited(address_reads_per_minute=1), limited(address_reads_per_minute=1)
    assert [ask(first), ask(second)] == [401, 429]


def test_without_limits_there_is_no_middleware_and_no_file(runtime: Runtime) -> None:
    """Settings without limits cost nothing."""
    layer: Any = create_service(runtime).wsgi
    while layer is not None:
        assert not isinstance(layer, RateLimitMiddleware)
        layer = getattr(layer, "_app", None)
    assert not runtime.settings.rate_limits_path.exists()


@pytest.mark.parametrize(
    ("address", "subscriber"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_subscriber_of_an_address(address: str, subscriber: str) -> None:
    """IPv6 counts by its /64 network, IPv4 by itself, however it is written."""
    assert subscriber_of(address) == subscriber


def test_long_credentials_are_not_cached(runtime: Runtime) -> None:
    """Requests with long invalid tokens use no memory."""
    rates = RateLimitSettings(token_reads_per_minute=1, burst_seconds=1)
    service = create_service(replace(runtime, settings=replace(runtime.settings, rate_limits=rates)))
    client, stack = service.app.test_client(), service.wsgi
    limits = stack._app._app._limits  # type: ignore[attr-defined]
    for number in range(20):
        assert ask(client, headers=token(f"{number}" * 3000)) == 401
    assert limits._requesters.keys() == ()


SECOND = 1_000_000_000
START = 7_000 * SECOND
HAMMER = """
import sys, time
from pathlib import Path
from sitecms.web.rate_limits import Rate, RateTable
table, rate = RateTable(Path(sys.argv[1])), Rate(6000, 10)
everyone, until = table.requester("everyone"), time.monotonic() + float(sys.argv[2])
print("ready", flush=True)
while time.monotonic() < until:
    now = time.monotonic_ns()
    due = table.due_ns(everyone, rate, now)
    if due - now <= rate.ahead_ns:
        table.put(everyone, due + rate.interval_ns)
        print("allowed", flush=True)
    time.sleep(0.00005)
"""


def wait_ns(table: RateTable, rate: Rate, now_ns: int, name: str = "ann") -> int:
    """Return the nanoseconds to wait; with 0 the request is counted."""
    requester = table.requester(name)
    due_ns = table.due_ns(requester, rate, now_ns)
    wait = max(0, due_ns - now_ns - rate.ahead_ns)
    if not wait:
        table.put(requester, due_ns + rate.interval_ns)
    return wait


def test_burst_is_followed_by_an_even_rate() -> None:
    """Of 60 a minute with a burst of 10 s, ten may come at once, then one a second."""
    table, rate = RateTable(), Rate(60, 10)
    assert [wait_ns(table, rate, START) for _ in range(10)] == [0] * 10
    assert wait_ns(table, rate, START) == SECOND
    assert wait_ns(table, rate, START + SECOND - 1) == 1
    assert wait_ns(table, rate, START + SECOND) == 0
    assert wait_ns(table, rate, START + SECOND) == SECOND
    assert [wait_ns(table, rate, START + 60 * SECOND) for _ in range(11)] == [0] * 10 + [SECOND]


def test_one_request_is_allowed_however_short_the_burst() -> None:
    """One a minute with a burst of one second allows one request at once."""
    table, rate = RateTable(), Rate(1, 1)
    assert [wait_ns(table, rate, START), wait_ns(table, rate, START)] == [0, 60 * SECOND]
    assert wait_ns(table, rate, START + 60 * SECOND) == 0


def test_refused_requests_are_not_counted() -> None:
    """A client that keeps sending gets as many requests through as one that waits."""
    table, rate = RateTable(), Rate(60, 1)
    allowed = sum(not wait_ns(table, rate, START + step * SECOND // 100) for step in range(1000))
    assert allowed == 10


def test_requesters_do_not_affect_each_other() -> None:
    """Thousands of others change nothing for one, not even if they take all slots of its set."""
    table, rate = RateTable(), Rate(60, 10)
    for number in range(3 * WAYS * rate_limits.SETS // 100):
        wait_ns(table, rate, START, f"other {number}")
    assert [wait_ns(table, rate, START) for _ in range(11)] == [0] * 10 + [SECOND]


def test_requester_with_the_earliest_time_is_forgotten_first() -> None:
    """In a full set, the requester that has to wait longest is kept."""
    table, rate = RateTable(), Rate(60, 10)
    place = table.requester("greedy").tag % rate_limits.SETS
    names = (f"other {number}" for number in count())
    rivals = islice((name for name in names if table.requester(name).tag % rate_limits.SETS == place), 3 * WAYS)
    for _ in range(10):
        wait_ns(table, rate, START, "greedy")
    for name in rivals:
        assert wait_ns(table, rate, START, name) == 0
    assert wait_ns(table, rate, START, "greedy") == SECOND


def test_times_too_far_ahead_are_ignored() -> None:
    """They stem from before a restart of the machine, which resets its monotonic clock, or from another rate."""
    table, rate = RateTable(), Rate(60, 10)
    for _ in range(10):
        wait_ns(table, rate, START)
    assert wait_ns(table, rate, 5 * SECOND) == 0
    assert [wait_ns(table, rate, 5 * SECOND) for _ in range(10)] == [0] * 9 + [SECOND]


def test_processes_share_one_rate(tmp_path: Path) -> None:
    """Three processes, one of them killed, get about as many requests through as one: alone, each would get 1000."""
    path, seconds = tmp_path / "rates", 2.0
    command = [sys.executable, "-c", HAMMER, str(path), str(seconds)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    begun = time.monotonic()
    time.sleep(1)
    os.kill(started[0].pid, signal.SIGKILL)
    lines = [len(process.communicate(timeout=60)[0].splitlines()) - 1 for process in started]
    taken = time.monotonic() - begun
    assert 900 <= sum(max(0, count) for count in lines) <= (1000 + 100 * taken) * 1.3
    table, rate = RateTable(path), Rate(6000, 10)
    assert wait_ns(table, rate, time.monotonic_ns(), "another") == 0


@pytest.mark.parametrize("content", [b"", b"half", os.urandom(SIZE_BYTES)])
def test_incomplete_file_is_replaced(tmp_path: Path, content: bytes) -> None:
    """A file of random bytes refuses no request."""
    path = tmp_path / "rates"
    path.write_bytes(content)
    first, second, rate = RateTable(path), RateTable(path), Rate(60, 10)
    assert [wait_ns(table, rate, START) for table in [first, second] * 5] == [0] * 10
    assert wait_ns(second, rate, START) == SECOND
    assert path.stat().st_size == SIZE_BYTES


def test_file_has_a_fixed_size_and_is_private(tmp_path: Path) -> None:
    """Only the owner may read it, and any number of requesters leaves its size alone."""
    table, rate = RateTable(tmp_path / "state" / "rates"), Rate(60, 10)
    for number in range(2000):
        wait_ns(table, rate, START, f"other {number}")
    status = (tmp_path / "state" / "rates").stat()
    assert (status.st_size, status.st_mode & 0o777) == (SIZE_BYTES, 0o600)


def test_without_a_file_each_process_counts_for_itself(tmp_path: Path) -> None:
    """A path at which no file can be created causes no error."""
    (tmp_path / "file").write_bytes(b"")
    table, rate = RateTable(tmp_path / "file" / "rates"), Rate(60, 10)
    assert [wait_ns(table, rate, START) for _ in range(11)] == [0] * 10 + [SECOND]
