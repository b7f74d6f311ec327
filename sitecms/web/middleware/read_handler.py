"""What stands in front of Flask: it answers reads of the endpoints that succeed, and Flask does the rest.

Flask's own way to a view takes longer than most answers do. It remains the router of record: redirects, other
methods, open paths and all errors are its matter; what fails here is told by its error handlers.
"""

from collections.abc import Callable, Iterable
from typing import Any

from sitecms.api.reader import Reader
from sitecms.api.response_cache import Answer, Environ, Wsgi
from sitecms.api.routes import Routes
from sitecms.web.middleware.request_metrics import REQUEST_ID, STATUS

FAILED = "sitecms.failed"


class Front:
    """A WSGI application. An error is handed to `behind` in the environment, under FAILED."""

    def __init__(self, behind: Wsgi, routes: Routes, reader: Reader) -> None:
        self._behind = behind
        self._routes = routes
        self._reader = reader

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request."""
        try:
            answer = self._answer(environ) if environ["REQUEST_METHOD"] in ("GET", "HEAD") else None
        except Exception as error:  # noqa: BLE001 - Flask tells it, and logs what nobody expected
            environ[FAILED] = error
            answer = None
        if answer is None:
            return self._behind(environ, start_response)
        status, headers, body = answer.for_request(environ)
        environ[STATUS] = status[:3]
        if REQUEST_ID in environ:
            headers = [*headers, ("X-Request-ID", environ[REQUEST_ID])]
        start_response(status, headers)
        return body

    def _answer(self, environ: Environ) -> Answer | None:
        """None where this is no read endpoint."""
        answer = self._reader.ready(environ)
        if answer is None:
            found = self._routes.find(environ["PATH_INFO"])
            answer = self._reader.answer(*found, environ) if found else None
        return answer
