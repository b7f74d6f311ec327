"""Middleware around the API: request ids and metrics, client addresses behind proxies, previews without caches, studio.

The id is the one in the header `X-Request-ID`, else a new one. It goes into the response and into every log line of the
request. A read without that header gets no id unless requests are logged, which keeps cached responses cheap.

Each proxy appends the address of its client to `X-Forwarded-For`. With N trusted proxies, the N-th value from the right
is what the outermost of them saw; anyone may have written the values left of it. Without trusted proxies, no such
header has any effect. `X-Forwarded-Host` never has: no response depends on the host that a request names, as absolute
addresses begin with the `url` under [serve].

Werkzeug's ProxyFix is not used: of the 16 headers in the tests of this module it reads 8 in another way. It takes any
text as address or scheme, keeps the port that some proxies append, so that each connection would have a rate limit of
its own, and ignores a header with fewer values than trusted proxies, as when one proxy replaces what another appends.
"""

import re
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from time import perf_counter
from typing import Any

import structlog
from structlog.contextvars import bound_contextvars

from sitecms.api.endpoint import Router
from sitecms.api.params import PARAMETERS
from sitecms.api.responses import NO_STORE
from sitecms.api.wsgi import (
    CACHE,
    OTHER_ROUTE,
    REQUEST_ID,
    ROUTE,
    STATUS,
    Environ,
    Headers,
    StartResponse,
    Wsgi,
    new_request_id,
    query_of,
)
from sitecms.store.maintenance.metrics import HTTP_REQUEST, Metrics
from sitecms.studio.app import UPLOAD_TYPE, route_of

STUDIO_PREFIX = "/studio/"
_PREVIEW = PARAMETERS["preview"]
_NAMES = (_PREVIEW.name, *_PREVIEW.aliases)
_CACHE_CONTROL = "cache-control"
SCHEMES = frozenset({"http", "https"})
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
OTHER_METHOD = "other"
_VALID_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_MAX_LOGGED_LENGTH = 200


class NoStorePreviews:
    """Middleware that answers every request with `preview=1` or `test=1` with `Cache-Control: no-store`.

    Whether the route takes the parameter makes no difference: redirects, errors, feeds and 304 lead to drafts too.
    """

    def __init__(self, app: Wsgi) -> None:
        self._app = app

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        if not _asks_for_preview(environ.get("QUERY_STRING", "")):
            return self._app(environ, start_response)

        def start(status: str, headers: Headers, *rest: Any) -> Any:
            others = [header for header in headers if header[0].lower() != _CACHE_CONTROL]
            return start_response(status, [*others, ("Cache-Control", NO_STORE)], *rest)

        return self._app(environ, start)


def _asks_for_preview(query: str) -> bool:
    """Return whether a parameter asks for a preview; a query that cannot name one is not parsed."""
    if "%" not in query and not any(name in query for name in _NAMES):
        return False
    values = query_of(query)
    return any(_PREVIEW.read(name, values.get(name, "")) for name in _NAMES)


class TrustedProxies:
    """Middleware of an application that clients reach through `hops` trusted proxies.

    Responses to https requests carry `Strict-Transport-Security` for `hsts_seconds`; 0 leaves the header out.
    """

    def __init__(self, app: Wsgi, hops: int, hsts_seconds: int = 0) -> None:
        self._app = app
        self._hops = hops
        self._hsts = ("Strict-Transport-Security", f"max-age={hsts_seconds}") if hsts_seconds else None

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        apply_forwarded_headers(environ, self._hops)
        hsts = self._hsts
        if hsts is None or environ["wsgi.url_scheme"] != "https":
            return self._app(environ, start_response)

        def start(status: str, headers: Headers, *rest: Any) -> Any:
            return start_response(status, [*headers, hsts], *rest)

        return self._app(environ, start)


def apply_forwarded_headers(environ: Environ, hops: int) -> None:
    """Replace the client address and the scheme in the environment with those that the outermost trusted proxy saw.

    Invalid values are ignored. A second call changes nothing.
    """
    address = _address(_forwarded_value(environ.get("HTTP_X_FORWARDED_FOR", ""), hops))
    if address:
        environ["REMOTE_ADDR"] = address
    scheme = _forwarded_value(environ.get("HTTP_X_FORWARDED_PROTO", ""), hops).lower()
    if scheme in SCHEMES:
        environ["wsgi.url_scheme"] = scheme


def _forwarded_value(header: str, hops: int) -> str:
    """Return the N-th value from the right, or the leftmost where there are fewer."""
    values = header.split(",")
    return values[max(0, len(values) - hops)].strip()


def _address(text: str) -> str:
    """Return the IP address without its port, or "" if the text is not an address."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ip_address(text))
    except ValueError:
        return ""


_log = structlog.get_logger("sitecms.requests")

Labels = tuple[str, str, str, str]


class RequestMetrics:
    """Middleware that counts and times each request; with `log_requests`, it writes a log line for each."""

    def __init__(self, app: Wsgi, metrics: Metrics, router: Router, *, log_requests: bool) -> None:
        self._app = app
        self._metrics = metrics
        self._router = router
        self._log_requests = log_requests

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        if self._log_requests or "HTTP_X_REQUEST_ID" in environ or environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            request_id = environ.get("HTTP_X_REQUEST_ID", "")
            environ[REQUEST_ID] = request_id if _VALID_ID.fullmatch(request_id) else new_request_id()
            with bound_contextvars(request_id=environ[REQUEST_ID]):
                return self._measured(environ, start_response)
        return self._measured(environ, start_response)

    def _measured(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        started_at = perf_counter()
        try:
            return self._app(environ, start_response)
        finally:
            seconds = perf_counter() - started_at
            labels = self._labels(environ)
            self._metrics.observe(HTTP_REQUEST, seconds, *labels)
            if self._log_requests:
                _log_request(labels, environ["PATH_INFO"], seconds)

    def _labels(self, environ: Environ) -> Labels:
        """Return the labels of the request; one that the rate limits refused has not been routed yet."""
        method, route = environ["REQUEST_METHOD"], environ.get(ROUTE)
        if method not in METHODS:
            method = OTHER_METHOD
        if route is None:
            match = self._router.find(environ["PATH_INFO"])
            route = match[0].path if match else OTHER_ROUTE
        return route, method, environ.get(STATUS, "500"), environ.get(CACHE, "")


def _log_request(labels: Labels, path: str, seconds: float) -> None:
    """Log one line, without the query, which may hold a token."""
    route, method, status, _cache = labels
    milliseconds = round(seconds * 1000, 2)
    _log.info(
        "request", method=method, route=route, path=path[:_MAX_LOGGED_LENGTH], status=int(status), ms=milliseconds
    )


def is_upload(environ: Environ) -> bool:
    """Return whether a request sends a form of the studio with files, which may be larger than other bodies."""
    path, content_type = str(environ["PATH_INFO"]), str(environ.get("CONTENT_TYPE", ""))
    return path.startswith(STUDIO_PREFIX) and content_type.startswith(UPLOAD_TYPE)


class Mount:
    """Middleware that passes some paths to another application, and all others to `app`.

    `route_of` returns the route of a path of the other application, for metrics; "" for any other path.
    """

    def __init__(self, app: Wsgi, other: Wsgi, route_of: Callable[[str], str]) -> None:
        self._app = app
        self._other = other
        self._route_of = route_of

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        route = self._route_of(environ["PATH_INFO"])
        if not route:
            return self._app(environ, start_response)
        environ[ROUTE] = route

        def start(status: str, headers: Headers, *rest: Any) -> Any:
            environ[STATUS] = status[:3]
            return start_response(status, headers, *rest)

        return self._other(environ, start)


def studio_route(path: str) -> str:
    """Return the route of a path of the studio; "" for any other path."""
    return route_of(path) if path.startswith(STUDIO_PREFIX) or path == STUDIO_PREFIX[:-1] else ""
