"""Documentation of the API without a token: /v2/openapi.json for programs, /docs for people."""

from collections.abc import Sequence
from pathlib import Path

from flask import Response, request, send_file

from sitecms.api.endpoint import Endpoint
from sitecms.api.openapi.document import SiteApi, build_document
from sitecms.api.responses import REVALIDATE, ReadResponse, make_read_response, uncached_response
from sitecms.api.write_handler import WriteEndpoint
from sitecms.errors import NotFound
from sitecms.runtime import Runtime
from sitecms.store.database import Session
from sitecms.store.site_state.documents import load_content_schema

PAGE = "docs.html"
ASSETS = {PAGE: "text/html", "docs.css": "text/css", "docs.js": "text/javascript", "icon.svg": "image/svg+xml"}
POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
_FOLDER = Path(__file__).resolve().parent.parent / "docs_assets"
_KEY = ("openapi",)


def openapi_json(
    runtime: Runtime, reads: Sequence[Endpoint], writes: Sequence[WriteEndpoint], base_url: str
) -> Response:
    """Return the OpenAPI document, which is made once for each change number of the store, or 304."""

    def make(session: Session) -> ReadResponse:
        schema = load_content_schema(session)
        site = SiteApi(reads, writes, schema, runtime.locales, runtime.settings.name, base_url)
        return make_read_response(build_document(site), preview=False)

    with runtime.database.reading() as session:
        answer = session.cached(_KEY, lambda: make(session), lambda made: made.size_bytes)
    status, headers, body = answer.for_request(request.environ)
    return Response(body, status, headers)


def to_docs() -> Response:
    """Redirect to the page."""
    response = uncached_response(302, {})
    response.set_data(b"")
    response.headers["Location"] = "/docs"
    return response


def docs_file(name: str) -> Response:
    """Return the page, its style sheet or its script; it loads nothing from elsewhere. Raises NotFound."""
    if name not in ASSETS:
        raise NotFound("Not found.")
    response = send_file(_FOLDER / name, mimetype=ASSETS[name], conditional=True)
    response.headers["Cache-Control"] = REVALIDATE
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return response
