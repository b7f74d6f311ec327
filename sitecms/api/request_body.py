"""The body of a write: one JSON object, within bounds (decisions, Writes)."""

from typing import Any

import orjson
from flask import Request
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType

from sitecms.errors import InvalidRequest

MAX_BODY_BYTES = 10 * 1024 * 1024
MAX_DEPTH = 64
NO_OBJECT = "The body must be a JSON object."
TOO_DEEP = f"The body is nested more than {MAX_DEPTH} levels deep."
HAS_NUL = "The body holds a NUL character."
JSON_TYPE = "application/json"
UNASKED_TYPES = ("application/x-www-form-urlencoded", "text/plain")
BROKEN_OFF = "The body is shorter than its Content-Length says."
NO_JSON_TYPE = f"Send the body as JSON, with the header Content-Type: {JSON_TYPE}."
TOO_LARGE = "The body is larger than 10 MB, the most that a write may hold."
ENCODED = "Send the body as it is, without Content-Encoding."


def read_body(request: Request) -> bytes:
    """The bytes that were sent. Raises RequestEntityTooLarge (413) beyond 10 MB, UnsupportedMediaType (415), and
    InvalidRequest if they broke off.

    A body without a type counts as JSON, and so does an object under the types that programs put there unasked: curl's
    `-d` says a form.
    """
    is_json = request.mimetype in ("", JSON_TYPE) or request.mimetype.endswith("+json")
    if not is_json and request.mimetype not in UNASKED_TYPES:
        raise UnsupportedMediaType(NO_JSON_TYPE)
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise UnsupportedMediaType(ENCODED)
    if (request.content_length or 0) > MAX_BODY_BYTES:
        raise RequestEntityTooLarge
    data = request.stream.read(MAX_BODY_BYTES + 1)
    if len(data) > MAX_BODY_BYTES:
        raise RequestEntityTooLarge
    if len(data) < (request.content_length or 0):
        raise InvalidRequest(BROKEN_OFF)
    if not is_json and not data.lstrip().startswith(b"{"):
        raise UnsupportedMediaType(NO_JSON_TYPE)
    return data


def parse_body(data: bytes) -> dict[str, object]:
    """The object in the body. orjson refuses what is no JSON: NaN, infinite numbers, lone surrogates, bad UTF-8.

    Raises InvalidRequest.
    """
    try:
        body = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"JSON parse error - {error.msg} (line {error.lineno}, column {error.colno})") from None
    if not isinstance(body, dict):
        raise InvalidRequest(NO_OBJECT)
    _check(body, may_hold_nul=b"\\u0000" in data)
    return body


def _check(body: dict[str, object], *, may_hold_nul: bool) -> None:
    """One level after another, so that no nesting is too deep to be looked at."""
    level: list[Any] = [body]
    depth = 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise InvalidRequest(TOO_DEEP)
        inside: list[Any] = []
        for holder in level:
            inside += [*holder, *holder.values()] if isinstance(holder, dict) else holder
        if may_hold_nul and any(isinstance(value, str) and "\x00" in value for value in inside):
            raise InvalidRequest(HAS_NUL)
        level = [value for value in inside if isinstance(value, dict | list)]
