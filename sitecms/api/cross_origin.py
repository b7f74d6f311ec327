"""What browsers need: cross-origin headers on reads, redirects for paths without their slash, and what bars misuse.

Nothing here is a page, so a browser that is led to open it may load nothing, frame it nowhere and tell nobody where it
came from. The pages of the documentation and SVG files have policies of their own; other media files need none.
"""

from string import punctuation
from urllib.parse import quote

from flask import Flask, Response, current_app, request

from sitecms.content.media import MEDIA_PREFIX

READS = ("GET", "HEAD", "OPTIONS")
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
    """Answer preflights and slashless paths before any view does; add headers to what goes out."""
    app.url_map.merge_slashes = False
    app.before_request(_answer_early)
    app.after_request(_add_headers)


def _answer_early() -> Response | None:
    """A preflight is never redirected (browsers refuse that), and needs no token."""
    if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
        return _preflight()
    if request.routing_exception is not None and not request.path.endswith("/"):
        return _redirect(request.path + "/")
    return None


def _preflight() -> Response:
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = ", ".join(READS)
    response.headers["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response.headers["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return response


def _redirect(path: str) -> Response | None:
    """To the slashed path if there is one, for any method, query kept (decisions, Paths).

    The address is relative, so that it holds behind any proxy.
    """
    adapter = current_app.create_url_adapter(request)
    if adapter is None or not adapter.allowed_methods(path):
        return None
    response = Response(status=301 if request.method in ("GET", "HEAD") else 308)
    query = quote(request.query_string, safe=punctuation)
    response.headers["Location"] = quote(path) + (f"?{query}" if query else "")
    return response


def _add_headers(response: Response) -> Response:
    headers = [*GUARDS, *OPEN_TO_ALL] if request.method in READS else [*GUARDS]
    if not request.path.startswith(MEDIA_PREFIX):
        headers.append(POLICY)
    for name, value in headers:
        response.headers.setdefault(name, value)
    return response
