"""WSGI types, and the keys under which layers of the API share facts about a request in its WSGI environment."""

import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from msgspec import Struct

Environ = dict[str, Any]
Headers = list[tuple[str, str]]
StartResponse = Callable[..., Any]
Wsgi = Callable[[Environ, StartResponse], Iterable[bytes]]

READ_METHODS = ("GET", "HEAD", "OPTIONS")
ROUTE = "sitecms.route"
"""The path of the endpoint that answers, as `/v2/posts/<slug>/`, or OTHER_ROUTE."""
OTHER_ROUTE = "other"
STATUS = "sitecms.status"
"""The status of the response, as "200"."""
CACHE = "sitecms.cache"
"""Of a read: "hit" if the response came from the cache, else "miss"."""
CACHED_RESPONSE = "sitecms.cached_response"
"""Of a read: the response in the cache, if it was looked up after the request had arrived."""
REQUEST_ID = "sitecms.request_id"
"""The id of the request in the log, if it has one."""
FILE_PART = "sitecms.file_part"
"""A FilePart that the web server sends by itself as the body of the response."""


class FilePart(Struct, frozen=True):
    """The bytes of a file from `start` to before `end`; at least one."""

    path: Path
    start: int
    end: int


def new_request_id() -> str:
    """Return a new random id, 16 hexadecimal digits."""
    return secrets.token_hex(8)


def decode(text: str) -> str:
    """Return a path or a query of a WSGI environment, which holds UTF-8 bytes as Latin-1 characters, as text."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "replace")


def query_of(text: str) -> dict[str, str]:
    """Return the last value of each parameter of a query, which is encoded as in WSGI."""
    return dict(parse_qsl(decode(text), keep_blank_values=True, errors="werkzeug.url_quote"))
