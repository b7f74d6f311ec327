"""Forwarded headers: applied for as many proxies as the settings trust, and ignored without that setting."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from werkzeug.test import TestResponse

from sitecms.runtime import Runtime
from sitecms.settings.operations import ProxySettings, RateLimitSettings
from sitecms.web.middleware import apply_forwarded_headers
from sitecms.web.service import create_app

Ask = Callable[..., TestResponse]
FORGED = {
    "X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example",
    "Forwarded": "for=203.0.113.7;proto=https;host=evil.example", "X-Real-IP": "203.0.113.7",
}  # fmt: skip


@pytest.fixture
def behind(runtime: Runtime) -> Callable[[int, int], Ask]:
    """Return a function that makes a client behind proxies, of an app that answers each address once a minute."""

    def make(hops: int, hsts_seconds: int = 0) -> Ask:
        rates = RateLimitSettings(address_reads_per_minute=1, burst_seconds=1)
        settings = replace(runtime.settings, proxies=ProxySettings(hops, hsts_seconds), rate_limits=rates)
        client = create_app(replace(runtime, settings=settings)).test_client()
        return lambda path="/v2/posts/", **headers: client.get(
            path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )

    return make


def test_headers_are_ignored_without_trusted_proxies(behind: Callable[..., Ask]) -> None:
    """Requests count for the address of their connection, and get no Strict-Transport-Security."""
    ask = behind(0)
    assert ask(**FORGED).status_code == 401
    for number in range(3):
        forged = ask(**{**FORGED, "X-Forwarded-For": f"203.0.113.{number}"})
        assert forged.status_code == 429
        assert "Strict-Transport-Security" not in forged.headers
        assert "evil.example" not in str(forged.headers)


@pytest.mark.parametrize(
    ("hops", "header", "address"),
    [
        (1, "203.0.113.7", "203.0.113.7"),
        (1, "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        (2, "198.51.100.1, 203.0.113.7,10.0.0.2", "203.0.113.7"),
        (2, "203.0.113.7", "203.0.113.7"),
        (1, "203.0.113.7:4711", "203.0.113.7"),
        (1, "[2001:db8::7]:4711", "2001:db8::7"),
        (1, "2001:db8::7", "2001:db8::7"),
        (1, "203.0.113.7, unknown", "127.0.0.1"),
        (1, "203.0.113.7,", "127.0.0.1"),
        (1, "_hidden", "127.0.0.1"),
        (1, "", "127.0.0.1"),
    ],
)
def test_address_is_that_which_the_outermost_trusted_proxy_saw(hops: int, header: str, address: str) -> None:
    """It is the N-th value from the right; invalid values are ignored."""
    environ = {"REMOTE_ADDR": "127.0.0.1", "wsgi.url_scheme": "http", "HTTP_X_FORWARDED_FOR": header}
    for _ in range(2):
        apply_forwarded_headers(environ, hops)
        assert environ["REMOTE_ADDR"] == address


@pytest.mark.parametrize(
    ("hops", "header", "scheme"),
    [
        (1, "https", "https"),
        (1, "https,http", "http"),
        (2, "https, http", "https"),
        (2, "HTTPS", "https"),
        (1, "javascript", "http"),
    ],
)
def test_scheme_is_that_which_the_outermost_trusted_proxy_saw(hops: int, header: str, scheme: str) -> None:
    """With fewer values than proxies it is the leftmost, as some proxies replace the header."""
    environ = {"REMOTE_ADDR": "127.0.0.1", "wsgi.url_scheme": "http", "HTTP_X_FORWARDED_PROTO": header}
    apply_forwarded_headers(environ, hops)
    assert environ["wsgi.url_scheme"] == scheme


def test_clients_behind_a_proxy_are_counted_apart(behind: Callable[..., Ask]) -> None:
    """An address that a client sends in the header has no effect."""
    ask = behind(1)
    assert ask(X_Forwarded_For="203.0.113.1").status_code == 401
    assert ask(X_Forwarded_For="203.0.113.2").status_code == 401
    assert ask(X_Forwarded_For="203.0.113.99, 203.0.113.1").status_code == 429
    assert ask(X_Forwarded_For="203.0.113.2").status_code == 429


def test_hsts_is_sent_over_https(behind: Callable[..., Ask]) -> None:
    """Plain http, and settings without it, get no such header."""
    ask = behind(1, 31536000)
    secured = ask("/health/live", X_Forwarded_Proto="https")
    assert secured.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "Strict-Transport-Security" not in ask("/health/live", X_Forwarded_Proto="http").headers
    assert "Strict-Transport-Security" not in ask("/health/live").headers
    assert "Strict-Transport-Security" not in behind(1)("/health/live", X_Forwarded_Proto="https").headers


def test_host_header_has_no_effect(behind: Callable[..., Ask]) -> None:
    """Redirects contain a path only."""
    ask = behind(1)
    moved = ask("/v2/posts", X_Forwarded_For="203.0.113.3", X_Forwarded_Host="evil.example", Host="evil.example")
    assert (moved.status_code, moved.headers["Location"]) == (301, "/v2/posts/")
