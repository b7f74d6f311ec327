"""Request ids and the request log."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from structlog.testing import capture_logs
from werkzeug.test import TestResponse

from sitecms.runtime import Runtime
from sitecms.settings.operations import LogSettings
from sitecms.web.service import create_app

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
