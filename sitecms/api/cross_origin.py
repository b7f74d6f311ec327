"""What browsers need: cross-origin headers on reads, and redirects for paths without their slash."""

from urllib.parse import quote

from flask import Flask, Response, current_app, request

READS = ("GET", "HEAD", "OPTIONS")
ALLOWED_HEADERS = "authorization, content-type, x-butter-client"
PREFLIGHT_SECONDS = 86400
NO_GUESSING = ("X-Content-Type-Options", "nosniff")
READ_HEADERS = (
    NO_GUESSING,
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "etag, x-request-id"),
)


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
    query = request.query_string.decode("latin-1")
    response.headers["Location"] = quote(path) + (f"?{query}" if query else "")
    return response


def _add_headers(response: Response) -> Response:
    for name, value in READ_HEADERS if request.method in READS else (NO_GUESSING,):
        response.headers[name] = value
    return response
