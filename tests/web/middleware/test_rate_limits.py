"""Rate limits of the API: who is counted, what is refused and how, what is free, and how many settings cost nothing."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from sitecms.content.token import Scope
from sitecms.runtime import Runtime
from sitecms.settings.operations import RateLimitSettings
from sitecms.web.middleware.rate_limits import Limited, subscriber_of
from sitecms.web.service import create_app

MakeClient = Callable[..., FlaskClient]


@pytest.fixture
def limited(runtime: Runtime) -> MakeClient:
    """Make a client of the app with these limits; one a minute at once and no more, unless said otherwise."""

    def make(**limits: int) -> FlaskClient:
        rates = RateLimitSettings(**{"burst_seconds": 1, **limits})
        return create_app(replace(runtime, settings=replace(runtime.settings, rate_limits=rates))).test_client()

    return make


def ask(client: FlaskClient, path: str = "/v2/posts/", address: str = "192.0.2.1", **more: Any) -> int:
    """The status."""
    return client.open(path, environ_overrides={"REMOTE_ADDR": address}, **more).status_code


def token(secret: str, scheme: str = "Token") -> dict[str, str]:
    """The header that carries it."""
    return {"Authorization": f"{scheme} {secret}"}


def test_a_token_is_counted_however_it_is_sent(limited: MakeClient, make_token: Callable[..., str]) -> None:
    """In the header, in other letters, in the query, from another address; another token has its own count."""
    client, secret, other = limited(token_reads_per_minute=1), make_token("one"), make_token("two")
    assert ask(client, headers=token(secret)) == 200
    for headers in (token(secret), token(secret, "TOKEN"), token(f" {secret} ")):
        assert ask(client, headers=headers) == 429
    assert ask(client, f"/v2/authors/?auth_token={secret}") == 429
    assert ask(client, f"/v2/authors/?page=1&auth_token={secret}", address="192.0.2.9") == 429
    assert ask(client, headers=token(other)) == 200
    assert ask(client) == 401
    assert ask(client) == 401


def test_what_429_says(limited: MakeClient, make_token: Callable[..., str]) -> None:
    """The error body of the API, when to come again, and what browsers need to read it; a HEAD has no body."""
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


def test_kept_answers_count(limited: MakeClient, make_token: Callable[..., str]) -> None:
    """The same question again is answered from memory, and refused like any other."""
    client, secret = limited(token_reads_per_minute=240, burst_seconds=1), make_token()
    assert [ask(client, headers=token(secret)) for _ in range(5)] == [200, 200, 200, 200, 429]


def test_an_address_is_counted_whatever_it_sends(limited: MakeClient, make_token: Callable[..., str]) -> None:
    """Tokens that open nothing, none at all, media, preflights; the next address has its own count."""
    client = limited(address_reads_per_minute=240)
    asked: list[dict[str, Any]] = [
        {"headers": token("nope")}, {}, {"path": "/media/x.png"}, {"method": "OPTIONS"},
        {"headers": token(make_token())}, {"path": "/docs"},
    ]  # fmt: skip
    assert [ask(client, **each) for each in asked] == [401, 401, 404, 200, 429, 429]
    assert ask(client, address="192.0.2.2") == 401


def test_reads_and_writes_are_counted_apart(limited: MakeClient, make_token: Callable[..., str]) -> None:
    """A reader at his limit may write, and the other way round."""
    client, secret = limited(token_reads_per_minute=1, address_writes_per_minute=1), make_token("w", Scope.WRITE)
    write: dict[str, Any] = {"method": "POST", "headers": token(secret), "json": {}}
    assert [ask(client, headers=token(secret)) for _ in range(2)] == [200, 429]
    assert [ask(client, **write) for _ in range(2)] == [400, 429]


def test_a_refusal_by_one_limit_is_not_counted_by_the_other(
    limited: MakeClient, make_token: Callable[..., str]
) -> None:
    """An address at its limit does not use up its token's requests from elsewhere."""
    client, secret = limited(token_reads_per_minute=120, address_reads_per_minute=60), make_token()
    assert [ask(client, headers=token(secret)) for _ in range(4)] == [200, 429, 429, 429]
    assert ask(client, address="192.0.2.2", headers=token(secret)) == 200
    assert ask(client, address="192.0.2.3", headers=token(secret)) == 429


def test_health_and_metrics_are_free(limited: MakeClient) -> None:
    """However often they are asked."""
    client = limited(address_reads_per_minute=1)
    ask(client)
    assert [ask(client, path) for path in ("/health/live", "/health/ready", "/metrics") * 2] == [200, 200, 404] * 2
    assert ask(client, "/health/else") == 429


def test_refusals_are_counted_as_requests(limited: MakeClient, runtime: Runtime) -> None:
    """With their status, for /metrics to tell."""
    client = limited(address_reads_per_minute=1)
    ask(client)
    ask(client)
    assert any(series[3] == "429" for series in runtime.counters._places)


def test_apps_of_one_site_share_what_they_count(limited: MakeClient) -> None:
    """As its web processes do."""
    first, second = limited(address_reads_per_minute=1), limited(address_reads_per_minute=1)
    assert [ask(first), ask(second)] == [401, 429]


def test_without_limits_nothing_stands_in_the_way(runtime: Runtime) -> None:
    """No layer, no file."""
    layer: Any = create_app(runtime).wsgi_app
    while layer is not None:
        assert not isinstance(layer, Limited)
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
def test_who_an_address_belongs_to(address: str, subscriber: str) -> None:
    """IPv6 by /64, IPv4 by itself, however written."""
    assert subscriber_of(address) == subscriber


def test_long_credentials_are_not_kept(limited: MakeClient) -> None:
    """Thousands of requests with long made-up tokens leave next to nothing in memory."""
    client = limited(token_reads_per_minute=1)
    limits = client.application.wsgi_app._behind._behind._limits  # type: ignore[attr-defined]
    for number in range(20):
        assert ask(client, headers=token(f"{number}" * 3000)) == 401
    assert limits._known.keys() == ()
