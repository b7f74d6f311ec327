"""What browsers need: cross-origin headers on reads, and redirects for paths without their slash."""

from urllib.parse import urlsplit

from flask import Flask, Response, request
from werkzeug.routing import RequestRedirect

READS = ("GET", "HEAD", "OPTIONS")
ALLOWED_HEADERS = "authorization, content-type, x-butter-client"
PREFLIGHT_SECONDS = 86400


def install(app: Flask) -> None:
    """Answer preflights and slashless paths before routing does; add headers to what goes out."""
    app.before_request(_answer_early)
    app.after_request(_add_headers)


def _answer_early() -> Response | None:
    """A preflight is never redirected (browsers refuse that), and needs no token."""
    if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
        return _preflight()
    if isinstance(request.routing_exception, RequestRedirect):
        return _redirect(request.routing_exception)
    return None


def _preflight() -> Response:
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = ", ".join(READS)
    response.headers["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response.headers["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return response


def _redirect(found: RequestRedirect) -> Response:
    """To the slashed path, query kept (decisions, Paths); relative, so that it holds behind any proxy."""
    target = urlsplit(found.new_url)
    path = "/" + target.path.lstrip("/")
    response = Response(status=301 if request.method in ("GET", "HEAD") else 308)
    response.headers["Location"] = f"{path}?{target.query}" if target.query else path
    return response


def _add_headers(response: Response) -> Response:
    response.headers["X-Content-Type-Options"] = "nosniff"
    if request.method in READS:
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Access-Control-Expose-Headers"] = "etag, x-request-id"
    return response
