"""Responses other than 200: one table from status to component response."""

from collections.abc import Mapping

from msgspec import Struct, field

from sitecms.actions.writing.accept.acceptance import REUSED, STALE
from sitecms.actions.writing.accept.create import LIMIT_REACHED
from sitecms.api.auth import INVALID_TOKEN, NO_CREDENTIALS, NO_WRITES
from sitecms.api.errors import NOT_FOUND, STORE_NOT_WRITABLE, STORE_UNREADABLE, too_many_requests
from sitecms.api.request_body import NOT_AN_OBJECT, NOT_JSON
from sitecms.api.request_body import TOO_LARGE as BODY_TOO_LARGE
from sitecms.content.field_value import JsonObject
from sitecms.content.json_schema import JsonSchema, any_of, ref
from sitecms.content.response_size import TOO_LARGE

ANY_READ = (400, 401, 429, 500, 503)
"""The error statuses of every read."""
_PAGING = "page and page_size cannot be used together with limit and offset"
_LEVELS = "levels query parameter should be an integer between 1 and 5 (inclusive)"
_NO_FIELD = "There is no field colour; there are: name, role."
LOCATION: JsonSchema = {
    "description": "Where to ask what became of the write; of several, of the first.",
    "schema": {"type": "string"},
    "example": "/v2/writes/0c9e5a1d7b3f4e2a8d6c1b0f9e8a7d6c/",
}
NOTHING_LEFT: JsonSchema = {"description": "Deleted, as of now. There is no body."}
_ETAG: JsonSchema = {
    "description": "Strong: equal as long as the answer is equal.",
    "schema": {"type": "string"},
    "example": '"3f9a0c"',
}
_CACHING: JsonSchema = {
    "description": "`private, no-cache`: keep it, and ask with If-None-Match; `no-store` with preview=1.",
    "schema": {"type": "string"},
}
READ_HEADERS: JsonSchema = {
    "ETag": {"$ref": "#/components/headers/ETag"},
    "Cache-Control": {"$ref": "#/components/headers/Cache-Control"},
}
HEADERS: Mapping[str, JsonSchema] = {"ETag": _ETAG, "Cache-Control": _CACHING}
NOT_MODIFIED: JsonSchema = {"description": "What If-None-Match names still holds.", "headers": READ_HEADERS}


class ErrorResponse(Struct, frozen=True):
    """One status: its name among the components, what it means, and bodies by a word for their cause.

    `details` are texts of bodies `{detail}`; `others` are whole bodies: field maps, `{error}`.
    """

    name: str
    meaning: str
    details: Mapping[str, str]
    headers: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, JsonObject] = field(default_factory=dict)

    def as_json(self) -> JsonSchema:
        """Return the error as an OpenAPI response."""
        schema = ref("Crash" if self.name == "Crash" else "Error")
        if self.others:
            schema = any_of(ref("Error"), ref("LimitReached"), ref("FieldErrors"))
        further = {"request_id": "9f86d081884c7d65"} if self.name == "Crash" else {}
        examples: dict[str, JsonObject] = {
            cause: {"value": {"detail": detail, **further}} for cause, detail in self.details.items()
        }
        examples |= {cause: {"value": body} for cause, body in self.others.items()}
        headers = {name: {"description": text, "schema": {"type": "string"}} for name, text in self.headers.items()}
        content = {"application/json": {"schema": schema, "examples": examples}}
        return {"description": self.meaning, **({"headers": headers} if headers else {}), "content": content}


ERRORS: Mapping[int, ErrorResponse] = {
    400: ErrorResponse(
        "Invalid",
        "A parameter cannot be read, or the answer would be too large.",
        {
            "locale": "Invalid locale parameter: 'xx'. Configured locales: en, es.",
            "levels": _LEVELS,
            "paging": _PAGING,
            "size": TOO_LARGE,
        },
    ),
    401: ErrorResponse(
        "Unauthenticated",
        "No token, or one that is unknown, expired or revoked.",
        {"missing": NO_CREDENTIALS, "unusable": INVALID_TOKEN},
        {"WWW-Authenticate": "Always `Token`."},
    ),
    403: ErrorResponse(
        "Forbidden",
        "A filter or an order names an unknown field, or the slug is that of several pages.",
        {"field": _NO_FIELD},
    ),
    404: ErrorResponse(
        "NotFound",
        "There is nothing by that name, or it is not published, or not in that locale.",
        {"any": NOT_FOUND, "page": "Page not found.", "collection": "Content key x not found"},
    ),
    429: ErrorResponse(
        "TooManyRequests",
        "The site limits how often a token or an address may ask.",
        {"any": too_many_requests(7)},
        {"Retry-After": "Seconds to wait."},
    ),
    500: ErrorResponse(
        "Crash",
        "An error of the server; its log has the cause under the same id.",
        {"crash": "Internal server error."},
        {"X-Request-Id": "The id in the log."},
    ),
    503: ErrorResponse(
        "Unavailable",
        "The store is damaged, missing, was made by a newer version, or cannot be written.",
        {"store": STORE_UNREADABLE, "writes": STORE_NOT_WRITABLE},
        {"Retry-After": "Seconds to wait."},
    ),
}
WRITE_ERRORS: Mapping[int, ErrorResponse] = {
    400: ErrorResponse(
        "RefusedWrite",
        "The body cannot be read, a value in it is wrong, or a limit of the site is reached. Nothing was kept.",
        {"body": NOT_AN_OBJECT},
        others={
            "fields": {"title": ["This field is required."], "author": ["Name the author by email or slug."]},
            "locale": {"locale": ['"xx" is not a configured locale. Locales: en, es.']},
            "limit": {"error": LIMIT_REACHED},
        },
    ),
    401: ErrorResponse(
        "UnauthenticatedWrite",
        "No token in the header, or one that is unknown, expired or revoked.",
        {"any": NO_CREDENTIALS},
        {"WWW-Authenticate": "Always `Token`."},
    ),
    403: ErrorResponse(
        "ForbiddenWrite",
        "The token does not allow writes, or not this one; or the slug is that of pages of several types.",
        {"token": NO_WRITES},
    ),
    408: ErrorResponse("TooSlow", "The body did not come in within a minute.", {"any": "Request Timeout."}),
    412: ErrorResponse("Stale", "`If-Match` names an older state of the entry.", {"any": STALE}),
    413: ErrorResponse("TooLarge", "The body is over 10 MB.", {"any": BODY_TOO_LARGE}),
    415: ErrorResponse("NoJson", "The Content-Type is not that of JSON, or the body is compressed.", {"any": NOT_JSON}),
    422: ErrorResponse("KeyReused", "The Idempotency-Key was used for another request.", {"any": REUSED}),
}


def response_ref(status: int) -> JsonSchema:
    """Return a reference to the component response of an error status."""
    return {"$ref": f"#/components/responses/{ERRORS[status].name}"}


def write_response_ref(status: int) -> JsonSchema:
    """Return a reference to the component response of an error status of writes."""
    return {"$ref": f"#/components/responses/{(WRITE_ERRORS.get(status) or ERRORS[status]).name}"}


def component_responses() -> dict[str, JsonSchema]:
    """Return the responses by name."""
    errors = (*ERRORS.values(), *WRITE_ERRORS.values())
    return {error.name: error.as_json() for error in errors} | {"NotModified": NOT_MODIFIED}
