"""Headers of every response, answers to preflight requests, and redirects to paths with a trailing slash.

Responses are not pages, so their policy lets a browser load nothing, frame them nowhere and send no referrer. The pages
of the documentation and SVG files have policies of their own; other media files need none.
"""

from string import punctuation
from urllib.parse import quote

from flask import Flask, Response, current_app, request

from sitecms.api.wsgi import OTHER_ROUTE, READ_METHODS, REQUEST_ID, ROUTE, STATUS, Environ
from sitecms.content.media import MEDIA_PREFIX

ALLOWED_HEADERS = "authorization, content-type, x-butter-client"
PREFLIGHT_SECONDS = 86400
POLICY = ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
GUARDS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "cross-origin"),
)
OPEN_TO_ALL = (
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "etag, retry-after, x-request-id"),
)
READ_HEADERS = (*GUARDS, POLICY, *OPEN_TO_ALL)


def install(app: Flask) -> None:
    """Make the app answer preflight requests and redirect paths before any view, and complete every response."""
    app.url_map.merge_slashes = False
    app.before_request(_answer_early)
    app.after_request(_complete)


def _answer_early() -> Response | None:
    """Answer a preflight request, which browsers want neither redirected nor refused, or redirect."""
    if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
        return _preflight()
    if request.routing_exception is not None and not request.path.endswith("/"):
        return _redirect(request.path + "/")
    return None


def _preflight() -> Response:
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = ", ".join(READ_METHODS)
    response.headers["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response.headers["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return response


def _redirect(path: str) -> Response | None:
    """Redirect to the path with a trailing slash if it exists, for any method, with the query (API reference, Paths).

    The address is relative, so that it holds behind any proxy.
    """
    adapter = current_app.create_url_adapter(request)
    if adapter is None or not adapter.allowed_methods(path):
        return None
    response = Response(status=301 if request.method in ("GET", "HEAD") else 308)
    query = quote(request.query_string, safe=punctuation)
    response.headers["Location"] = quote(path) + (f"?{query}" if query else "")
    return response


def _complete(response: Response) -> Response:
    request.environ[ROUTE] = request.url_rule.rule if request.url_rule else OTHER_ROUTE
    complete_response(response, request.environ)
    return response


def complete_response(response: Response, environ: Environ) -> None:
    """Add the headers of every response and the id of the request; note the status in the environment."""
    headers = [*GUARDS, *OPEN_TO_ALL] if environ["REQUEST_METHOD"] in READ_METHODS else [*GUARDS]
    if not environ["PATH_INFO"].startswith(MEDIA_PREFIX):
        headers.append(POLICY)
    for name, value in headers:
        response.headers.setdefault(name, value)
    if REQUEST_ID in environ:
        response.headers["X-Request-ID"] = environ[REQUEST_ID]
    environ[STATUS] = str(response.status_code)
