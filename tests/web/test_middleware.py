"""Middleware: previews are never stored, forwarded headers count as far as trusted, request ids and the request log."""

from collections.abc import Callable, Iterator

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace
from structlog.testing import capture_logs
from werkzeug.test import TestResponse

from sitecms.runtime import Runtime
from sitecms.settings.operations import LogSettings, ProxySettings, RateLimitSettings
from sitecms.web.middleware import apply_forwarded_headers
from sitecms.web.service import create_app

NAMES = {"name": "rss", "slug": "one", "page_type": "*", "page_slug": "one", "keys": "team", "key": "team"}


def addresses(runtime: Runtime) -> Iterator[str]:
    """Yield two addresses of every route that answers GET: one that may exist, and one without its trailing slash."""
    for rule in create_app(runtime).url_map.iter_rules():
        if "GET" in (rule.methods or ()):
            path = rule.rule
            for name in rule.arguments:
                path = path.replace(f"<{name}>", NAMES.get(name, "1"))
            yield path
            yield path.rstrip("/") or "/"


@pytest.mark.parametrize("query", ["preview=1", "test=1", "preview=true&locale=xx", "preview=0&test=1", "%70review=1"])
def test_previews_of_all_routes_are_no_store(
    runtime: Runtime, client: FlaskClient, make_post: Callable[..., int], make_token: Callable[..., str], query: str
) -> None:
    """Token, method, missing entries, redirects and 304 make no difference."""
    make_post("one", categories=("Sea",), tags=("moon",))
    known = {"Authorization": f"Token {make_token('reader')}"}
    seen: set[int] = set()
    for path in addresses(runtime):
        for headers in ({}, known, {**known, "If-None-Match": "*"}):
            for method in ("GET", "HEAD"):
                answered = client.open(f"{path}?{query}", method=method, headers=headers, buffered=True)
                assert answered.headers.getlist("Cache-Control") == ["no-store"], (method, path, answered.status)
                seen.add(answered.status_code)
    assert {200, 301, 401, 404} <= seen or "locale=xx" in query
    assert 304 in seen


@pytest.mark.parametrize("query", ["", "?preview=0", "?test=false", "?query=preview", "?preview=1&preview=0"])
def test_other_responses_may_be_stored(
    client: FlaskClient, make_post: Callable[..., int], make_token: Callable[..., str], query: str
) -> None:
    """The last value of a repeated parameter counts, and the word alone asks for no preview."""
    make_post("one")
    headers = {"Authorization": f"Token {make_token('reader')}"}
    assert client.get(f"/v2/posts/{query}", headers=headers).headers["Cache-Control"] == "private, no-cache"


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


Get = Callable[..., TestResponse]


@pytest.fixture
def logging_client(runtime: Runtime) -> FlaskClient:
    """Return a client of an app that logs requests."""
    settings = replace(runtime.settings, logs=LogSettings(access=True))
    return create_app(replace(runtime, settings=settings)).test_client()


def test_request_id_is_returned(get: Get, make_post: Callable[..., int]) -> None:
    """Cached and uncached responses, errors, redirects and open paths have it once."""
    make_post("one")
    for path in ("/v2/posts/", "/v2/posts/", "/v2/posts/nothing/", "/v2/posts", "/health/live"):
        answered = get(path, **{"X-Request-ID": "a-1.b_2"})
        assert answered.headers.getlist("X-Request-ID") == ["a-1.b_2"]


@pytest.mark.parametrize("given", ["", "a b", "x" * 129, "a;b", "é"])
def test_invalid_request_id_is_replaced(get: Get, given: str) -> None:
    """Only short ids of safe characters go into logs and headers."""
    answered = get("/health/live", **{"X-Request-ID": given})
    (own,) = answered.headers.getlist("X-Request-ID")
    assert len(own) == 16
    assert own != given


def test_reads_get_an_id_if_requests_are_logged(get: Get, client: FlaskClient, logging_client: FlaskClient) -> None:
    """Writes always get one."""
    assert "X-Request-ID" not in get("/v2/posts/").headers
    assert len(client.post("/v2/posts/").headers["X-Request-ID"]) == 16
    assert len(logging_client.get("/v2/posts/").headers["X-Request-ID"]) == 16


def test_requests_are_logged_without_their_query(
    logging_client: FlaskClient, make_token: Callable[..., str], make_post: Callable[..., int]
) -> None:
    """A line has method, route, path, status and milliseconds."""
    make_post("one")
    secret = make_token()
    with capture_logs() as lines:
        for path in ("/v2/posts/one/", "/v2/posts/two/", "/v2/nothing/", "/v2/posts"):
            logging_client.get(f"{path}?auth_token={secret}")
        logging_client.post("/health/live")
    assert [(line["event"], line["method"], line["route"], line["path"], line["status"]) for line in lines] == [
        ("request", "GET", "/v2/posts/<slug>/", "/v2/posts/one/", 200),
        ("request", "GET", "/v2/posts/<slug>/", "/v2/posts/two/", 404),
        ("request", "GET", "other", "/v2/nothing/", 404),
        ("request", "GET", "other", "/v2/posts", 301),
        ("request", "POST", "other", "/health/live", 405),
    ]
    assert all(line["ms"] > 0 for line in lines)
    assert secret not in str(lines)


def test_requests_are_not_logged_by_default(get: Get) -> None:
    """A read that succeeds logs nothing."""
    with capture_logs() as lines:
        get("/v2/posts/")
    assert lines == []
