"""WSGI environments of requests that granian hands over by its RSGI interface."""

import sys
from typing import TYPE_CHECKING

from sitecms.api.wsgi import READ_METHODS, Environ

if TYPE_CHECKING:
    from granian.rsgi import Scope

UNREADABLE = "\xff"
"""Value of a header that is not ASCII: granian leaves such values out and lists only the name."""
_KEYS = {
    name: f"HTTP_{name.upper().replace('-', '_')}"
    for name in (
        "accept", "accept-encoding", "accept-language", "authorization", "cache-control", "connection", "cookie",
        "forwarded", "host", "if-match", "if-none-match", "if-range", "origin", "pragma", "range", "referer",
        "user-agent", "via", "x-forwarded-for", "x-forwarded-proto", "x-request-id",
    )
}  # fmt: skip
_KEYS |= {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}


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
