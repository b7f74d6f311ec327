"""Requests as granian hands them over: which are answered at once, what becomes of bodies, and of what goes wrong."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from sitecms.api.app import create_service
from sitecms.api.bodies import Bodies
from sitecms.api.gateway import Gateway
from sitecms.api.rsgi import environ_of
from sitecms.content.token import Scope
from sitecms.runtime import Runtime
from sitecms.store.database import Database


@dataclass
class Asked:
    """A request and its answer; stands in for granian's own objects."""

    method: str
    path: str
    headers: Any = ()
    parts: tuple[bytes, ...] = ()
    seconds: float = 0.0
    query_string: str = ""
    client: str = "192.0.2.1:4711"
    scheme: str = "http"
    http_version: str = "1.1"
    authority: str | None = None
    status: int = 0
    answered: dict[str, str] = field(default_factory=dict)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def scope(self) -> Any:
        """What is asked for."""
        return self

    proto = scope

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            await asyncio.sleep(self.seconds)
            yield part

    def response_bytes(self, status: int, headers: list[tuple[str, str]], _body: bytes) -> None:
        """The answer."""
        self.status, self.answered = status, {name.lower(): value for name, value in headers}

    def done(self) -> None:
        """Nothing more will come."""
        self.ended.set()


@pytest.fixture
def answer(runtime: Runtime) -> Callable[..., Asked]:
    """Have a request answered; `at_once`: before the loop does anything."""

    def run(
        method: str, path: str, *parts: bytes, at_once: bool = False, seconds: float = 0.0, **headers: str
    ) -> Asked:
        async def wait() -> Asked:
            service = create_service(runtime, hint=lambda _id: None)
            bodies = Bodies(seconds=0.3)
            gateway = Gateway(service.app.wsgi_app, service.may_write, asyncio.get_running_loop(), bodies)
            named = [(name.lower().replace("_", "-"), value) for name, value in headers.items()]
            asked = Asked(method, path, _Items(named), parts, seconds)
            gateway.take(asked)
            if not at_once:
                assert asked.status == 0
                await asyncio.wait_for(asked.ended.wait(), 20)
            assert bodies.held_bytes == 0
            return asked

        return asyncio.run(wait())

    return run


class _Items:
    """Headers."""

    def __init__(self, named: list[tuple[str, str]]) -> None:
        self._named = named

    def items(self) -> list[tuple[str, str]]:
        """Names and values."""
        return self._named


@pytest.fixture
def token(make_token: Callable[..., str]) -> str:
    """The header of one who may write."""
    return f"Token {make_token('w', Scope.WRITE)}"


def test_reads_are_answered_in_the_call_that_brings_them(answer: Callable[..., Asked], token: str) -> None:
    """Kept or not; so are writes of those who may not, whose bodies nobody waits for."""
    assert answer("GET", "/v2/posts/", at_once=True, authorization=token).status == 200
    assert answer("GET", "/health/live", at_once=True).status == 200
    assert answer("OPTIONS", "/v2/posts/", at_once=True).status == 200
    assert answer("POST", "/v2/posts/", b"{", at_once=True, content_length="1").status == 401
    assert answer("POST", "/v2/posts/", at_once=True, authorization=token, content_length="99999999").status == 413
    assert answer("POST", "/v2/posts/", at_once=True, authorization=token, content_length="1_0").status == 400


def test_what_may_wait_is_carried_out_elsewhere(answer: Callable[..., Asked], token: str, store: Database) -> None:
    """Writes with and without a body, metrics, readiness, media files."""
    body = b'{"title": "Ebb"}'
    accepted = answer("POST", "/v2/posts/", body[:5], body[5:], b"", authorization=token, content_length=str(len(body)))
    assert accepted.status == 202
    assert "connection" not in accepted.answered
    assert answer("DELETE", "/v2/posts/nothing/", authorization=token).status == 404
    assert answer("GET", "/health/ready").status == 200
    assert answer("GET", "/metrics").status == 404
    assert answer("GET", "/media/x.png").status == 404
    with store.reading() as session:
        assert session.sql("SELECT count(*) FROM write")[0][0] == 1


def test_a_body_that_takes_too_long_ends_its_connection(
    answer: Callable[..., Asked], token: str, store: Database
) -> None:
    """408, and nothing is kept, even where the object was whole by then."""
    late = answer("POST", "/v2/posts/", b'{"title": "Ebb"}', b"", seconds=0.2, authorization=token, content_length="16")
    assert (late.status, late.answered["connection"]) == (408, "close")
    with store.reading() as session:
        assert session.sql("SELECT count(*) FROM write")[0][0] == 0


def test_what_fails_leaves_no_request_open(runtime: Runtime) -> None:
    """An app that breaks down, at once or on a thread."""

    def broken(_environ: Any, _start: Any) -> list[bytes]:
        raise RuntimeError("broken")

    async def ask(method: str) -> Asked:
        gateway = Gateway(broken, lambda _environ: True, asyncio.get_running_loop())
        asked = Asked(method, "/", _Items([]))
        gateway.take(asked)
        await asyncio.wait_for(asked.ended.wait(), 20)
        return asked

    assert asyncio.run(ask("GET")).status == 0
    assert asyncio.run(ask("DELETE")).status == 0


def test_the_environment_of_a_request() -> None:
    """Names as WSGI has them; doubled headers are joined, those with an underscore left out."""
    asked = Asked(
        "GET", "/v2/posts/\u6f6e/",
        _Items([
            ("host", "tide.example"), ("accept", "a"), ("accept", "b"), ("cookie", "a=1"), ("cookie", "b=2"),
            ("x-odd-one", "1"), ("x_forwarded_for", "203.0.113.9"), ("content-type", "text/plain"),
        ]),
        query_string="a=%20", client="[2001:db8::1]:4711",
    )  # fmt: skip
    environ = environ_of(asked)
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/v2/posts/\u6f6e/"
    assert (environ["QUERY_STRING"], environ["REMOTE_ADDR"]) == ("a=%20", "2001:db8::1")
    assert (environ["HTTP_ACCEPT"], environ["HTTP_COOKIE"], environ["HTTP_X_ODD_ONE"]) == ("a,b", "a=1; b=2", "1")
    assert (environ["HTTP_HOST"], environ["CONTENT_TYPE"]) == ("tide.example", "text/plain")
    assert "HTTP_X_FORWARDED_FOR" not in environ
    assert environ["wsgi.input"].read() == b""
    assert environ_of(Asked("GET", "/", _Items([]), authority="tide.example"))["HTTP_HOST"] == "tide.example"
