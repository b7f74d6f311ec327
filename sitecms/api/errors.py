"""Errors as answers: one table from error class to status, one body shape, `{"detail": "..."}`.

A crash is 500 with `{"detail", "request_id"}`; the same id stands in the log beside the traceback. Neither tokens
nor query strings (which may hold one) are logged.
"""

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, RequestEntityTooLarge, UnsupportedMediaType
from werkzeug.exceptions import NotFound as NoSuchPath

from sitecms.api.envelope import momentary
from sitecms.api.request_body import TOO_LARGE
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
    StoreUnusable,
    Unauthenticated,
)
from sitecms.web.middleware.request_metrics import REQUEST_ID, new_request_id

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
_log = structlog.get_logger("sitecms.api")


def install(app: Flask) -> None:
    """Make every error of the app a JSON answer."""
    app.register_error_handler(SitecmsError, _expected)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _crash)


def _expected(error: SitecmsError) -> Response:
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), None)
    if status is None:
        return _crash(error)
    response = momentary(status, _body(error))
    if status == 401:
        response.headers["WWW-Authenticate"] = "Token"
    return response


def _body(error: SitecmsError) -> JsonObject:
    if isinstance(error, InvalidFields):
        return dict(error.messages)
    if isinstance(error, LimitReached):
        return {"error": str(error)}
    if isinstance(error, StoreUnusable):
        _log.error("store_unusable", problem=str(error))
        if isinstance(error, StoreMoved):
            return {"detail": "The store is elsewhere, or on its way there; nothing can be written here."}
        return {"detail": STORE_UNREADABLE}
    if isinstance(error, MediaUnusable):
        _log.error("media_unusable", problem=str(error))
        return {"detail": "Media files cannot be read at the moment."}
    return {"detail": str(error)}


def _http(error: HTTPException) -> Response:
    """What Flask and Werkzeug refuse by themselves; headers such as `Allow` and `Content-Range` stay."""
    response = momentary(error.code or 500, {"detail": _detail(error)})
    for name, value in error.get_headers():
        if name.lower() != "content-type":
            response.headers[name] = value
    return response


def _detail(error: HTTPException) -> str:
    if isinstance(error, NoSuchPath):
        return NOT_FOUND
    if isinstance(error, MethodNotAllowed):
        return f'Method "{request.method[:20]}" not allowed.'
    if isinstance(error, RequestEntityTooLarge):
        return TOO_LARGE
    if isinstance(error, UnsupportedMediaType):
        return error.description or f"{error.name}."
    return f"{error.name}."


def _crash(error: Exception) -> Response:
    request_id = request.environ.setdefault(REQUEST_ID, new_request_id())
    _log.error("request_failed", request_id=request_id, method=request.method, path=request.path, exc_info=error)
    return momentary(500, {"detail": FAILURE, "request_id": request_id})
