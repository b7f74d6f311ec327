"""Write endpoints as OpenAPI operations, with example bodies that the loaded site accepts."""

import inspect
from collections.abc import Mapping
from typing import Any

from sitecms.api.openapi.operations import NAME, operation_id
from sitecms.api.openapi.parameters import path_parameter
from sitecms.api.openapi.responses import LOCATION, NOTHING_LEFT, write_response_ref
from sitecms.api.write_handler import MAX_KEY_LENGTH, WriteEndpoint
from sitecms.content.fields.group import example_fields
from sitecms.content.json_schema import JsonSchema, ref
from sitecms.content.locale import Locales
from sitecms.content.schema.types import SINGLE_PAGE_FIELDS, ContentSchema

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
    shown = {word: {"value": value} for word, value in examples.items()}
    content = {"schema": ref(name), **({"examples": shown} if shown else {})}
    return {"required": True, "content": {"application/json": content}}


_ACCEPTED: JsonSchema = {
    "description": "Accepted: the write is kept, and carried out soon.",
    "headers": {"Location": LOCATION},
    "content": {"application/json": {"schema": ref("Accepted"), "example": {"status": "pending"}}},
}
_POSTS: Mapping[str, Examples] = {
    "NewPost": {
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


def write_examples(schema: ContentSchema, locales: Locales) -> dict[str, Examples]:
    """Return accepted bodies by their schema and a word for each; those of items are of `shown_collection`."""
    fields = {slug: example_fields(kind.fields, schema) for slug, kind in schema.page_types.items()}
    pages = {slug: {**_PAGE, "page_type": slug, "fields": each} for slug, each in fields.items() if each is not None}
    single = example_fields(SINGLE_PAGE_FIELDS, schema) or {}
    return {
        **_POSTS,
        "NewPage": {"Single Page": {**_PAGE, "fields": single}, **pages},
        "PageChange": {"fields": {"fields": single}, "status": {"status": "draft"}},
        **_item_examples(schema, locales),
    }


_PAGE = {"title": "A new page", "slug": "a-new-page", "status": "draft"}


def _item_examples(schema: ContentSchema, locales: Locales) -> dict[str, Examples]:
    fields = {key: example_fields(kind.fields, schema) for key, kind in schema.collections.items()}
    known = {key: each for key, each in fields.items() if each is not None}
    shown = known.get(shown_collection(schema))
    items: dict[str, Any] = {key: {"key": key, "fields": [each], "status": "published"} for key, each in known.items()}
    if known and len(locales.codes) > 1:
        key, each = next(iter(known.items()))
        items["by locale"] = {"key": key, "fields": [dict.fromkeys(locales.codes, each)]}
    change = {} if shown is None else {"fields": {"fields": shown}}
    return {"NewItems": items, "ItemChange": {**change, "status": {"status": "draft"}}, "ItemReplacement": change}


def shown_collection(schema: ContentSchema) -> str:
    """Return the collection that examples show."""
    return "team" if "team" in schema.collections or not schema.collections else next(iter(schema.collections))
