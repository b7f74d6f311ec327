"""The body of a write: one JSON object of limited size and depth (API reference, Writes)."""

from typing import Any

import orjson
from flask import Request
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType

from sitecms.errors import InvalidRequest

MAX_BODY_BYTES = 10 * 1024 * 1024
MAX_DEPTH = 64
NOT_AN_OBJECT = "The body must be a JSON object."
TOO_DEEP = f"The body is nested more than {MAX_DEPTH} levels deep."
CONTAINS_NUL = "The body holds a NUL character."
JSON_TYPE = "application/json"
DEFAULT_TYPES = ("application/x-www-form-urlencoded", "text/plain")
INCOMPLETE = "The body is shorter than its Content-Length says."
NOT_JSON = f"Send the body as JSON, with the header Content-Type: {JSON_TYPE}."
TOO_LARGE = "The body is larger than 10 MB, the most that a write may hold."
ENCODED = "Send the body as it is, without Content-Encoding."


def read_body(request: Request) -> bytes:
    """Return the bytes of the body.

    A body without a type counts as JSON, and so does an object with a type that programs send by default, such as the
    form type of curl's `-d`. Raises RequestEntityTooLarge (413) beyond 10 MB, UnsupportedMediaType (415), and
    InvalidRequest for an incomplete body.
    """
    is_json = request.mimetype in ("", JSON_TYPE) or request.mimetype.endswith("+json")
    if not is_json and request.mimetype not in DEFAULT_TYPES:
        raise UnsupportedMediaType(NOT_JSON)
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise UnsupportedMediaType(ENCODED)
    if (request.content_length or 0) > MAX_BODY_BYTES:
        raise RequestEntityTooLarge
    data = request.stream.read(MAX_BODY_BYTES + 1)
    if len(data) > MAX_BODY_BYTES:
        raise RequestEntityTooLarge
    if len(data) < (request.content_length or 0):
        raise InvalidRequest(INCOMPLETE)
    if not is_json and not data.lstrip().startswith(b"{"):
        raise UnsupportedMediaType(NOT_JSON)
    return data


def parse_body(data: bytes) -> dict[str, object]:
    """Return the object in the body. Raises InvalidRequest, as for NaN, infinity, lone surrogates and invalid UTF-8."""
    try:
        body = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"JSON parse error - {error.msg} (line {error.lineno}, column {error.colno})") from None
    if not isinstance(body, dict):
        raise InvalidRequest(NOT_AN_OBJECT)
    _check(body, may_hold_nul=b"\\u0000" in data)
    return body


def _check(body: dict[str, object], *, may_hold_nul: bool) -> None:
    """Check depth and texts level by level, without recursion, which deep nesting would exhaust."""
    level: list[Any] = [body]
    depth = 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise InvalidRequest(TOO_DEEP)
        inside: list[Any] = []
        for value in level:
            inside += [*value, *value.values()] if isinstance(value, dict) else value
        if may_hold_nul and any(isinstance(value, str) and "\x00" in value for value in inside):
            raise InvalidRequest(CONTAINS_NUL)
        level = [value for value in inside if isinstance(value, dict | list)]
