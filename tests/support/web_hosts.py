"""Small web servers on loopback, which stand for hosts of the world or serve a built site."""

import functools
import io
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from PIL import Image


class Reply(NamedTuple):
    """What a host answers to a request."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = {}


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[str]:
    """Run a server for the time of the block; yield its address, without a slash at the end."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@contextmanager
def web_host(answer: Callable[[BaseHTTPRequestHandler], Reply]) -> Iterator[str]:
    """Run a host that answers GET and HEAD by a function for the time of the block; yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            reply = answer(self)
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(reply.body)

        do_HEAD = do_GET  # noqa: N815 - the name it is called by

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name it has above
            """Write nothing."""

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as address:
        yield address


class _SiteHandler(SimpleHTTPRequestHandler):
    """Serves a built folder with the headers that its `_headers` has for every page."""

    protocol_version = "HTTP/1.1"

    def end_headers(self) -> None:
        """Add them: what the policy forbids is a complaint on the console."""
        for name, value in _headers_of(Path(self.directory)):
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name it has above
        """Write nothing."""


@functools.cache
def _headers_of(public: Path) -> tuple[tuple[str, str], ...]:
    """Return what the first rule of `_headers`, which holds for every path, says."""
    rule = (public / "_headers").read_text(encoding="utf-8").split("\n/")[1]
    return tuple((name, value) for name, value in (line.strip().split(": ", 1) for line in rule.splitlines()[1:]))


@contextmanager
def site_host(public: Path) -> Iterator[str]:
    """Serve a folder that is built, or is to be built, for the time of the block; yield its address."""
    handler = functools.partial(_SiteHandler, directory=str(public))
    with running(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        yield address


@contextmanager
def page_host(page: bytes) -> Iterator[str]:
    """Run a host with this HTML at `/page`, and a picture of 40 x 30 at `/sea.png`; yield its address."""
    picture = io.BytesIO()
    Image.new("RGB", (40, 30), "navy").save(picture, "PNG")
    replies = {
        "/page": Reply(page, headers={"Content-Type": "text/html"}),
        "/sea.png": Reply(picture.getvalue(), headers={"Content-Type": "image/png"}),
    }
    with web_host(lambda request: replies.get(request.path, Reply(status=404))) as address:
        yield address
