"""Writes of the API (API reference, Paths and Writes): their views, and what surrounds these.

The handler checks token and body, calls the view, and acknowledges what it accepted.
"""

import hashlib
from collections.abc import Callable, Mapping

import structlog
from flask import Request, Response
from msgspec import Struct, field
from msgspec.structs import asdict

from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import ANY_REVISION, Accepted, Body, Caller, EntryName, WriteContext
from sitecms.api.auth import Authenticator
from sitecms.api.request_body import parse_body, read_body
from sitecms.api.responses import REVISION_END, uncached_response
from sitecms.api.wsgi import query_of
from sitecms.clock import format_timestamp
from sitecms.content.field_value import JsonObject
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.text.slug import composed
from sitecms.content.token import Token
from sitecms.content.writes import IdempotencyKey, Write
from sitecms.errors import InvalidFields, InvalidRequest, NotFound

MAX_KEY_LENGTH = 255
EMPTY_LOCALE = "Name a locale, or leave the parameter out to delete the entry in all locales."
_log = structlog.get_logger("sitecms.api")
Hint = Callable[[str], None]
_POST, _POST_NAMES = "/v2/posts/<slug>/", {"slug": "counting-meteors-honestly"}
_PAGE, _PAGE_NAMES = "/v2/pages/<page_type>/<page_slug>/", {"page_type": "*", "page_slug": "about"}
_ITEM, _ITEM_NAMES = "/v2/content/<key>/<item_id>/", {"item_id": "1"}


class WriteCall(Struct, frozen=True):
    """One authenticated write, as views get it. `locale` is "" if the request names none; a deletion has no body."""

    context: WriteContext
    caller: Caller
    locale: str
    body: Body


WriteView = Callable[..., Accepted | None]


class WriteEndpoint(Struct, frozen=True):
    """A method of a path. Its view gets a WriteCall and the names in the path; None means done already (204).

    The other fields describe it in /v2/openapi.json: `body` is the name of the schema of the body, "" for none, and
    `examples` are values for the names in the path.
    """

    method: str
    path: str
    view: WriteView
    tag: str = ""
    summary: str = ""
    body: str = ""
    examples: Mapping[str, str] = field(default_factory=dict)


class WriteHandler:
    """Handler of the write endpoints. `hint` sends the id of an accepted write to workers, after the commit."""

    def __init__(self, context: WriteContext, authenticator: Authenticator, hint: Hint) -> None:
        self._write_context = context
        self._authenticator = authenticator
        self._hint = hint

    def answer(self, endpoint: WriteEndpoint, path: dict[str, str], request: Request) -> Response:
        """Return 202 {"status": "pending"} with warnings and `Location`, or 204.

        Raises Unauthenticated, Forbidden, InvalidInput, NotFound, Stale, and what `read_body` raises.
        """
        token = self.authenticate(request)
        data = b"" if endpoint.method == "DELETE" else read_body(request)
        body = parse_body(data) if endpoint.method != "DELETE" else {}
        locale = query_of(request.environ.get("QUERY_STRING", "")).get("locale")
        if locale == "" and endpoint.method == "DELETE":
            raise InvalidFields({"locale": [EMPTY_LOCALE]})
        caller = Caller(token, _key(request, data), _if_match(endpoint, request))
        names = {name: composed(value) for name, value in path.items()}  # as slugs are stored
        accepted = endpoint.view(WriteCall(self._write_context, caller, locale or "", body), **names)
        if accepted is None:
            return _no_content()
        self._hint(accepted.write_id)
        _log.info("write_accepted", write=accepted.write_id, token=caller.by.name)
        response = uncached_response(202, {"status": "pending", **accepted.warnings})
        response.headers["Location"] = f"/v2/writes/{accepted.write_id}/"
        return response

    def authenticate(self, request: Request) -> Token:
        """Return the write token in the header. Raises Unauthenticated and Forbidden."""
        return self._authenticator.authenticate_write(request.headers.get("Authorization", ""))


def _if_match(endpoint: WriteEndpoint, request: Request) -> frozenset[str] | None:
    """Return the revisions that `If-Match` names, which stand first in the ETags of entries; None without it.

    Proxies that compress answers make tags weak or add a suffix; the revision before both is the same.
    """
    if "If-Match" not in request.headers or endpoint.method == "POST":
        return None
    if request.if_match.star_tag:
        return frozenset({ANY_REVISION})
    tags = filter(None, request.if_match.as_set(include_weak=True))  # an empty tag is None
    return frozenset(tag.partition(REVISION_END)[0] for tag in tags if REVISION_END in tag)


def _key(request: Request, data: bytes) -> IdempotencyKey | None:
    """Return the key of the request, or None. Raises InvalidRequest for a key that is too long or not ASCII."""
    name = request.headers.get("Idempotency-Key", "").strip()
    if not name:
        return None
    if len(name) > MAX_KEY_LENGTH:
        raise InvalidRequest(f"The Idempotency-Key is longer than {MAX_KEY_LENGTH} characters.")
    if not name.isascii():
        raise InvalidRequest("The Idempotency-Key may hold ASCII characters only.")
    query = request.environ.get("QUERY_STRING", "")
    digest = hashlib.sha256(f"{request.method} {request.path}?{query}\n".encode() + data)
    return IdempotencyKey(name, digest.hexdigest())


def _no_content() -> Response:
    """Return 204, which has neither a body nor a type."""
    response = uncached_response(204, {})
    response.set_data(b"")
    del response.headers["Content-Type"]
    return response


def create_post(call: WriteCall) -> Accepted:
    """Create a post, by default as a draft in the default locale."""
    return accept.create(call.context, call.caller, EntryKind.POST, call.body, call.locale)


def update_post(call: WriteCall, slug: str) -> Accepted:
    """Change the fields in the body. In a locale without a variant of the post, one is created as a copy of it."""
    return accept.update(call.context, call.caller, EntryName(EntryKind.POST, slug), call.body, call.locale)


def delete_post(call: WriteCall, slug: str) -> None:
    """Delete the post: it goes to the trash. With `locale`, the variant of the post in that locale is deleted."""
    accept.delete(call.context, call.caller, EntryName(EntryKind.POST, slug), call.locale)


def create_page(call: WriteCall) -> Accepted:
    """Create a page of a page type, or a Single Page; slugs are unique within a type."""
    return accept.create(call.context, call.caller, EntryKind.PAGE, call.body, call.locale)


def update_page(call: WriteCall, page_type: str, page_slug: str) -> Accepted:
    """Change the fields in the body; a draft keeps the published version. The page type `*` stands for any."""
    return accept.update(
        call.context, call.caller, EntryName(EntryKind.PAGE, page_slug, page_type), call.body, call.locale
    )


def delete_page(call: WriteCall, page_type: str, page_slug: str) -> None:
    """Delete the page, or with `locale` that locale of it alone: it goes to the trash. `*` stands for any page type."""
    accept.delete(call.context, call.caller, EntryName(EntryKind.PAGE, page_slug, page_type), call.locale)


def create_items(call: WriteCall) -> Accepted:
    """Create one item for each element of `fields`, all or none."""
    return accept.create(call.context, call.caller, EntryKind.ITEM, call.body, call.locale)


def update_item(call: WriteCall, key: str, item_id: str) -> Accepted:
    """Change the fields in the body; a draft keeps the published version."""
    return accept.update(call.context, call.caller, EntryName(EntryKind.ITEM, item_id, key), call.body, call.locale)


def replace_item(call: WriteCall, key: str, item_id: str) -> Accepted:
    """Replace all fields in the locales that are sent; a missing field gets its default."""
    return accept.replace_fields(
        call.context, call.caller, EntryName(EntryKind.ITEM, item_id, key), call.body, call.locale
    )


def delete_item(call: WriteCall, key: str, item_id: str) -> None:
    """Delete the item, or with `locale` that locale of it alone: it goes to the trash."""
    accept.delete(call.context, call.caller, EntryName(EntryKind.ITEM, item_id, key), call.locale)


def write_json(write: Write, token: Token) -> JsonObject:
    """Return the state of a write as JSON.

    {"id", "status", "operation", "kind", "slug" or "item_id", "ids", "errors", "warnings", "warnings_left_out",
    "accepted_at", "finished_at"}: `ids` are those of all entries that the write creates or changes, `item_id` is the
    first of them.

    Raises NotFound for the write of another token if the token has limits.
    """
    if token.limits.is_limited and write.token_id != token.id:
        raise NotFound("Not found.")
    has_slug = KINDS[write.kind].has_slug
    variables: Mapping[str, object] = {"slug": write.slug} if has_slug else {"item_id": write.entry_ids[0]}
    return {
        "id": write.id,
        "status": write.status.value,
        "operation": write.operation.value,
        "kind": write.kind.value,
        **variables,
        "ids": list(write.entry_ids),
        "errors": dict(write.errors),
        "warnings": [asdict(warning) for warning in write.warnings.shown],
        "warnings_left_out": write.warnings.left_out,
        "accepted_at": format_timestamp(write.accepted_at),
        "finished_at": format_timestamp(write.finished_at) if write.finished_at else None,
    }


WRITE_ENDPOINTS = (
    WriteEndpoint("POST", "/v2/posts/", create_post, "Posts", "Create a post", "CreatePost"),
    WriteEndpoint("PATCH", _POST, update_post, "Posts", "Update a post", "PostChange", _POST_NAMES),
    WriteEndpoint("PUT", _POST, update_post, "Posts", "Update a post (same as PATCH)", "PostChange", _POST_NAMES),
    WriteEndpoint("DELETE", _POST, delete_post, "Posts", "Delete a post", examples=_POST_NAMES),
    WriteEndpoint("POST", "/v2/pages/", create_page, "Pages", "Create a page", "CreatePage"),
    WriteEndpoint("PATCH", _PAGE, update_page, "Pages", "Update a page", "PageChange", _PAGE_NAMES),
    WriteEndpoint("PUT", _PAGE, update_page, "Pages", "Update a page (same as PATCH)", "PageChange", _PAGE_NAMES),
    WriteEndpoint("DELETE", _PAGE, delete_page, "Pages", "Delete a page", examples=_PAGE_NAMES),
    WriteEndpoint("POST", "/v2/content/", create_items, "Collections", "Create items", "CreateItems"),
    WriteEndpoint("PATCH", _ITEM, update_item, "Collections", "Update an item", "ItemChange", _ITEM_NAMES),
    WriteEndpoint("PUT", _ITEM, replace_item, "Collections", "Replace an item", "ItemReplacement", _ITEM_NAMES),
    WriteEndpoint("DELETE", _ITEM, delete_item, "Collections", "Delete an item", examples=_ITEM_NAMES),
)
