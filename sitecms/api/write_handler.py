"""Writes of the API: token, body, view, acknowledgement."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import structlog
from flask import Request, Response

from sitecms.actions.writing.accept import ANY_REVISION, Accepted, Body, Caller, WriteContext
from sitecms.api.auth import Authenticator
from sitecms.api.request_body import parse_body, read_body
from sitecms.api.responses import REVISION_END, uncached_response
from sitecms.api.wsgi import query_of
from sitecms.content.change import IdempotencyKey
from sitecms.content.token import Token
from sitecms.errors import InvalidRequest

MAX_KEY_LENGTH = 255
_log = structlog.get_logger("sitecms.api")
Hint = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class WriteCall:
    """One authenticated write, as views get it. `locale` is "" if the request names none; a deletion has no body."""

    context: WriteContext
    caller: Caller
    locale: str
    body: Body


WriteView = Callable[..., Accepted | None]


@dataclass(frozen=True, slots=True)
class WriteEndpoint:
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
    examples: Mapping[str, str] = field(default_factory=dict, hash=False)


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
        locale = query_of(request.environ.get("QUERY_STRING", "")).get("locale", "")
        caller = Caller(token, _key(request, data), _if_match(endpoint, request))
        accepted = endpoint.view(WriteCall(self._write_context, caller, locale, body), **path)
        if accepted is None:
            return _no_content()
        self._hint(accepted.write_id)
        _log.info("write_accepted", write=accepted.write_id, token=caller.token.name)
        response = uncached_response(202, {"status": "pending", **accepted.warnings})
        response.headers["Location"] = f"/v2/writes/{accepted.write_id}/"
        return response

    def authenticate(self, request: Request) -> Token:
        """Return the write token in the header. Raises Unauthenticated and Forbidden."""
        return self._authenticator.authenticate_write(request.headers.get("Authorization", ""))


def _if_match(endpoint: WriteEndpoint, request: Request) -> frozenset[str] | None:
    """Return the revisions that `If-Match` names, which stand first in the ETags of entries; None without it."""
    if "If-Match" not in request.headers or endpoint.method == "POST":
        return None
    if request.if_match.star_tag:
        return frozenset({ANY_REVISION})
    tags = filter(None, request.if_match.as_set())  # an empty tag is None
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
