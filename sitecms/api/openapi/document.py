"""The OpenAPI document: its parts, and write endpoints with example bodies that the loaded site accepts.

It is served without a token at /v2/openapi.json for programs, and at /docs for people.
"""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from flask import Response, request, send_file
from msgspec import Struct

from sitecms.api.endpoint import Endpoint
from sitecms.api.openapi.open_paths import OPEN_PATHS
from sitecms.api.openapi.operations import (
    IF_NONE_MATCH,
    NAME,
    operation_id,
    operation_of,
    path_of,
    path_parameter,
    query_parameters,
)
from sitecms.api.openapi.responses import HEADERS, LOCATION, NOTHING_LEFT, component_responses, write_response_ref
from sitecms.api.openapi.schemas import content_schemas, field_schemas, fixed_schemas
from sitecms.api.openapi.write_schemas import write_schemas
from sitecms.api.responses import REVALIDATE, ReadResponse, make_read_response, uncached_response
from sitecms.api.write_handler import MAX_KEY_LENGTH, WriteEndpoint
from sitecms.content.field_value import JsonObject
from sitecms.content.fields.group import example_fields
from sitecms.content.json_schema import JsonSchema, ref
from sitecms.content.locale import Locales
from sitecms.content.schema import SINGLE_PAGE_FIELDS, ContentSchema
from sitecms.errors import NotFound
from sitecms.runtime import Runtime
from sitecms.store.database import Session
from sitecms.store.site_state.documents import load_content_schema

ANY_WRITE = (400, 401, 403, 422, 429, 500, 503)
WITH_BODY = (408, 413, 415)
ON_ENTRY = (404, 412)
"""Statuses of every write, of those with a body, and of those to an existing entry."""
IDEMPOTENCY_KEY: JsonSchema = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "A name for this request: sent again with it, the request is answered alike and done once.",
    "schema": {"type": "string", "maxLength": MAX_KEY_LENGTH},
}
IF_MATCH: JsonSchema = {
    "name": "If-Match",
    "in": "header",
    "description": (
        "The ETag of a read of the same address: 412 if the entry has changed since, or another write to it waits."
    ),
    "schema": {"type": "string"},
}
Examples = Mapping[str, Any]
_ACCEPTED: JsonSchema = {
    "description": "Accepted: the write is kept, and carried out soon.",
    "headers": {"Location": LOCATION},
    "content": {"application/json": {"schema": ref("Accepted"), "example": {"status": "pending"}}},
}
_POSTS: Mapping[str, Examples] = {
    "CreatePost": {
        "short": {"title": "A title is enough"},
        "full": {
            "title": "Counting rooks",
            "slug": "counting-rooks",
            "status": "published",
            "categories": ["Field notes"],
            "tags": ["rooks", "winter"],
            "body": "<p>They come in at dusk.</p>",
            "summary": "An evening under the trees.",
            "seo_title": "Counting rooks at dusk",
        },
    },
    "PostChange": {
        "title and tags": {"title": "A better title", "tags": ["winter"]},
        "published": {"status": "published"},
    },
}
_PAGE = {"title": "A new page", "slug": "a-new-page", "status": "draft"}
API_VERSION = "2.0.0"
ABOUT = """\
Posts, pages, collections, categories, tags and authors of this site, to be read and written.

- **Token.** Each request carries the header `Authorization: Token <token>`, or the parameter `auth_token`. The header \
keeps the token out of logs.
- **Paths** end with a slash; without it the answer is 301 to the path with it. Every GET answers HEAD too. Another \
method: 405 with `Allow`.
- **Parameters** that a path does not take are ignored. Of a repeated one the last counts; an empty one counts as left \
out, except a filter `fields.<name>=`.
- **Times** are UTC and end in `Z`; dates inside `fields` have no zone. Unset texts are empty, not null.
- **Caching.** Every answer has a strong `ETag`; `If-None-Match` is answered 304. Previews and errors are `no-store`.
- **Writes** take JSON and a write token, in the header only. They are checked at once, answered 202 and carried out \
moments later; `Location` names where to ask what became of one. A deletion is carried out at once, and answered 204.
- **Changes.** Answers may gain keys. Ignore those you do not know."""
TAGS = {
    "Posts": "Blog posts: list, one, search.",
    "Pages": "Pages of page types, and Single Pages, which have none.",
    "Collections": "Items of the collections that the site declares.",
    "Authors": "Who writes; the same in every locale.",
    "Categories and tags": "What posts are filed under; the same in every locale.",
    "Feeds": "Feeds and the sitemap, as the built site has them.",
    "Media": "Files that content refers to.",
    "Writes": "What became of writes that were accepted.",
    "Service": "Health, and this document. No token is needed.",
}
_SECURITY: dict[str, JsonSchema] = {
    "header": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "The word `Token`, a space, and the token: `Authorization: Token <token>`.",
    },
    "query": {
        "type": "apiKey",
        "in": "query",
        "name": "auth_token",
        "description": "The token alone. Not for writes; prefer the header.",
    },
}
PAGE = "docs.html"
ASSETS = {PAGE: "text/html", "docs.css": "text/css", "docs.js": "text/javascript", "icon.svg": "image/svg+xml"}
POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
_FOLDER = Path(__file__).resolve().parent.parent / "docs_assets"
_KEY = ("openapi",)


def write_operation(endpoint: WriteEndpoint, bodies: Mapping[str, Examples], names: Mapping[str, str]) -> JsonSchema:
    """Return the operation; `bodies` are examples by the bodies' schemas, `names` examples of path parameters."""
    path_names = NAME.findall(endpoint.path)
    headers = ["Idempotency-Key", *(["If-Match"] if path_names else [])]
    parameters = [path_parameter(name, {**names, **endpoint.examples}.get(name, "")) for name in path_names]
    parameters += [{"$ref": f"#/components/parameters/{name}"} for name in ("locale", *headers)]
    statuses = {*ANY_WRITE, *(WITH_BODY if endpoint.body else ()), *(ON_ENTRY if path_names else ())}
    accepted = {"202": _ACCEPTED} if endpoint.body else {"204": NOTHING_LEFT}
    return {
        "operationId": operation_id(endpoint.path, endpoint.method.lower()),
        "tags": [endpoint.tag],
        "summary": endpoint.summary,
        "description": inspect.getdoc(endpoint.view) or endpoint.summary,
        "security": [{"header": []}],
        "parameters": parameters,
        **({"requestBody": _body(endpoint.body, bodies[endpoint.body])} if endpoint.body else {}),
        "responses": {**accepted, **{str(status): write_response_ref(status) for status in sorted(statuses)}},
    }


def _body(name: str, examples: Examples) -> JsonSchema:
    named_examples = {word: {"value": value} for word, value in examples.items()}
    content = {"schema": ref(name), **({"examples": named_examples} if named_examples else {})}
    return {"required": True, "content": {"application/json": content}}


def write_examples(schema: ContentSchema, locales: Locales) -> dict[str, Examples]:
    """Return accepted bodies by their schema and a word for each; those of items are of `shown_collection`."""
    fields = {slug: example_fields(kind.fields, schema) for slug, kind in schema.page_types.items()}
    pages = {slug: {**_PAGE, "page_type": slug, "fields": each} for slug, each in fields.items() if each is not None}
    single = example_fields(SINGLE_PAGE_FIELDS, schema) or {}
    return {
        **_POSTS,
        "CreatePage": {"Single Page": {**_PAGE, "fields": single}, **pages},
        "PageChange": {"fields": {"fields": single}, "status": {"status": "draft"}},
        **_item_examples(schema, locales),
    }


def _item_examples(schema: ContentSchema, locales: Locales) -> dict[str, Examples]:
    fields = {key: example_fields(kind.fields, schema) for key, kind in schema.collections.items()}
    examples = {key: each for key, each in fields.items() if each is not None}
    example = examples.get(shown_collection(schema))
    items: dict[str, Any] = {
        key: {"key": key, "fields": [each], "status": "published"} for key, each in examples.items()
    }
    if examples and len(locales.codes) > 1:
        key, each = next(iter(examples.items()))
        items["by locale"] = {"key": key, "fields": [dict.fromkeys(locales.codes, each)]}
    change = {} if example is None else {"fields": {"fields": example}}
    return {"CreateItems": items, "ItemChange": {**change, "status": {"status": "draft"}}, "ItemReplacement": change}


def shown_collection(schema: ContentSchema) -> str:
    """Return the collection that examples show."""
    return "team" if "team" in schema.collections or not schema.collections else next(iter(schema.collections))


class SiteApi(Struct, frozen=True):
    """The API of one site: its endpoints, the loaded schema, locales, name, and the server's address.

    `base_url` "" is the server that the document came from.
    """

    reads: Sequence[Endpoint]
    writes: Sequence[WriteEndpoint]
    schema: ContentSchema
    locales: Locales
    name: str
    base_url: str


def build_document(site: SiteApi) -> JsonObject:
    """Return the OpenAPI 3.1 document."""
    schema, locales = site.schema, site.locales
    schemas = with_distinct_names(
        fixed_schemas() | content_schemas(schema) | field_schemas(schema) | write_schemas(schema, locales)
    )
    headers = (IF_NONE_MATCH, IF_MATCH, IDEMPOTENCY_KEY)
    return {
        "openapi": "3.1.1",
        "info": {"title": f"{site.name}: content API", "version": API_VERSION, "description": ABOUT},
        "servers": [{"url": site.base_url or "/"}],
        "tags": [{"name": tag, "description": text} for tag, text in TAGS.items()],
        "security": [{"header": []}, {"query": []}],
        "paths": _paths(site, schemas),
        "components": {
            "securitySchemes": _SECURITY,
            "parameters": query_parameters(locales, schema) | {each["name"]: each for each in headers},
            "headers": dict(HEADERS),
            "responses": component_responses(),
            "schemas": schemas,
        },
    }


def _paths(site: SiteApi, schemas: Mapping[str, JsonSchema]) -> dict[str, dict[str, JsonSchema]]:
    """Return each path with its methods."""
    paths = {path_of(read.path): {"get": operation_of(read, schemas)} for read in site.reads}
    bodies = write_examples(site.schema, site.locales)
    names = {"key": shown_collection(site.schema)}
    for write in site.writes:
        operation = write_operation(write, bodies, names)
        paths.setdefault(path_of(write.path), {})[write.method.lower()] = operation
    return paths | {each.path: {"get": each.as_json()} for each in OPEN_PATHS}


def with_distinct_names(schemas: Mapping[str, JsonSchema]) -> dict[str, JsonSchema]:
    """Return the schemas with a number added to each name that would make the same class as another one.

    Client generators make class names of them, without dots, dashes and underscores, in letters of their own choice:
    `Page.change` and `PageChange` would be one class, and the operations that use the second would be dropped. Names
    without a dot belong to the API and never change; references to a changed name change with it.
    """
    names = _distinct(schemas)
    changed = {ref(old)["$ref"]: ref(new)["$ref"] for old, new in names.items() if old != new}
    return {names[name]: _with_references(schema, changed) if changed else schema for name, schema in schemas.items()}


def _distinct(names: Iterable[str]) -> dict[str, str]:
    """Map each name to the name to use."""
    taken: set[str] = set()
    distinct = {}
    for name in sorted(names, key=lambda each: "." in each):
        new, number = name, 1
        while _class_name(new) in taken:
            number += 1
            new = f"{name}{number}"
        taken.add(_class_name(new))
        distinct[name] = new
    return distinct


def _class_name(name: str) -> str:
    """Return what is left of a name in the class names of all generators."""
    return "".join(filter(str.isalnum, name)).lower()


def _with_references(thing: Any, changed: Mapping[str, str]) -> Any:
    if isinstance(thing, Mapping):
        return {
            key: changed.get(value, value) if key == "$ref" else _with_references(value, changed)
            for key, value in thing.items()
        }
    return [_with_references(each, changed) for each in thing] if isinstance(thing, list) else thing


def openapi_json(
    runtime: Runtime, reads: Sequence[Endpoint], writes: Sequence[WriteEndpoint], base_url: str
) -> Response:
    """Return the OpenAPI document, which is made once for each change number of the store, or 304."""

    def make(session: Session) -> ReadResponse:
        schema = load_content_schema(session)
        site = SiteApi(reads, writes, schema, runtime.locales, runtime.settings.name, base_url)
        return make_read_response(build_document(site), preview=False)

    with runtime.database.reading() as session:
        answer = session.cached(_KEY, lambda: make(session), lambda document: document.size_bytes)
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
