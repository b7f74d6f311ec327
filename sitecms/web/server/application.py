"""RSGI application of granian around the WSGI application.

The event loop answers cached reads of an SQLite store at once. Everything else runs in one thread pool, since it may
wait for the store, a lock, the network or a large file. Writes do not occupy all of its threads, so that a long write
transaction of another process leaves room for reads. Forms with a password have threads of their own.

The event loop receives request bodies into memory, and uploads to the studio into files, but only of clients that may
write; other clients get their answer at once. A body that takes too long, breaks off or is too large is replaced by one
whose `read` raises the error. The bytes of all bodies of a process together are limited, so that many clients cannot
fill its memory or its disk.
"""

import asyncio
import sys
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Protocol, TypeAlias, TypeVar, TypeVarTuple

import orjson
import structlog
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge, RequestTimeout, ServiceUnavailable

from sitecms.actions.accounts.passwords import MOST_AT_ONCE
from sitecms.actions.garbage_collection import exclude_present_objects
from sitecms.api.errors import FAILURE
from sitecms.api.request_body import MAX_BODY_BYTES
from sitecms.api.responses import NO_STORE
from sitecms.api.wsgi import FILE_PART, READ_METHODS, Environ, FilePart, Headers, new_request_id
from sitecms.errors import InvalidRequest
from sitecms.media.intake import MAX_UPLOAD_BYTES
from sitecms.web.middleware import is_upload
from sitecms.web.service import FROM_STRANGER, CurrentService, Service

if TYPE_CHECKING:
    from granian.rsgi import Scope

THREADS = 4  # on a database server each may use a connection
WRITE_THREADS = 3
UNREADABLE = "\xff"  # for a header that is not ASCII: granian leaves its value out and lists only the name
INCOMPLETE = "The body ended before it was complete."
BODY_SECONDS = 60.0
UPLOAD_SECONDS = 1800.0
MAX_TOTAL_BYTES = 128 * 1024 * 1024
MAX_TOTAL_UPLOAD_BYTES = 2 * 1024 * 1024 * 1024
MAX_TOTAL_STRANGER_BYTES = 32 * 1024 * 1024
MAX_PASSWORD_FORMS = 16  # at once in one process; the hash of a password takes 20 to 100 ms
MANY_PASSWORDS = "Many people are signing in. Try again in a few seconds."
_PASSWORD_FORMS = tuple(f"/studio/{name}/" for name in ("sign-in", "confirm", "invitation", "reset", "account"))
_IN_MEMORY_BYTES = 1024 * 1024
_MAX_DIGITS = 100
_LIVENESS = "/health/live"
_SERVICE = "sitecms.service"
"""Key of the environment of the Service that answers the request."""
_KEYS = {
    name: f"HTTP_{name.upper().replace('-', '_')}"
    for name in (
        "accept", "accept-encoding", "accept-language", "authorization", "cache-control", "connection", "cookie",
        "forwarded", "host", "if-match", "if-none-match", "if-range", "origin", "pragma", "range", "referer",
        "user-agent", "via", "x-forwarded-for", "x-forwarded-proto", "x-request-id",
    )
} | {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}  # fmt: skip
_log = structlog.get_logger("sitecms.api")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")
ReceivedBody: TypeAlias = BytesIO | SpooledTemporaryFile[bytes]


class FailedBody:
    """A body that could not be received."""

    def __init__(self, error: HTTPException | InvalidRequest) -> None:
        self._error = error

    def read(self, _size: int = -1) -> NoReturn:
        """Raise RequestTimeout (408), RequestEntityTooLarge (413), ServiceUnavailable (503) or InvalidRequest."""
        raise self._error


class UnreadBody:
    """A body that the server did not wait for.

    A request that is accepted after all, as by a store that can be read again, has to be sent again.
    """

    def read(self, _size: int = -1) -> NoReturn:
        """Raise ServiceUnavailable (503)."""
        raise ServiceUnavailable(retry_after=1)


class BodyLimits(NamedTuple):
    """Limits of the bodies of one process: seconds and bytes of one, and bytes of all together."""

    seconds: float
    max_bytes: int
    max_total_bytes: int


class BodyBuffer:
    """The request bodies that one process holds, in memory or in files; used by its event loop only."""

    def __init__(
        self, seconds: float = BODY_SECONDS, max_total_bytes: int = MAX_TOTAL_BYTES, *, in_files: bool = False
    ) -> None:
        self._limits = BodyLimits(seconds, MAX_UPLOAD_BYTES if in_files else MAX_BODY_BYTES, max_total_bytes)
        self._in_files = in_files
        self.held_bytes = 0

    async def receive(
        self, chunks: AsyncIterable[bytes], *, has_trailers: bool
    ) -> tuple[ReceivedBody | FailedBody, int]:
        """Return the body and its length in bytes, which count as held until they are passed to `release`.

        `has_trailers`: headers may follow the body; granian passes them on as an empty chunk.
        """
        body: ReceivedBody = SpooledTemporaryFile(_IN_MEMORY_BYTES) if self._in_files else BytesIO()  # noqa: SIM115 - returned
        try:
            async with asyncio.timeout(self._limits.seconds):
                error = await self._fill(body, chunks, 2 if has_trailers else 1)
        except TimeoutError:
            error = RequestTimeout()
        length = body.tell()
        if error is None:
            body.seek(0)
            return body, length
        body.close()
        self.release(length)
        return FailedBody(error), 0

    def release(self, byte_count: int) -> None:
        """Subtract bytes that are no longer held."""
        self.held_bytes -= byte_count

    async def _fill(
        self, body: ReceivedBody, chunks: AsyncIterable[bytes], max_empty: int
    ) -> HTTPException | InvalidRequest | None:
        """Append the chunks to the body; return the error, or None.

        granian ends a complete body with one empty chunk and sends one more where the connection breaks off.
        """
        empty = 0
        async for chunk in chunks:
            empty += not chunk
            body.write(chunk)
            self.held_bytes += len(chunk)
            if body.tell() > self._limits.max_bytes:
                return RequestEntityTooLarge()
            if self.held_bytes > self._limits.max_total_bytes:
                return ServiceUnavailable(retry_after=1)
        return InvalidRequest(INCOMPLETE) if empty > max_empty else None


class _EmptyBody:
    """The body of a request without one."""

    def read(self, _size: int = -1) -> bytes:
        return b""


_CONSTANTS: Environ = {
    "SCRIPT_NAME": "",
    "SERVER_NAME": "localhost",  # HTTP_HOST holds the host that the request names
    "SERVER_PORT": "80",
    "HTTP_HOST": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.input": _EmptyBody(),
    "wsgi.input_terminated": True,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
}


def make_environ(scope: "Scope") -> Environ:
    """Return the WSGI environment of a request, with an empty body.

    A header with an underscore in its name is left out, because it could be confused with another one
    (`X_Forwarded_For`). A request that may write keeps the headers with unreadable values: without its `If-Match` it
    would overwrite an entry that it must not.
    """
    environ = _CONSTANTS.copy()
    method = environ["REQUEST_METHOD"] = scope.method
    environ["PATH_INFO"] = _wsgi_text(scope.path) or "/"
    environ["QUERY_STRING"] = _wsgi_text(scope.query_string)
    environ["REMOTE_ADDR"] = scope.client.rpartition(":")[0].strip("[]")
    environ["SERVER_PROTOCOL"] = f"HTTP/{scope.http_version}"
    environ["wsgi.url_scheme"] = scope.scheme
    headers = scope.headers
    for name, value in headers.items():
        key = _KEYS.get(name) or _key_of(name)
        if environ.get(key):
            environ[key] += ("; " if name == "cookie" else ",") + value
        elif key:
            environ[key] = value
    if method not in READ_METHODS:
        for name in headers.keys():  # noqa: SIM118 - not a dict
            environ.setdefault(_KEYS.get(name) or _key_of(name), UNREADABLE)
    if not environ["HTTP_HOST"]:
        environ["HTTP_HOST"] = scope.authority or ""
    return environ


def _wsgi_text(text: str) -> str:
    """Return the UTF-8 bytes of the text decoded as Latin-1, the form that WSGI prescribes."""
    return text if text.isascii() else text.encode().decode("latin-1")


def _key_of(name: str) -> str:
    return "" if "_" in name else f"HTTP_{name.upper().replace('-', '_')}"


class Exchange(Protocol):
    """One request's body, to be read once, and its response, to be sent once: RSGI's `HTTPProtocol`."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Return the chunks of the body as they arrive."""

    def response_bytes(self, status: int, headers: Headers, body: bytes) -> None:
        """Send a response. Any thread may call this."""

    def response_file_range(self, status: int, headers: Headers, file: str, start: int, end: int) -> None:
        """Send a part of a file, which granian reads by itself. Any thread may call this."""


class RsgiApplication:
    """Answers the requests of one web process.

    `reads_wait`: the store answers over the network, so that even cached responses wait for its change number.
    """

    def __init__(self, services: CurrentService, *, reads_wait: bool = False, bodies: BodyBuffer | None = None) -> None:
        self._services = services
        self._reads_wait = reads_wait
        self._bodies = bodies or BodyBuffer()
        self._uploads = BodyBuffer(UPLOAD_SECONDS, MAX_TOTAL_UPLOAD_BYTES, in_files=True)
        self._strangers = BodyBuffer(max_total_bytes=MAX_TOTAL_STRANGER_BYTES)
        self._is_stopping = False
        self._pool = ThreadPoolExecutor(THREADS, "requests")
        self._writes = asyncio.Semaphore(WRITE_THREADS)
        self._password_pool = ThreadPoolExecutor(MOST_AT_ONCE, "passwords")
        self._password_forms = 0

    async def __rsgi__(self, scope: "Scope", exchange: Exchange) -> None:
        """Answer one request; log an error and answer it with 500."""
        try:
            environ = make_environ(scope)
            environ[_SERVICE] = await self._service_for(environ)
            if environ["REQUEST_METHOD"] not in READ_METHODS:
                await self._respond_to_write(environ, exchange)
            elif self._is_immediate(environ):
                self._respond(environ, exchange)
            else:
                await _run(self._pool, self._respond, environ, exchange)
        except Exception as error:  # noqa: BLE001 - no caller handles it
            _respond_with_failure(exchange, error)

    async def _service_for(self, environ: Environ) -> Service:
        """Return what answers a request, all of it; the event loop does not wait for new settings."""
        if environ["PATH_INFO"] == _LIVENESS:
            return self._services.last
        service = self._services.at_once()
        return await _run(self._pool, self._renew) if service is None else service

    def _renew(self) -> Service:
        """Return the service by new settings, and let go of the former one."""
        service = self._services.now()
        exclude_present_objects()
        return service

    def _is_immediate(self, environ: Environ) -> bool:
        """Return whether the answer to a read waits for nothing."""
        if environ["PATH_INFO"] == _LIVENESS:
            return True
        service: Service = environ[_SERVICE]
        reads = None if self._reads_wait else service.reads
        return reads is not None and reads.find_cached(environ)

    async def _respond_to_write(self, environ: Environ, exchange: Exchange) -> None:
        """Receive the body of a client that may write; refuse other clients without it."""
        service: Service = environ[_SERVICE]
        may_write = await _run(self._pool, service.may_write, environ)
        if not may_write:
            if _has_valid_length(environ):
                environ["wsgi.input"] = UnreadBody()
            await _run(self._pool, self._respond, environ, exchange)
        elif "CONTENT_LENGTH" not in environ and "HTTP_TRANSFER_ENCODING" not in environ:
            await self._write(environ, exchange)
        elif str(environ["PATH_INFO"]).startswith(_PASSWORD_FORMS):
            await self._respond_to_password(environ, exchange)
        else:
            await self._receive_and_respond(environ, exchange, self._write)

    async def _write(self, environ: Environ, exchange: Exchange) -> None:
        async with self._writes:
            await _run(self._pool, self._respond, environ, exchange)

    async def _respond_to_password(self, environ: Environ, exchange: Exchange) -> None:
        """Answer a form with a password in threads of its own, since its hash takes long; refuse it if many wait."""
        if self._password_forms >= MAX_PASSWORD_FORMS:
            environ["wsgi.input"] = FailedBody(ServiceUnavailable(MANY_PASSWORDS, retry_after=1))
            await _run(self._pool, self._respond, environ, exchange)
            return
        self._password_forms += 1
        try:
            await self._receive_and_respond(environ, exchange, self._check_password)
        finally:
            self._password_forms -= 1

    async def _check_password(self, environ: Environ, exchange: Exchange) -> None:
        await _run(self._password_pool, self._respond, environ, exchange)

    async def _receive_and_respond(
        self, environ: Environ, exchange: Exchange, respond: Callable[[Environ, Exchange], Awaitable[None]]
    ) -> None:
        bodies = self._bodies_of(environ)
        body, held_bytes = await bodies.receive(exchange, has_trailers="HTTP_TRAILER" in environ)
        try:
            is_cut = self._is_cut(environ, held_bytes)
            environ["wsgi.input"] = FailedBody(ServiceUnavailable(retry_after=1)) if is_cut else body
            await respond(environ, exchange)
        finally:
            bodies.release(held_bytes)
            if not isinstance(body, FailedBody):
                body.close()

    def _bodies_of(self, environ: Environ) -> BodyBuffer:
        """Return the buffer for the body: those of files, and of strangers, leave others the room that they need."""
        if is_upload(environ):
            return self._uploads
        return self._strangers if environ.get(FROM_STRANGER) else self._bodies

    def stop(self) -> None:
        """Prepare for shutdown: bodies that it cuts off get 503 instead of a client error."""
        self._is_stopping = True

    def _is_cut(self, environ: Environ, received_bytes: int) -> bool:
        """Return whether the end of the server may have cut off the body."""
        length = environ.get("CONTENT_LENGTH", "")
        return self._is_stopping and length.isdecimal() and received_bytes < int(length)

    def close(self) -> None:
        """Wait for the requests that threads are working on; drop those that no thread has begun."""
        self._password_pool.shutdown(cancel_futures=True)
        self._pool.shutdown(cancel_futures=True)

    def _respond(self, environ: Environ, exchange: Exchange) -> None:
        """Call the WSGI application and send its response. Any thread may call this."""
        start, service = _StartResponse(), environ[_SERVICE]
        body = service.wsgi(environ, start)
        if isinstance(environ["wsgi.input"], FailedBody):
            start.headers.append(("Connection", "close"))  # the rest of that body is not received
        part: FilePart | None = environ.get(FILE_PART)
        if type(body) is list:
            exchange.response_bytes(start.status, start.headers, body[0] if len(body) == 1 else b"".join(body))
        elif part is not None:
            exchange.response_file_range(start.status, start.headers, str(part.path), part.start, part.end)
            _close(body)
        else:
            exchange.response_bytes(start.status, start.headers, b"".join(body))
            _close(body)


class _StartResponse:
    """WSGI's `start_response`, which keeps the status and the headers."""

    __slots__ = ("headers", "status")

    def __init__(self) -> None:
        self.status = 500
        self.headers: Headers = []

    def __call__(self, status: str, headers: Headers, _error: object = None) -> None:
        self.status = int(status[:3])
        self.headers = headers


async def _run(pool: ThreadPoolExecutor, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    """Call the function in a thread of the pool, and return its result."""
    return await asyncio.get_running_loop().run_in_executor(pool, function, *arguments)


def _has_valid_length(environ: Environ) -> bool:
    """Return whether the app would read the body; it refuses an invalid length (400)."""
    length = environ.get("CONTENT_LENGTH", "0")
    return length.isdecimal() and len(length) <= _MAX_DIGITS


def _respond_with_failure(exchange: Exchange, error: Exception) -> None:
    """Log an error from outside the WSGI application and answer as it does; a response that was sent stays."""
    request_id = new_request_id()
    _log.error("request_failed", request_id=request_id, exc_info=error)
    body = orjson.dumps({"detail": FAILURE, "request_id": request_id})
    exchange.response_bytes(500, [("Content-Type", "application/json"), ("Cache-Control", NO_STORE)], body)


def _close(body: Any) -> None:
    close = getattr(body, "close", None)
    if close is not None:
        close()
