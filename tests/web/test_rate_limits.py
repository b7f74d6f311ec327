"""Rate limits of the API: what is counted together, how requests are refused, and which are free."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from sitecms.content.token import Scope
from sitecms.runtime import Runtime
from sitecms.settings.operations import RateLimitSettings
from sitecms.web.rate_limits import RateLimitMiddleware, subscriber_of
from sitecms.web.service import create_app

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
    assert any(series[3] == "429" for series in runtime.counters._first_slots)


def test_apps_of_one_site_share_their_counts(limited: MakeClient) -> None:
    """Two apps count as the web processes of a server do."""
    first, second = limited(address_reads_per_minute=1), limited(address_reads_per_minute=1)
    assert [ask(first), ask(second)] == [401, 429]


def test_without_limits_there_is_no_middleware_and_no_file(runtime: Runtime) -> None:
    """Settings without limits cost nothing."""
    layer: Any = create_app(runtime).wsgi_app
    while layer is not None:
        assert not isinstance(layer, RateLimitMiddleware)
        layer = getattr(layer, "_behind", None)
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


def test_long_credentials_are_not_cached(limited: MakeClient) -> None:
    """Requests with long invalid tokens use no memory."""
    client = limited(token_reads_per_minute=1)
    limits = client.application.wsgi_app._behind._behind._limits  # type: ignore[attr-defined]
    for number in range(20):
        assert ask(client, headers=token(f"{number}" * 3000)) == 401
    assert limits._requesters.keys() == ()
