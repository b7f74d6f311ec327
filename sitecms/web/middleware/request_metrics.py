"""What stands around the whole app: it counts each request, and tells of it where that is wanted.

Who answers notes the status in the environment, and whether the answer was kept in memory (`hit`) or made (`miss`).

A request has an id: the one it came with in `X-Request-ID`, else a new one. It goes into the answer and into every log
line of the request. A read without an id gets none unless requests are logged, which keeps answers from memory cheap.
"""

import re
from collections.abc import Callable, Iterable
from time import perf_counter_ns
from typing import Any

import structlog
from structlog.contextvars import bound_contextvars

from sitecms.api.router import Router
from sitecms.api.wsgi import CACHE, OTHER_ROUTE, REQUEST_ID, ROUTE, STATUS, Environ, Wsgi, new_request_id
from sitecms.store.maintenance.counters import Counters, Series

REQUESTS = "http_request"
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
_READS = ("GET", "HEAD")
_SOUND_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_MAX_SHOWN = 200
_log = structlog.get_logger("sitecms.requests")


class Observed:
    """A WSGI application around another; `log_requests`: a line for each."""

    def __init__(self, behind: Wsgi, counters: Counters, router: Router, *, log_requests: bool) -> None:
        self._behind = behind
        self._counters = counters
        self._router = router
        self._log_requests = log_requests

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request."""
        if self._log_requests or "HTTP_X_REQUEST_ID" in environ or environ["REQUEST_METHOD"] not in _READS:
            given = environ.get("HTTP_X_REQUEST_ID", "")
            environ[REQUEST_ID] = given if _SOUND_ID.fullmatch(given) else new_request_id()
            with bound_contextvars(request_id=environ[REQUEST_ID]):
                return self._answer(environ, start_response)
        return self._answer(environ, start_response)

    def _answer(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        started = perf_counter_ns()
        try:
            return self._behind(environ, start_response)
        finally:
            taken = perf_counter_ns() - started
            series = self._series(environ)
            self._counters.observe(series, taken)
            if self._log_requests:
                _tell(series, environ["PATH_INFO"], taken)

    def _series(self, environ: Environ) -> Series:
        """Return the labels under which the request is counted; a request that the rate limits refuse has no route."""
        method, route = environ["REQUEST_METHOD"], environ.get(ROUTE)
        if method not in METHODS:
            method = "other"
        if route is None:
            found = self._router.find(environ["PATH_INFO"])
            route = found[0].path if found else OTHER_ROUTE
        return REQUESTS, route, method, environ.get(STATUS, "500"), environ.get(CACHE, "")


def _tell(series: Series, path: str, nanoseconds: int) -> None:
    """One line, without the query, which may hold a token."""
    _name, route, method, status, _cache = series
    milliseconds = round(nanoseconds / 1e6, 2)
    _log.info("request", method=method, route=route, path=path[:_MAX_SHOWN], status=int(status), ms=milliseconds)
