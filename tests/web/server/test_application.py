"""Requests as granian passes them on: where they are answered, how bodies are received, how errors are answered."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from flask import Flask
from msgspec.structs import replace

from sitecms.actions.accounts import passwords
from sitecms.actions.accounts.users import add_user
from sitecms.api.wsgi import Environ
from sitecms.content.token import Scope, new_secret, secret_digest
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.writes.tokens import NO_LIMITS, insert_token
from sitecms.web.server.application import (
    MANY_PASSWORDS,
    MAX_PASSWORD_FORMS,
    THREADS,
    UNREADABLE,
    BodyBuffer,
    RsgiApplication,
    make_environ,
)
from sitecms.web.service import CurrentService, Service, create_service, service_maker
from tests.support import event_loop
from tests.support.reading import execute, select
from tests.support.waiting import PATIENCE_SECONDS

AT_ONCE = event_loop.THREAD
IN_THREAD = "requests"


class RequestHeaders:
    """Headers of a request."""

    def __init__(self, *headers: tuple[str, str]) -> None:
        self._headers = headers

    def items(self) -> list[tuple[str, str]]:
        """Names and values; granian leaves out values that are not ASCII."""
        return [(name, value) for name, value in self._headers if value.isascii()]

    def keys(self) -> list[str]:
        """All names."""
        return list(dict(self._headers))


@dataclass
class FakeExchange:
    """A request and its response, in place of granian's scope and protocol."""

    method: str
    path: str
    headers: RequestHeaders = field(default_factory=RequestHeaders)
    chunks: tuple[bytes, ...] = ()
    seconds: float = 0.0
    query_string: str = ""
    client: str = "192.0.2.1:4711"
    scheme: str = "http"
    http_version: str = "1.1"
    authority: str | None = None
    status: int = 0
    response_headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    thread: str = ""
    """Name of the thread that sent the response."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self.chunks:
            await asyncio.sleep(self.seconds)
            yield chunk

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        """Keep the response."""
        self.status, self.body, self.thread = status, body, threading.current_thread().name
        self.response_headers = {name.lower(): value for name, value in headers}


def ask(application: RsgiApplication, exchange: FakeExchange, *, is_last: bool = True) -> FakeExchange:
    """Have the request answered on an event loop."""
    request: Any = exchange
    try:
        event_loop.run(asyncio.wait_for(application.__rsgi__(request, request), PATIENCE_SECONDS))
    finally:
        if is_last:
            application.close()
    return exchange


def services_of(runtime: Runtime) -> CurrentService:
    """What a web process of the site serves; no worker hears of its writes."""
    return CurrentService(runtime.settings, service_maker(runtime, hint=lambda _id: None))


@pytest.fixture
def answer(runtime: Runtime) -> Callable[..., FakeExchange]:
    """Have a request answered by the service of a site; header names with _ for -."""

    def run(
        method: str, path: str, *chunks: bytes, seconds: float = 0.0, reads_wait: bool = False, **headers: str
    ) -> FakeExchange:
        bodies = BodyBuffer(seconds=0.3 if seconds else PATIENCE_SECONDS)
        application = RsgiApplication(services_of(runtime), reads_wait=reads_wait, bodies=bodies)
        request_headers = RequestHeaders(*((name.lower().replace("_", "-"), text) for name, text in headers.items()))
        exchange = ask(application, FakeExchange(method, path, request_headers, chunks, seconds))
        assert bodies.held_bytes == 0
        return exchange

    return run


@pytest.fixture
def token(make_token: Callable[..., str], make_author: Callable[..., str]) -> str:
    """The Authorization header of a token that may write; posts belong to the only author."""
    make_author()
    return f"Token {make_token('w', Scope.WRITE)}"


def test_refused_writes_are_answered_without_their_bodies(answer: Callable[..., FakeExchange], token: str) -> None:
    """No chunk of the body has to arrive."""
    for status, headers in (
        (401, {"content_length": "1"}),
        (413, {"authorization": token, "content_length": "99999999"}),
        (400, {"authorization": token, "content_length": "1_0"}),
        (400, {"authorization": token, "content_length": "0" * 5000}),
    ):
        assert answer("POST", "/v2/posts/", **headers).status == status


def test_cached_reads_are_answered_at_once(runtime: Runtime, token: str, store: Database) -> None:
    """Until the store changes or the token is another one; reads of a store on a server always wait in a thread."""
    services = services_of(runtime)
    application = RsgiApplication(services)

    def read(path: str = "/v2/authors/?auth_token=x", authorization: str = token) -> FakeExchange:
        path, _mark, query = path.partition("?")
        headers = RequestHeaders(("authorization", authorization))
        return ask(application, FakeExchange("GET", path, headers, query_string=query), is_last=False)

    before = [read() for _ in range(3)]
    assert [exchange.thread.partition("_")[0] for exchange in before] == [IN_THREAD, AT_ONCE, AT_ONCE]
    assert len({exchange.body for exchange in before}) == 1
    execute(store, "UPDATE author SET bio = 'changed'")
    after = read()
    assert after.thread.startswith(IN_THREAD)
    assert b"changed" in after.body
    assert b"changed" not in before[-1].body
    assert read().thread.startswith(AT_ONCE)
    assert read(authorization="Token other").status == 401
    assert read("/health/live").thread.startswith(AT_ONCE)
    application.close()
    on_server = RsgiApplication(services, reads_wait=True)
    for path, thread in (("/v2/authors/", IN_THREAD), ("/health/live", AT_ONCE)):
        exchange = FakeExchange("GET", path, RequestHeaders(("authorization", token)))
        assert ask(on_server, exchange, is_last=False).thread.startswith(thread)
    on_server.close()


@pytest.mark.sqlite_only("the engine does not matter")
def test_writes_leave_threads_to_reads(runtime: Runtime, token: str, store: Database) -> None:
    """As while another process holds the lock of writers for long."""
    application: Any = RsgiApplication(services_of(runtime))
    body = b'{"title": "Ebb"}'
    headers = RequestHeaders(("authorization", token), ("content-length", "16"))
    writes = [FakeExchange("POST", "/v2/posts/", headers, (body, b"")) for _ in range(2 * THREADS)]
    read = FakeExchange("GET", "/v2/authors/", RequestHeaders(("authorization", token)))

    async def run() -> None:
        with store.writing():
            tasks = [asyncio.ensure_future(application.__rsgi__(each, each)) for each in writes]
            for _ in range(3):
                await asyncio.sleep(0.01)
            await asyncio.wait_for(application.__rsgi__(read, read), PATIENCE_SECONDS)
            assert [each.status for each in writes] == [0] * len(writes)
        await asyncio.gather(*tasks)

    event_loop.run(run())
    application.close()
    assert read.status == 200
    assert {each.status for each in writes} == {202}


def test_unreadable_headers_count_as_present(answer: Callable[..., FakeExchange], token: str, store: Database) -> None:
    """A write loses neither its condition nor its idempotency key; a read ignores them."""
    body = b'{"title": "Ebb"}'
    valid = {"authorization": token, "content_length": "16"}
    assert answer("POST", "/v2/posts/", body, b"", idempotency_key="cl\xe9", **valid).status == 400
    assert answer("POST", "/v2/posts/", body, b"", content_type="text/html; a=\xe9", **valid).status == 415
    assert answer("POST", "/v2/posts/", body, b"", authorization="Token \xe9", content_length="16").status == 401
    assert answer("GET", "/v2/posts/", authorization=token, user_agent="M\xfcsli").status == 200
    assert select(store, "SELECT count(*) FROM write")[0][0] == 0
    scope: Any = FakeExchange("PATCH", "/", RequestHeaders(("if-match", '"\xe9"'), ("x_odd", "\xe9")))
    assert make_environ(scope)["HTTP_IF_MATCH"] == UNREADABLE


def test_requests_that_may_wait_run_in_threads(
    answer: Callable[..., FakeExchange], token: str, store: Database
) -> None:
    """Writes with and without a body, metrics, readiness, media files."""

    def in_thread(*arguments: Any, **headers: str) -> FakeExchange:
        exchange = answer(*arguments, **headers)
        assert exchange.thread.startswith(IN_THREAD)
        return exchange

    body = b'{"title": "Ebb"}'
    accepted = in_thread("POST", "/v2/posts/", body[:5], body[5:], b"", authorization=token, content_length="16")
    assert accepted.status == 202
    assert "connection" not in accepted.response_headers
    assert in_thread("DELETE", "/v2/posts/nothing/", authorization=token).status == 404
    assert in_thread("GET", "/health/ready").status == 200
    assert in_thread("GET", "/metrics").status == 404
    assert in_thread("GET", "/media/x.png").status == 404
    assert select(store, "SELECT count(*) FROM write")[0][0] == 1


def test_client_that_is_admitted_after_its_body_was_refused_is_asked_to_try_again(
    runtime: Runtime, make_author: Callable[..., str], store: Database
) -> None:
    """Its token is stored between both checks: the body was not received, and is not called invalid."""
    make_author()
    service, secret = create_service(runtime, hint=lambda _id: None), new_secret()

    def check_early(environ: Environ) -> bool:
        may_write = service.may_write(environ)
        if not may_write:
            store.write(insert_token, "w", Scope.WRITE, secret_digest(secret), runtime.clock(), None, NO_LIMITS)
        return may_write

    early = replace(service, may_write=check_early)
    application = RsgiApplication(CurrentService(runtime.settings, lambda _settings: early))
    headers = RequestHeaders(("authorization", f"Token {secret}"), ("content-length", "16"))

    def write() -> FakeExchange:
        return ask(application, FakeExchange("POST", "/v2/posts/", headers, (b'{"title": "Ebb"}', b"")), is_last=False)

    refused = write()
    assert (refused.status, refused.response_headers["retry-after"]) == (503, "1")
    assert write().status == 202
    application.close()
    assert select(store, "SELECT count(*) FROM write") == [(1,)]


def test_body_that_takes_too_long_ends_its_connection(
    answer: Callable[..., FakeExchange], token: str, store: Database
) -> None:
    """The status is 408 and nothing is written, even if the object is complete by then."""
    late = answer("POST", "/v2/posts/", b'{"title": "Ebb"}', b"", seconds=0.2, authorization=token, content_length="16")
    assert (late.status, late.response_headers["connection"]) == (408, "close")
    assert select(store, "SELECT count(*) FROM write")[0][0] == 0


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_error_outside_of_the_app_is_answered_with_500(method: str, site: SiteSettings) -> None:
    """The response names the log line, and nothing else."""

    def broken(_environ: Any, _start: Any) -> list[bytes]:
        raise RuntimeError("broken")

    service = Service(Flask("broken"), broken, lambda _environ: True, None)
    failed = ask(RsgiApplication(CurrentService(site, lambda _settings: service)), FakeExchange(method, "/"))
    assert (failed.status, failed.response_headers["content-type"]) == (500, "application/json")
    answered = json.loads(failed.body)
    assert answered == {"detail": "Internal server error.", "request_id": answered["request_id"]}


def test_environ_of_a_request() -> None:
    """Names as WSGI has them; repeated headers are joined, those with an underscore left out."""
    scope: Any = FakeExchange(
        "GET", "/v2/posts/\u6f6e/",
        RequestHeaders(
            ("host", "tide.example"), ("accept", "a"), ("accept", "b"), ("cookie", "a=1"), ("cookie", "b=2"),
            ("x-odd-one", "1"), ("x_forwarded_for", "203.0.113.9"), ("content-type", "text/plain"),
        ),
        query_string="a=%20&b=\u6f6e", client="[2001:db8::1]:4711",
    )  # fmt: skip
    environ = make_environ(scope)
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/v2/posts/\u6f6e/"
    assert environ["QUERY_STRING"].encode("latin-1").decode() == "a=%20&b=\u6f6e"
    assert environ["REMOTE_ADDR"] == "2001:db8::1"
    assert (environ["HTTP_ACCEPT"], environ["HTTP_COOKIE"], environ["HTTP_X_ODD_ONE"]) == ("a,b", "a=1; b=2", "1")
    assert (environ["HTTP_HOST"], environ["CONTENT_TYPE"]) == ("tide.example", "text/plain")
    assert "HTTP_X_FORWARDED_FOR" not in environ
    assert environ["wsgi.input"].read() == b""
    by_authority: Any = FakeExchange("GET", "/", authority="tide.example")
    assert make_environ(by_authority)["HTTP_HOST"] == "tide.example"


@pytest.mark.sqlite_only("the engine does not matter")
def test_sign_ins_leave_the_threads_of_writes_alone(runtime: Runtime, token: str) -> None:
    """While passwords are checked slowly, writes are answered; when many forms wait, further ones are refused."""
    application: Any = RsgiApplication(services_of(runtime))

    def form(number: int) -> FakeExchange:
        body = f"name=n{number}&password=wrong".encode()
        headers = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}
        headers |= {"content-length": str(len(body)), "host": "127.0.0.1"}
        return FakeExchange("POST", "/studio/sign-in/", RequestHeaders(*headers.items()), (body,), client="127.0.0.1:1")

    waiting = [form(number) for number in range(MAX_PASSWORD_FORMS)]
    refused = form(MAX_PASSWORD_FORMS)
    body = json.dumps({"title": "Ebb", "body": "<p>x</p>"}).encode()
    headers = (("authorization", token), ("content-length", str(len(body))), ("content-type", "application/json"))
    write = FakeExchange("POST", "/v2/posts/", RequestHeaders(*headers), (body,))

    async def run() -> None:
        with passwords._slot(), passwords._slot():
            tasks = [asyncio.ensure_future(application.__rsgi__(each, each)) for each in waiting]
            await asyncio.sleep(0)
            for exchange in (refused, write):
                await asyncio.ensure_future(application.__rsgi__(exchange, exchange))
            assert [each.status for each in waiting] == [0] * MAX_PASSWORD_FORMS
        await asyncio.gather(*tasks)

    add_user(runtime.database, None, "mira", Role.ADMIN, "", "correct horse battery staple", "Tide", runtime.clock())
    event_loop.run(run())
    application.close()
    assert (refused.status, write.status) == (503, 202)
    assert MANY_PASSWORDS in refused.body.decode()
    assert int(refused.response_headers["retry-after"]) > 0
    assert {each.status for each in waiting} == {401}


def test_new_settings_are_used_by_the_next_request(runtime: Runtime, token: str) -> None:
    """It is answered in a thread, also a cached read, and the loop waits for nothing; the next one is cached again."""
    application = RsgiApplication(services_of(runtime))

    def read() -> FakeExchange:
        request = FakeExchange("GET", "/v2/posts/", RequestHeaders(("authorization", token)), query_string="locale=es")
        return ask(application, request, is_last=False)

    read()
    assert read().thread.startswith(AT_ONCE)
    path = runtime.settings.folder / "site.toml"
    path.write_text(path.read_text("utf-8").replace('"en", "es"', '"en", "de"'), encoding="utf-8")
    renewed = read()
    assert (renewed.status, renewed.thread.partition("_")[0]) == (400, IN_THREAD)
    path.write_text(path.read_text("utf-8").replace('"en", "de"', '"es", "en"'), encoding="utf-8")
    assert read().status == 200
    assert read().thread.startswith(AT_ONCE)
    application.close()
