"""What surrounds an answer: pagination meta, the bytes, their limit, and the headers for caches."""

from collections.abc import Sequence

import orjson
from flask import Request, Response

from sitecms.api.params import Params
from sitecms.content.fingerprint import digest
from sitecms.errors import InvalidRequest

JsonObject = dict[str, object]
MAX_RESPONSE_BYTES = 10 * 1024 * 1024
NEVER_KEPT = "no-store"
ASKED_ANEW = "private, no-cache"  # a client keeps it, and asks with its ETag whether it still holds


def page_of(params: Params, count: int, data: Sequence[object] | JsonObject) -> JsonObject:
    """One page of a list: {"meta": {"count", "next_page", "previous_page"}, "data"}.

    With limit or offset the meta is {"count", "next_offset", "previous_offset"} (decisions, Parameters).
    """
    return {"meta": _offset_meta(params, count) if params.by_offset else _page_meta(params, count), "data": data}


def _page_meta(params: Params, count: int) -> JsonObject:
    last = -(-count // params.page_size)
    return {
        "count": count,
        "next_page": params.page + 1 if params.page < last else None,
        "previous_page": min(params.page - 1, last) or None,
    }


def _offset_meta(params: Params, count: int) -> JsonObject:
    following = params.offset + params.limit
    start = min(params.offset, count)
    return {
        "count": count,
        "next_offset": following if following < count else None,
        "previous_offset": max(0, start - params.limit) if start else None,
    }


def answer(payload: JsonObject, request: Request, *, preview: bool) -> Response:
    """The payload as a response, or 304 if the client has it already. Raises InvalidRequest beyond 10 MB."""
    body = orjson.dumps(payload)
    if len(body) > MAX_RESPONSE_BYTES:
        raise InvalidRequest("The response would be larger than 10 MB; ask for fewer items or fewer levels.")
    response = Response(body, content_type="application/json")
    response.headers["Vary"] = "Authorization"
    response.headers["Cache-Control"] = NEVER_KEPT if preview else ASKED_ANEW
    response.set_etag(digest(body))
    response.make_conditional(request)
    return response


def momentary(status: int, body: JsonObject) -> Response:
    """What holds for this moment only, as errors do: never kept by anyone."""
    response = Response(orjson.dumps(body), status, content_type="application/json")
    response.headers["Cache-Control"] = NEVER_KEPT
    return response
