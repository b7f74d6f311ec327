"""Middleware that measures each request, gives it an id, and logs it if the settings ask for that.

The API notes route, status and cache in the environment (`api.wsgi`).

The id is the one in the header `X-Request-ID`, else a new one. It goes into the response and into every log line of the
request. A read without that header gets no id unless requests are logged, which keeps cached responses cheap.
"""

import re
from collections.abc import Iterable
from time import perf_counter_ns

import structlog
from structlog.contextvars import bound_contextvars

from sitecms.api.endpoint import Router
from sitecms.api.wsgi import CACHE, OTHER_ROUTE, REQUEST_ID, ROUTE, STATUS, Environ, StartResponse, Wsgi, new_request_id
from sitecms.store.maintenance.counters import Counters, Series

HTTP_REQUEST = "http_request"
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
OTHER_METHOD = "other"
_VALID_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_MAX_LOGGED_LENGTH = 200
_log = structlog.get_logger("sitecms.requests")


class RequestMetrics:
    """Middleware that counts and times each request; with `log_requests`, it writes a log line for each."""

    def __init__(self, behind: Wsgi, counters: Counters, router: Router, *, log_requests: bool) -> None:
        self._behind = behind
        self._counters = counters
        self._router = router
        self._log_requests = log_requests

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        if self._log_requests or "HTTP_X_REQUEST_ID" in environ or environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            given = environ.get("HTTP_X_REQUEST_ID", "")
            environ[REQUEST_ID] = given if _VALID_ID.fullmatch(given) else new_request_id()
            with bound_contextvars(request_id=environ[REQUEST_ID]):
                return self._measured(environ, start_response)
        return self._measured(environ, start_response)

    def _measured(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        started_ns = perf_counter_ns()
        try:
            return self._behind(environ, start_response)
        finally:
            duration_ns = perf_counter_ns() - started_ns
            series = self._series(environ)
            self._counters.observe(series, duration_ns)
            if self._log_requests:
                _log_request(series, environ["PATH_INFO"], duration_ns)

    def _series(self, environ: Environ) -> Series:
        """Return the labels of the request; one that the rate limits refused has not been routed yet."""
        method, route = environ["REQUEST_METHOD"], environ.get(ROUTE)
        if method not in METHODS:
            method = OTHER_METHOD
        if route is None:
            match = self._router.find(environ["PATH_INFO"])
            route = match[0].path if match else OTHER_ROUTE
        return HTTP_REQUEST, route, method, environ.get(STATUS, "500"), environ.get(CACHE, "")


def _log_request(series: Series, path: str, duration_ns: int) -> None:
    """Log one line, without the query, which may hold a token."""
    _name, route, method, status, _cache = series
    milliseconds = round(duration_ns / 1e6, 2)
    _log.info(
        "request", method=method, route=route, path=path[:_MAX_LOGGED_LENGTH], status=int(status), ms=milliseconds
    )
