"""Answers handed to the web server in one piece, so that a slow client holds no thread.

It sends them by itself, while the thread goes on to the next request. Of larger files it is told where they are.
"""

from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Any

from werkzeug.wsgi import ClosingIterator

from sitecms.api.response_cache import Environ, Headers, Wsgi

MAX_BYTES = 8 * 1024 * 1024  # larger files (videos) are not held in memory (web.server.file_part)


class OnePiece:
    """A WSGI application around another."""

    def __init__(self, behind: Wsgi) -> None:
        self._behind = behind

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request."""
        lengths: list[int] = []

        def start(status: str, headers: Headers, *rest: Any) -> Any:
            lengths.extend(int(value) for name, value in headers if name.lower() == "content-length")
            return start_response(status, headers, *rest)

        body = self._behind(environ, start)
        if isinstance(body, list) or (lengths and lengths[0] > MAX_BYTES and environ["REQUEST_METHOD"] != "HEAD"):
            return body
        with closing(ClosingIterator(body, getattr(body, "close", None))) as chunks:
            return list(chunks)
