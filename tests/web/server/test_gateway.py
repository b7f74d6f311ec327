"""Requests as granian hands them over: which are answered at once, what becomes of bodies, and of what goes wrong."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from sitecms.api.auth import Authenticator
from sitecms.content.token import Scope, Token
from sitecms.errors import StoreUnusable
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.web.server.body_buffer import Bodies
from sitecms.web.server.gateway import Gateway
from sitecms.web.server.rsgi import UNREADABLE, environ_of
from sitecms.web.service import create_service


@dataclass
class Asked:
    """A request and its answer; stands in for granian's own objects."""

    method: str
    path: str
    headers: Any = ()
    parts: tuple[bytes, ...] = ()
    seconds: float = 0.0
    query_string: str = ""
    body: bytes = b""
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

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        """The answer."""
        self.body = body
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
        """Names and values, of which granian leaves out what is no ASCII."""
        return [(name, value) for name, value in self._named if value.isascii()]

    def __iter__(self) -> Iterator[str]:
        return iter(dict(self._named))


@pytest.fixture
def token(make_token: Callable[..., str], make_author: Callable[..., str]) -> str:
    """The header of one who may write; posts belong to the only author."""
    make_author()
    return f"Token {make_token('w', Scope.WRITE)}"


def test_reads_are_answered_in_the_call_that_brings_them(answer: Callable[..., Asked], token: str) -> None:
    """Kept or not; so are writes of those who may not, whose bodies nobody waits for."""
    assert answer("GET", "/v2/posts/", at_once=True, authorization=token).status == 200
    assert answer("GET", "/health/live", at_once=True).status == 200
    assert answer("OPTIONS", "/v2/posts/", at_once=True).status == 200
    assert answer("POST", "/v2/posts/", b"{", at_once=True, content_length="1").status == 401
    assert answer("POST", "/v2/posts/", at_once=True, authorization=token, content_length="99999999").status == 413
    assert answer("POST", "/v2/posts/", at_once=True, authorization=token, content_length="1_0").status == 400
    assert answer("POST", "/v2/posts/", at_once=True, authorization=token, content_length="0" * 5000).status == 400


def test_a_request_that_is_answered_is_let_go(answer: Callable[..., Asked], token: str) -> None:
    """Also at once, and where the answer is an error: who still sends a body finds its connection closed."""
    for method, path in (("GET", "/v2/posts/"), ("GET", "/nope"), ("POST", "/nope"), ("POST", "/v2/posts/")):
        assert answer(method, path, at_once=True, content_length="9000000").ended.is_set()
    assert answer("GET", "/v2/posts/", at_once=True, authorization=token).ended.is_set()


def test_headers_that_granian_does_not_tell_are_no_missing_ones(
    answer: Callable[..., Asked], token: str, store: Database
) -> None:
    """A write neither loses its condition nor its key; a read goes on without."""
    body = b'{"title": "Ebb"}'
    sound = {"authorization": token, "content_length": "16"}
    assert answer("POST", "/v2/posts/", body, b"", idempotency_key="cl\xe9", **sound).status == 400
    assert answer("POST", "/v2/posts/", body, b"", content_type="text/html; a=\xe9", **sound).status == 415
    assert (
        answer("POST", "/v2/posts/", body, b"", authorization="Token \xe9", content_length="16", at_once=True).status
        == 401
    )
    assert answer("GET", "/v2/posts/", at_once=True, authorization=token, user_agent="M\xfcsli").status == 200
    with store.reading() as session:
        assert session.sql("SELECT count(*) FROM write")[0][0] == 0
    patch = environ_of(Asked("PATCH", "/", _Items([("if-match", '"\xe9"'), ("x_odd", "\xe9")])))
    assert patch["HTTP_IF_MATCH"] == UNREADABLE


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


def test_who_is_let_in_after_the_body_was_refused_is_asked_to_send_anew(
    answer: Callable[..., Asked], token: str, store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is back between both looks: the body was not waited for, and is not said to be wrong."""
    admit, looks = Authenticator.authenticate_write, iter([False])

    def look(gate: Authenticator, authorization: str) -> Token:
        if not next(looks, True):
            raise StoreUnusable("just now")
        return admit(gate, authorization)

    monkeypatch.setattr(Authenticator, "authenticate_write", look)
    body = b'{"title": "Ebb"}'
    answered = answer("POST", "/v2/posts/", body, b"", at_once=True, authorization=token, content_length=str(len(body)))
    assert (answered.status, answered.answered["retry-after"]) == (503, "1")
    assert answer("POST", "/v2/posts/", body, b"", authorization=token, content_length=str(len(body))).status == 202
    with store.reading() as session:
        assert session.sql("SELECT count(*) FROM write") == [(1,)]


def test_a_body_that_takes_too_long_ends_its_connection(
    answer: Callable[..., Asked], token: str, store: Database
) -> None:
    """408, and nothing is kept, even where the object was whole by then."""
    late = answer("POST", "/v2/posts/", b'{"title": "Ebb"}', b"", seconds=0.2, authorization=token, content_length="16")
    assert (late.status, late.answered["connection"]) == (408, "close")
    with store.reading() as session:
        assert session.sql("SELECT count(*) FROM write")[0][0] == 0


def test_what_fails_leaves_no_request_open(runtime: Runtime) -> None:
    """An app that breaks down, at once or on a thread: the answer names the log line, and nothing else."""

    def broken(_environ: Any, _start: Any) -> list[bytes]:
        raise RuntimeError("broken")

    async def ask(method: str) -> Asked:
        gateway = Gateway(broken, lambda _environ: True, asyncio.get_running_loop())
        asked = Asked(method, "/", _Items([]))
        gateway.take(asked)
        await asyncio.wait_for(asked.ended.wait(), 20)
        return asked

    for method in ("GET", "DELETE"):
        failed = asyncio.run(ask(method))
        assert (failed.status, failed.answered["content-type"]) == (500, "application/json")
        told = json.loads(failed.body)
        assert told == {"detail": "Internal server error.", "request_id": told["request_id"]}


def test_the_environment_of_a_request() -> None:
    """Names as WSGI has them; doubled headers are joined, those with an underscore left out."""
    asked = Asked(
        "GET", "/v2/posts/\u6f6e/",
        _Items([
            ("host", "tide.example"), ("accept", "a"), ("accept", "b"), ("cookie", "a=1"), ("cookie", "b=2"),
            ("x-odd-one", "1"), ("x_forwarded_for", "203.0.113.9"), ("content-type", "text/plain"),
        ]),
        query_string="a=%20&b=\u6f6e", client="[2001:db8::1]:4711",
    )  # fmt: skip
    environ = environ_of(asked)
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/v2/posts/\u6f6e/"
    assert environ["QUERY_STRING"].encode("latin-1").decode() == "a=%20&b=\u6f6e"
    assert environ["REMOTE_ADDR"] == "2001:db8::1"
    assert (environ["HTTP_ACCEPT"], environ["HTTP_COOKIE"], environ["HTTP_X_ODD_ONE"]) == ("a,b", "a=1; b=2", "1")
    assert (environ["HTTP_HOST"], environ["CONTENT_TYPE"]) == ("tide.example", "text/plain")
    assert "HTTP_X_FORWARDED_FOR" not in environ
    assert environ["wsgi.input"].read() == b""
    assert environ_of(Asked("GET", "/", _Items([]), authority="tide.example"))["HTTP_HOST"] == "tide.example"
