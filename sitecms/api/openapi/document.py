"""The OpenAPI document."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sitecms.api.endpoint import Endpoint
from sitecms.api.openapi.content import content_schemas, field_schemas
from sitecms.api.openapi.open_paths import OPEN_PATHS
from sitecms.api.openapi.operations import operation_of, path_of
from sitecms.api.openapi.parameters import IF_NONE_MATCH, query_parameters
from sitecms.api.openapi.responses import HEADERS, component_responses
from sitecms.api.openapi.schemas import fixed_schemas
from sitecms.api.openapi.write_schemas import write_schemas
from sitecms.api.openapi.writing import IDEMPOTENCY_KEY, IF_MATCH, shown_collection, write_examples, write_operation
from sitecms.api.write_handler import WriteEndpoint
from sitecms.content.field_value import JsonObject
from sitecms.content.json_schema import JsonSchema, ref
from sitecms.content.locale import Locales
from sitecms.content.schema.types import ContentSchema

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


@dataclass(frozen=True, slots=True)
class SiteApi:
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
