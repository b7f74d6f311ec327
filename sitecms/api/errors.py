"""Responses to errors: one table from error class to status, one shape of body, `{"detail": "..."}`.

An unexpected error is 500 with `{"detail", "request_id"}`; the log has the same id beside the traceback. Neither tokens
nor query strings, which may hold one, are logged.
"""

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, RequestEntityTooLarge, UnsupportedMediaType
from werkzeug.exceptions import NotFound as NoSuchPath

from sitecms.api.request_body import TOO_LARGE
from sitecms.api.responses import uncached_response
from sitecms.api.wsgi import REQUEST_ID, Environ, decode, new_request_id
from sitecms.content.field_value import JsonObject
from sitecms.errors import (
    Forbidden,
    InvalidFields,
    InvalidInput,
    KeyReused,
    LimitReached,
    MediaUnusable,
    NotFound,
    SitecmsError,
    Stale,
    StoreMoved,
    StoreNotWritable,
    StoreUnusable,
    Unauthenticated,
)

STATUSES: tuple[tuple[type[SitecmsError], int], ...] = (
    (Unauthenticated, 401),
    (Forbidden, 403),
    (NotFound, 404),
    (KeyReused, 422),
    (InvalidInput, 400),
    (Stale, 412),
    (StoreUnusable, 503),
    (MediaUnusable, 503),
)
NOT_FOUND = "Not found."
FAILURE = "Internal server error."
STORE_UNREADABLE = "The store cannot be read at the moment."
STORE_NOT_WRITABLE = "The store cannot be written at the moment."
RETRY_SECONDS = 10  # after an outage of the store or of media
_log = structlog.get_logger("sitecms.api")


def install(app: Flask) -> None:
    """Make the app answer every error with JSON."""
    app.register_error_handler(Exception, lambda error: error_response(error, request.environ))


def error_response(error: Exception, environ: Environ) -> Response:
    """Return the response that stands for an error; an unexpected one is logged with its traceback."""
    if isinstance(error, HTTPException):
        return _http_response(error, environ)
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), None)
    if status is None or not isinstance(error, SitecmsError):
        return _crash_response(error, environ)
    response = uncached_response(status, _body(error))
    if status == 401:
        response.headers["WWW-Authenticate"] = "Token"
    if status == 503:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def too_many_requests(seconds: int) -> str:
    """Return the message for a client that has to wait so long."""
    return f"Too many requests. Try again in {seconds} s."


def _body(error: SitecmsError) -> JsonObject:
    if isinstance(error, InvalidFields):
        return dict(error.messages)
    if isinstance(error, LimitReached):
        return {"error": str(error)}
    if isinstance(error, StoreUnusable):
        _log.error("store_unusable", problem=str(error))
        if isinstance(error, StoreMoved):
            return {"detail": "The store is elsewhere, or on its way there; nothing can be written here."}
        return {"detail": STORE_NOT_WRITABLE if isinstance(error, StoreNotWritable) else STORE_UNREADABLE}
    if isinstance(error, MediaUnusable):
        _log.error("media_unusable", problem=str(error))
        return {"detail": "Media files cannot be read at the moment."}
    return {"detail": str(error)}


def _http_response(error: HTTPException, environ: Environ) -> Response:
    """Return the response to an error of Flask or Werkzeug with its headers, such as `Allow` and `Content-Range`."""
    response = uncached_response(error.code or 500, {"detail": _detail(error, environ)})
    for name, value in error.get_headers():
        if name.lower() != "content-type":
            response.headers[name] = value
    return response


def _detail(error: HTTPException, environ: Environ) -> str:
    if isinstance(error, NoSuchPath):
        return NOT_FOUND
    if isinstance(error, MethodNotAllowed):
        return f'Method "{environ["REQUEST_METHOD"][:20]}" not allowed.'
    if isinstance(error, RequestEntityTooLarge):
        return TOO_LARGE
    if isinstance(error, UnsupportedMediaType):
        return error.description or f"{error.name}."
    return f"{error.name}."


def _crash_response(error: Exception, environ: Environ) -> Response:
    request_id = environ.setdefault(REQUEST_ID, new_request_id())
    method, path = environ["REQUEST_METHOD"], decode(environ["PATH_INFO"])
    _log.error("request_failed", request_id=request_id, method=method, path=path, exc_info=error)
    return uncached_response(500, {"detail": FAILURE, "request_id": request_id})
