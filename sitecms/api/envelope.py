"""What surrounds an answer: pagination meta, and what caches are told."""

from collections.abc import Sequence

import orjson
from flask import Response

from sitecms.api.params import Params
from sitecms.content.field_value import JsonObject

NEVER_KEPT = "no-store"
ASKED_ANEW = "private, no-cache"  # a client keeps it, and asks with its ETag whether it still holds


def page_of(
    params: Params, count: int, data: Sequence[object] | JsonObject, *, longest: int | None = None
) -> JsonObject:
    """One page of a list: {"meta": {"count", "next_page", "previous_page"}, "data"}.

    With limit or offset the meta is {"count", "next_offset", "previous_offset"} (decisions, Parameters). `longest`
    is the length of the longest list where several are paged through at once; `count` is that of all together.
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


def momentary(status: int, body: JsonObject) -> Response:
    """What holds for this moment only, as errors do: never kept by anyone."""
    response = Response(orjson.dumps(body), status, content_type="application/json")
    response.headers["Cache-Control"] = NEVER_KEPT
    return response
