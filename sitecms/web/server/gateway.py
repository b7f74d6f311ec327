"""The app as granian calls it: reads at once, and everything else off the thread that answers reads.

granian's WSGI interface has a thread wait for each body, so a few slow clients would stop a process. Its other one,
RSGI, takes bodies without a thread; but the event loop that it expects apps to live in takes longer than a kept answer.
So reads are answered in the very call that brings them, with no event loop in between. Bodies are taken by the loop;
writes, and whatever else may wait for locks or the network, are carried out by a few threads.

A body is only taken from those who may write: anyone else gets the app's answer right away.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
import structlog

from sitecms.api.errors import FAILURE
from sitecms.api.responses import NO_STORE
from sitecms.api.wsgi import FILE_PART, Environ, FilePart, Headers, Wsgi, new_request_id
from sitecms.web.server.body_buffer import Bodies, Faulty
from sitecms.web.server.rsgi import READS, Exchange, Watcher, environ_of

THREADS = 8
_WAITING_READS = ("/media/", "/health/ready", "/metrics")  # they ask other services, or read large files
_log = structlog.get_logger("sitecms.api")


class Gateway:
    """Calls the app. `may_write` tells whether a request that is no read deserves that its body is waited for."""

    def __init__(
        self,
        app: Wsgi,
        may_write: Callable[[Environ], bool],
        loop: asyncio.AbstractEventLoop,
        bodies: Bodies | None = None,
    ) -> None:
        self._app = app
        self._may_write = may_write
        self._loop = loop
        self._bodies = bodies or Bodies()
        self._threads = ThreadPoolExecutor(THREADS, "waiting")
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, watcher: Watcher) -> None:
        """Answer a request, now or later; called on the thread that answers reads. Raises nothing."""
        try:
            environ = environ_of(watcher.scope)
            reads = environ["REQUEST_METHOD"] in READS
            waits = environ["PATH_INFO"].startswith(_WAITING_READS) if reads else self._may_write(environ)
            if waits:
                self._loop.call_soon_threadsafe(self._begin, environ, watcher)
                return
            self._answer(environ, watcher.proto)
        except Exception as error:  # noqa: BLE001 - nobody is left to catch it
            _fail(watcher.proto, error)
        watcher.done()  # whose frames an error of the app may keep: a client that still sends would wait for ever

    def end(self) -> None:
        """Wait for what the threads are at; what they have not begun is not begun any more."""
        self._threads.shutdown(cancel_futures=True)

    def _begin(self, environ: Environ, watcher: Watcher) -> None:
        task = self._loop.create_task(self._carry_out(environ, watcher))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry_out(self, environ: Environ, watcher: Watcher) -> None:
        held_bytes = 0
        try:
            sends = "CONTENT_LENGTH" in environ or "HTTP_TRANSFER_ENCODING" in environ
            if sends and environ["REQUEST_METHOD"] not in READS:
                trailers = "HTTP_TRAILER" in environ
                environ["wsgi.input"], held_bytes = await self._bodies.take(watcher.proto, trailers=trailers)
            await self._loop.run_in_executor(self._threads, self._answer, environ, watcher.proto)
        except Exception as error:  # noqa: BLE001 - as above
            _fail(watcher.proto, error)
        finally:
            self._bodies.release(held_bytes)
            watcher.done()

    def _answer(self, environ: Environ, exchange: Exchange) -> None:
        start = _Start()
        body = self._app(environ, start)
        if isinstance(environ["wsgi.input"], Faulty):
            start.headers.append(("Connection", "close"))  # nobody takes what may still come of that body
        part: FilePart | None = environ.get(FILE_PART)
        if type(body) is list:
            exchange.response_bytes(start.status, start.headers, body[0] if len(body) == 1 else b"".join(body))
        elif part is not None:
            exchange.response_file_range(start.status, start.headers, str(part.path), part.start, part.end)
            _close(body)
        else:
            exchange.response_bytes(start.status, start.headers, b"".join(body))
            _close(body)


class _Start:
    """WSGI's `start_response`."""

    __slots__ = ("headers", "status")

    def __init__(self) -> None:
        self.status = 500
        self.headers: Headers = []

    def __call__(self, status: str, headers: Headers, _error: object = None) -> None:
        self.status = int(status[:3])
        self.headers = headers


def _fail(exchange: Exchange, error: Exception) -> None:
    """Tell of what failed outside of the app, as it would itself; an answer that was given already stays."""
    request_id = new_request_id()
    _log.error("request_failed", request_id=request_id, exc_info=error)
    body = orjson.dumps({"detail": FAILURE, "request_id": request_id})
    exchange.response_bytes(500, [("Content-Type", "application/json"), ("Cache-Control", NO_STORE)], body)


def _close(body: Any) -> None:
    close = getattr(body, "close", None)
    if close is not None:
        close()
