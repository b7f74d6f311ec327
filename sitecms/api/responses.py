"""Responses of the API: JSON bodies, pagination, and the headers that caches obey."""

import re
from collections.abc import Sequence
from hashlib import sha1

import orjson
from flask import Response
from msgspec import Struct, field
from werkzeug.http import is_resource_modified, parse_etags

from sitecms.api.compression import CODINGS, MIN_BYTES, coding_for
from sitecms.api.headers import READ_HEADERS
from sitecms.api.params import Params
from sitecms.api.wsgi import Environ, Headers
from sitecms.content.field_value import JsonObject
from sitecms.content.response_size import SizeLimit

NO_STORE = "no-store"
REVALIDATE = "private, no-cache"
"""A client may store the response, and asks with its ETag whether it is still valid."""
REVISION_END = "-"
"""Ends the revision of the entry in the ETag of a single entry: `"<revision>-<digest of the body>"`."""
HEADERS_BYTES = 1_500
BODY_HEADERS = frozenset({"Content-Type", "Content-Length", "Content-Encoding"})
_SET_ASIDE = re.compile(r'\bW/(?=")|-(?:gzip|br)(?=")')
"""Suffixes that compression adds to an ETag, here or in a proxy; the answer is the same."""


class ReadResponse(Struct, frozen=True, eq=False):
    """Headers and body of a successful read, reused for equal requests until the store changes.

    The body is one element of a list, as WSGI wants it. `compressed` has headers and body for each coding that a client
    has asked for, made at its first request.
    """

    headers: Headers
    body: list[bytes]
    etag: str
    compressed: dict[str, tuple[Headers, list[bytes]]] = field(default_factory=dict)

    @property
    def size_bytes(self) -> int:
        """The approximate size in memory, where headers take as much as a short body, and compressed bodies a half."""
        length = len(self.body[0])
        return (length if length < MIN_BYTES else length * 3 // 2) + HEADERS_BYTES

    def for_request(self, environ: Environ) -> tuple[str, Headers, list[bytes]]:
        """Return status, headers and body: 304 if the client has the current response, and no body for HEAD."""
        headers, body = self.headers, self.body
        if "HTTP_ACCEPT_ENCODING" in environ and len(body[0]) >= MIN_BYTES:
            headers, body = self._in_coding(coding_for(environ["HTTP_ACCEPT_ENCODING"]))
        if ("HTTP_IF_NONE_MATCH" in environ or "HTTP_IF_MATCH" in environ) and self._is_refused(environ):
            status = "412 PRECONDITION FAILED" if parse_etags(environ.get("HTTP_IF_MATCH")) else "304 NOT MODIFIED"
            return status, [header for header in headers if header[0] not in BODY_HEADERS], []
        return "200 OK", headers, [] if environ["REQUEST_METHOD"] == "HEAD" else body

    def _in_coding(self, coding: str) -> tuple[Headers, list[bytes]]:
        """Return headers and body in a coding, with an ETag of their own, as they have other bytes."""
        if not coding:
            return self.headers, self.body
        if coding not in self.compressed:
            body = CODINGS[coding](self.body[0])
            replacements = {"Content-Length": str(len(body)), "ETag": f'{self.etag[:-1]}-{coding}"'}
            headers = [(name, replacements.get(name, value)) for name, value in self.headers]
            self.compressed[coding] = [*headers, ("Content-Encoding", coding)], [body]
        return self.compressed[coding]

    def _is_refused(self, environ: Environ) -> bool:
        """Return whether the conditions of the request keep the body back."""
        conditions: Environ = {
            name: _SET_ASIDE.sub("", environ[name])
            for name in ("HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH")
            if name in environ
        }
        return not is_resource_modified({"REQUEST_METHOD": environ["REQUEST_METHOD"], **conditions}, self.etag)


def json_bytes(payload: JsonObject) -> bytes:
    """Return JSON of data in which times are datetimes in UTC, written as `format_timestamp` does."""
    return orjson.dumps(payload, option=orjson.OPT_UTC_Z)


def make_read_response(payload: JsonObject, *, preview: bool, revision: str = "") -> ReadResponse:
    """Return the payload as JSON with the headers of a read. Raises InvalidRequest beyond 10 MB.

    The ETag is the digest of the body; that of a single entry begins with the entry's revision.
    """
    body = json_bytes(payload)
    SizeLimit().spend(len(body))
    digest = sha1(body, usedforsecurity=False).hexdigest()
    etag = f'"{revision}{REVISION_END}{digest}"' if revision else f'"{digest}"'
    headers = [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("Vary", "Authorization, Accept-Encoding"),
        ("Cache-Control", NO_STORE if preview else REVALIDATE),
        ("ETag", etag),
        *READ_HEADERS,
    ]
    return ReadResponse(headers, [body], etag)


def uncached_response(status: int, body: JsonObject) -> Response:
    """Return a JSON response that no cache may store, such as an error."""
    response = Response(orjson.dumps(body), status, content_type="application/json")
    response.headers["Cache-Control"] = NO_STORE
    return response


def paginated(
    params: Params, count: int, data: Sequence[object] | JsonObject, *, longest: int | None = None
) -> JsonObject:
    """Return one page of a list: {"meta": {"count", "next_page", "previous_page"}, "data"}.

    With limit or offset the meta is {"count", "next_offset", "previous_offset"} (API reference, Parameters). `longest`
    is the length of the longest list if several are paginated at once; `count` is the number of all entries.
    """
    length = count if longest is None else longest
    steps = _offset_steps(params, length) if params.by_offset else _page_steps(params, length)
    return {"meta": {"count": count, **steps}, "data": data}


def _page_steps(params: Params, count: int) -> JsonObject:
    last = -(-count // params.page_size)
    return {
        "next_page": params.page + 1 if params.page < last else None,
        "previous_page": min(params.page - 1, last) or None,
    }


def _offset_steps(params: Params, count: int) -> JsonObject:
    following = params.offset + params.limit
    start = min(params.offset, count)
    return {
        "next_offset": following if following < count else None,
        "previous_offset": max(0, start - params.limit) if start else None,
    }
