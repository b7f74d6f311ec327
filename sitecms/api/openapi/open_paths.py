"""Paths besides reads and writes of content: health, metrics, media, documentation, and the status of a write."""

from collections.abc import Mapping

from msgspec import Struct, field

from sitecms.api.openapi.operations import operation_id
from sitecms.api.openapi.responses import READ_HEADERS, response_ref, write_response_ref
from sitecms.content.json_schema import JsonSchema, record, word
from sitecms.content.writes import MAX_WARNINGS

SERVICE, MEDIA, WRITES = "Service", "Media", "Writes"
_WRITE: JsonSchema = {
    "id": "0c9e5a1d7b3f4e2a8d6c1b0f9e8a7d6c",
    "status": "applied",
    "operation": "create",
    "kind": "post",
    "slug": "counting-meteors-honestly",
    "ids": [12],
    "errors": {},
    "warnings": [
        {
            "field": "body",
            "message": "The tag <font> was removed: it is not allowed. Its text was kept.",
            "snippet": '<font color="red">',
            "count": 2,
        }
    ],
    "warnings_left_out": 0,
    "accepted_at": "2026-03-01T08:00:00Z",
    "finished_at": "2026-03-01T08:00:00.140000Z",
}
_TEXT: JsonSchema = {"type": "string"}
_WARNING_SCHEMA: JsonSchema = {
    "type": "object",
    "description": "Markup that was removed from HTML: the first such place, and how many there were.",
    "required": ["field", "message", "snippet", "count"],
    "properties": {"field": _TEXT, "message": _TEXT, "snippet": _TEXT, "count": {"type": "integer", "minimum": 1}},
}
_WRITE_SCHEMA: JsonSchema = {
    "type": "object",
    "required": [
        "id",
        "status",
        "operation",
        "kind",
        "ids",
        "errors",
        "warnings",
        "warnings_left_out",
        "accepted_at",
        "finished_at",
    ],
    "properties": {
        "id": _TEXT,
        "status": {"enum": ["accepted", "applied", "rejected", "failed"]},
        "operation": {"enum": ["create", "update", "replace", "delete"]},
        "kind": {"enum": ["post", "page", "item"]},
        "slug": _TEXT,
        "item_id": {"type": "integer"},
        "ids": {"type": "array", "items": {"type": "integer"}},
        "errors": {"type": "object", "additionalProperties": {"type": "array", "items": _TEXT}},
        "warnings": {"type": "array", "maxItems": MAX_WARNINGS, "items": _WARNING_SCHEMA},
        "warnings_left_out": {"type": "integer"},
        "accepted_at": {"type": "string", "format": "date-time"},
        "finished_at": {"type": ["string", "null"], "format": "date-time"},
    },
}
_KNOWN: JsonSchema = {"$ref": "#/components/parameters/If-None-Match"}
_UNCHANGED: JsonSchema = {"$ref": "#/components/responses/NotModified"}
_ERROR: JsonSchema = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}


class OpenPath(Struct, frozen=True):
    """One path with its answers by status (an int stands for that error) and its parameters."""

    path: str
    tag: str
    summary: str
    description: str
    responses: Mapping[str, JsonSchema | int]
    parameters: tuple[JsonSchema, ...] = field(default=())
    security: tuple[JsonSchema, ...] = ()

    def as_json(self) -> JsonSchema:
        """Return the path as an OpenAPI operation."""
        responses = {
            status: response_ref(answer) if isinstance(answer, int) else answer
            for status, answer in self.responses.items()
        }
        return {
            "operationId": operation_id(self.path),
            "tags": [self.tag],
            "summary": self.summary,
            "description": self.description,
            "security": list(self.security),
            **({"parameters": list(self.parameters)} if self.parameters else {}),
            "responses": responses,
        }


def _status(status: str, meaning: str) -> JsonSchema:
    schema = record({"status": word(status)})
    return {"description": meaning, "content": {"application/json": {"schema": schema, "example": {"status": status}}}}


def _ready(status: str, meaning: str, **more: JsonSchema) -> JsonSchema:
    worker, queue = {"enum": ["alive", "not seen"]}, {"enum": ["reachable", "unreachable"]}
    example = {
        "status": status,
        "worker": "alive",
        "queue": "reachable",
        "store": "PostgreSQL 15.8",
        **({"reasons": ["The store is busy."]} if more else {}),
    }
    schema = record({"status": word(status), "worker": worker, "queue": queue, "store": _TEXT, **more})
    return {"description": meaning, "content": {"application/json": {"schema": schema, "example": example}}}


def _text(meaning: str, content_type: str, headers: JsonSchema | None = None) -> JsonSchema:
    content = {content_type: {"schema": _TEXT}}
    return {"description": meaning, **({"headers": headers} if headers else {}), "content": content}


def _file(meaning: str) -> JsonSchema:
    """Return the response with a file of any type, which generated clients read as bytes."""
    content: JsonSchema = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}, "*/*": {}}
    return {"description": meaning, "headers": READ_HEADERS, "content": content}


def _name(description: str, example: str) -> JsonSchema:
    return {
        "name": "name",
        "in": "path",
        "required": True,
        "description": description,
        "schema": {"type": "string", "minLength": 1},
        "example": example,
    }


OPEN_PATHS = (
    OpenPath(
        "/health/live",
        SERVICE,
        "Whether the process answers",
        "For process managers.",
        {"200": _status("live", "It does.")},
    ),
    OpenPath(
        "/health/ready",
        SERVICE,
        "Whether the store can be read and written",
        "For load balancers. `worker` is the state of background workers on this machine, `store` the engine of "
        "the store. While `queue` is unreachable, writes are still accepted, and applied within seconds.",
        {
            "200": _ready("ready", "It does."),
            "503": _ready("unavailable", "It does not.", reasons={"type": "array", "items": _TEXT}),
        },
    ),
    OpenPath(
        "/metrics",
        SERVICE,
        "Numbers for Prometheus",
        "Off unless `[metrics]` in site.toml turns it on; a token is needed where that names one.",
        {"200": _text("The numbers, as text.", "text/plain"), "401": 401, "404": 404},
        security=({}, {"header": []}),
    ),
    OpenPath(
        "/media/{name}",
        MEDIA,
        "Retrieve a media file",
        "The whole file or, with `Range`, a part of it. It never changes: its name is made of what it holds.",
        {
            "200": _file("The file."),
            "206": _file("The part that was asked for, or its first 8 MB."),
            "302": {"description": "The file is in object storage, at the address in `Location`."},
            "304": _UNCHANGED,
            "404": 404,
            "416": {"description": "The file has no such part.", "content": _ERROR},
            "503": {"description": "Object storage does not answer at the moment.", "content": _ERROR},
        },
        (
            _name("The last part of a media address.", "5f2c.jpg"),
            {
                "name": "Range",
                "in": "header",
                "description": "The bytes wanted, as `bytes=0-99`.",
                "schema": {"type": "string"},
            },
            _KNOWN,
        ),
    ),
    OpenPath(
        "/v2/openapi.json",
        SERVICE,
        "This document",
        "OpenAPI 3.1, with the page types and collections of the loaded site.",
        {
            "200": {
                "description": "The document.",
                "headers": READ_HEADERS,
                "content": {"application/json": {"schema": {"type": "object", "additionalProperties": True}}},
            },
            "304": _UNCHANGED,
            "500": 500,
            "503": 503,
        },
        (_KNOWN,),
    ),
    OpenPath(
        "/docs",
        SERVICE,
        "This document for people",
        "A page to read it and to try requests.",
        {"200": _text("The page.", "text/html", READ_HEADERS), "304": _UNCHANGED},
        (_KNOWN,),
    ),
    OpenPath(
        "/docs/{name}",
        SERVICE,
        "What the page for people needs",
        "Its style and script.",
        {"200": _file("The file."), "304": _UNCHANGED, "404": 404},
        (_name("Name of the file.", "docs.css"), _KNOWN),
    ),
    OpenPath(
        "/v2/writes/{write_id}/",
        WRITES,
        "What became of a write",
        "A write is answered 202 before it is applied; its header `Location` names this path. A write token is needed.",
        {
            "200": {
                "description": "The write; `slug` of a post or page, `item_id` of an item.",
                "content": {"application/json": {"schema": _WRITE_SCHEMA, "example": _WRITE}},
            },
            "401": write_response_ref(401),
            "403": write_response_ref(403),
            "404": 404,
            "500": 500,
            "503": 503,
        },
        (
            {
                "name": "write_id",
                "in": "path",
                "required": True,
                "description": "The write's id.",
                "schema": _TEXT,
                "example": "0c9e5a1d7b3f4e2a8d6c1b0f9e8a7d6c",
            },
        ),
        ({"header": []},),
    ),
)
