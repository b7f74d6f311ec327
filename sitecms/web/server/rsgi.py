"""Requests as granian hands them over (RSGI), and the WSGI environment that the app takes instead."""

import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Protocol

from sitecms.api.wsgi import Environ, Headers

READS = frozenset({"GET", "HEAD", "OPTIONS"})
UNREADABLE = "\xff"
"""Stands for the value of a header that holds more than ASCII: granian tells no more of it than its name."""
_NAMES = {
    name: f"HTTP_{name.upper().replace('-', '_')}"
    for name in (
        "accept", "accept-encoding", "accept-language", "authorization", "cache-control", "connection", "cookie",
        "forwarded", "host", "if-match", "if-none-match", "if-range", "origin", "pragma", "range", "referer",
        "user-agent", "via", "x-forwarded-for", "x-forwarded-proto", "x-request-id",
    )
}  # fmt: skip
_NAMES |= {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}


class _Nothing:
    """The body of a request that has none."""

    def read(self, _size: int = -1) -> bytes:
        return b""


_ALWAYS: Environ = {
    "SCRIPT_NAME": "",
    "SERVER_NAME": "localhost",  # what a request names is in HTTP_HOST
    "SERVER_PORT": "80",
    "HTTP_HOST": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.input": _Nothing(),
    "wsgi.input_terminated": True,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
}


class RequestHeaders(Protocol):
    """The headers of a request; one that came twice is there twice."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Names in lower case, with their values; what is no ASCII is left out."""

    def __iter__(self) -> Iterator[str]:
        """All names."""


class Scope(Protocol):
    """What a request asks for."""

    client: str
    scheme: str
    method: str
    path: str
    query_string: str
    http_version: str
    authority: str | None
    headers: RequestHeaders


class Exchange(Protocol):
    """One request's body, to be read once, and its answer, to be given once. Any thread may answer."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """The body, as it comes in."""

    def response_bytes(self, status: int, headers: Headers, body: bytes) -> None:
        """Answer in one piece."""

    def response_file_range(self, status: int, headers: Headers, file: str, start: int, end: int) -> None:
        """Answer with a part of a file, which granian reads and sends by itself."""


class Watcher(Protocol):
    """A request as granian hands it over."""

    @property
    def scope(self) -> Scope:
        """What is asked for."""

    @property
    def proto(self) -> Exchange:
        """Its body and answer."""

    def done(self) -> None:
        """Let go of the body, so that the connection can end; 500 if nothing was answered."""


def environ_of(scope: Scope) -> Environ:
    """The WSGI environment, without a body.

    A header with an underscore in its name is left out: it would pass for another one, as `X_Forwarded_For`. Of a
    request that may write, no header goes missing: without its `If-Match` it would overwrite what it was not to.
    """
    environ = _ALWAYS.copy()
    environ["REQUEST_METHOD"] = scope.method
    environ["PATH_INFO"] = _bytes_of(scope.path) or "/"
    environ["QUERY_STRING"] = _bytes_of(scope.query_string)
    environ["REMOTE_ADDR"] = scope.client.rpartition(":")[0].strip("[]")
    environ["SERVER_PROTOCOL"] = f"HTTP/{scope.http_version}"
    environ["wsgi.url_scheme"] = scope.scheme
    for name, value in scope.headers.items():
        key = _NAMES.get(name) or _key(name)
        if environ.get(key):
            environ[key] += ("; " if name == "cookie" else ",") + value
        elif key:
            environ[key] = value
    if scope.method not in READS:
        for name in scope.headers:
            environ.setdefault(_NAMES.get(name) or _key(name), UNREADABLE)
    if not environ["HTTP_HOST"]:
        environ["HTTP_HOST"] = scope.authority or ""
    return environ


def _bytes_of(text: str) -> str:
    """The text's bytes in the guise of Latin-1, as WSGI has them."""
    return text if text.isascii() else text.encode().decode("latin-1")


def _key(name: str) -> str:
    return "" if "_" in name else f"HTTP_{name.upper().replace('-', '_')}"
