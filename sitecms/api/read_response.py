"""Answers of reads, ready to be sent: the same bytes to everyone who asks the same, until the store changes."""

from dataclasses import dataclass

import orjson
from werkzeug.http import is_resource_modified, parse_etags

from sitecms.api.envelope import ASKED_ANEW, NEVER_KEPT
from sitecms.api.headers import READ_HEADERS
from sitecms.api.wsgi import Environ, Headers
from sitecms.content.field_value import JsonObject
from sitecms.content.fingerprint import digest
from sitecms.content.response_size import SizeLimit

REVISION_END = "-"
"""Ends the revision of the entry in the ETag of a single entry: `"<revision>-<digest of the body>"`."""
HEADERS_BYTES = 1_500
OF_A_BODY = frozenset({"Content-Type", "Content-Length"})


@dataclass(frozen=True, slots=True)
class ReadResponse:
    """The headers and the body (in the list that WSGI wants) of a read that succeeded."""

    headers: Headers
    body: list[bytes]
    etag: str

    @property
    def size_bytes(self) -> int:
        """What it takes in memory, about: its headers hold as much as a short body."""
        return len(self.body[0]) + HEADERS_BYTES

    def for_request(self, environ: Environ) -> tuple[str, Headers, list[bytes]]:
        """Status, headers and body: 304 for a client that has it already, only the headers for HEAD."""
        if ("HTTP_IF_NONE_MATCH" in environ or "HTTP_IF_MATCH" in environ) and not is_resource_modified(
            environ, self.etag
        ):
            status = "412 PRECONDITION FAILED" if parse_etags(environ.get("HTTP_IF_MATCH")) else "304 NOT MODIFIED"
            return status, [header for header in self.headers if header[0] not in OF_A_BODY], []
        return "200 OK", self.headers, [] if environ["REQUEST_METHOD"] == "HEAD" else self.body


def make_read_response(payload: JsonObject, *, preview: bool, revision: str = "") -> ReadResponse:
    """Return the payload as JSON with the headers of a read. Raises InvalidRequest beyond 10 MB.

    The ETag is the digest of the body, behind the revision of the entry in the answer of a single entry.
    """
    body = orjson.dumps(payload)
    SizeLimit().spend(len(body))
    etag = f'"{revision}{REVISION_END}{digest(body)}"' if revision else f'"{digest(body)}"'
    headers = [
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("Vary", "Authorization"),
        ("Cache-Control", NEVER_KEPT if preview else ASKED_ANEW),
        ("ETag", etag),
        *READ_HEADERS,
    ]
    return ReadResponse(headers, [body], etag)
