"""Writes of the API: the token, the body, the view, the acknowledgement."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import structlog
from flask import Request, Response

from sitecms.actions.writing.accept import ANY_REVISION, Accepted, Body, Caller, Desk
from sitecms.api.auth import Gate
from sitecms.api.envelope import momentary
from sitecms.api.read_response import REVISION_END
from sitecms.api.request_body import parse_body, read_body
from sitecms.api.wsgi import query_of
from sitecms.content.change import IdempotencyKey
from sitecms.content.token import Token
from sitecms.errors import InvalidRequest

MAX_KEY_LENGTH = 255
_log = structlog.get_logger("sitecms.api")
Hint = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class WriteCall:
    """One authenticated write, as views get it; `locale` is "" where none was named. A deletion has no body."""

    desk: Desk
    caller: Caller
    locale: str
    body: Body


WriteView = Callable[..., Accepted | None]


@dataclass(frozen=True, slots=True)
class WriteEndpoint:
    """A method of a path. The view gets a WriteCall and the path's names; None: it is done already (204).

    The rest is for people, told by /v2/openapi.json: `body` names the schema of what is sent ("": nothing is),
    `examples` are values of the path's names.
    """

    method: str
    path: str
    view: WriteView
    tag: str = ""
    summary: str = ""
    body: str = ""
    examples: Mapping[str, str] = field(default_factory=dict, hash=False)


class Writer:
    """Answers the write endpoints. `hint` tells the workers of an accepted write, after it was committed."""

    def __init__(self, desk: Desk, gate: Gate, hint: Hint) -> None:
        self._desk = desk
        self._gate = gate
        self._hint = hint

    def answer(self, endpoint: WriteEndpoint, path: dict[str, str], request: Request) -> Response:
        """202 {"status": "pending"} with warnings and `Location`, or 204.

        Raises Unauthenticated, Forbidden, InvalidInput, NotFound, Stale, and what `read_body` raises.
        """
        token = self.admit(request)
        data = b"" if endpoint.method == "DELETE" else read_body(request)
        body = parse_body(data) if endpoint.method != "DELETE" else {}
        locale = query_of(request.environ.get("QUERY_STRING", "")).get("locale", "")
        caller = Caller(token, _key(request, data), _if_match(endpoint, request))
        accepted = endpoint.view(WriteCall(self._desk, caller, locale, body), **path)
        if accepted is None:
            return _nothing()
        self._hint(accepted.write_id)
        _log.info("write_accepted", write=accepted.write_id, token=caller.token.name)
        response = momentary(202, {"status": "pending", **accepted.warnings})
        response.headers["Location"] = f"/v2/writes/{accepted.write_id}/"
        return response

    def admit(self, request: Request) -> Token:
        """The write token in the header. Raises Unauthenticated and Forbidden."""
        return self._gate.admit_writer(request.headers.get("Authorization", ""))


def _if_match(endpoint: WriteEndpoint, request: Request) -> frozenset[str] | None:
    """Return the revisions that `If-Match` names, which stand first in the ETags of entries; None without it."""
    if "If-Match" not in request.headers or endpoint.method == "POST":
        return None
    if request.if_match.star_tag:
        return frozenset({ANY_REVISION})
    return frozenset(tag.partition(REVISION_END)[0] for tag in request.if_match.as_set() if REVISION_END in tag)


def _key(request: Request, data: bytes) -> IdempotencyKey | None:
    """Raises InvalidRequest for one that is too long, or holds what servers do not hand over alike."""
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


def _nothing() -> Response:
    """204 has no body, so it has no type either."""
    response = momentary(204, {})
    response.set_data(b"")
    del response.headers["Content-Type"]
    return response
