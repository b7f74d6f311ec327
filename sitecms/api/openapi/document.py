"""The whole document."""

from collections.abc import Sequence

from sitecms.api.call import Endpoint
from sitecms.api.openapi.content import content_schemas
from sitecms.api.openapi.open_paths import OPEN_PATHS
from sitecms.api.openapi.operations import operation_of, path_of
from sitecms.api.openapi.parameters import IF_NONE_MATCH, query_parameters
from sitecms.api.openapi.responses import HEADERS, component_responses
from sitecms.api.openapi.schemas import fixed_schemas
from sitecms.api.openapi.shapes import Schema
from sitecms.content.locale import Locales
from sitecms.content.schema import ContentSchema

JsonObject = dict[str, object]
API_VERSION = "2.0.0"
ABOUT = """\
Posts, pages, collections, categories, tags and authors of this site, to be read.

- **Token.** Each request carries the header `Authorization: Token <token>`, or the parameter `auth_token`. The header \
keeps the token out of logs.
- **Paths** end with a slash; without it the answer is 301 to the path with it. Every GET answers HEAD too. Another \
method: 405 with `Allow`.
- **Parameters** that a path does not take are ignored. Of a repeated one the last counts; an empty one counts as left \
out, except a filter `fields.<name>=`.
- **Times** are UTC and end in `Z`; dates inside `fields` have no zone. Unset texts are empty, not null.
- **Caching.** Every answer has a strong `ETag`; `If-None-Match` is answered 304. Previews and errors are `no-store`.
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


def build_document(
    endpoints: Sequence[Endpoint], schema: ContentSchema, locales: Locales, name: str, base_url: str
) -> JsonObject:
    """The OpenAPI 3.1 document of a site of that name, served at `base_url` ("": wherever the document came from)."""
    schemas = fixed_schemas() | content_schemas(schema)
    paths = {path_of(endpoint.path): {"get": operation_of(endpoint, schemas)} for endpoint in endpoints}
    return {
        "openapi": "3.1.1",
        "info": {"title": f"{name}: content API", "version": API_VERSION, "description": ABOUT},
        "servers": [{"url": base_url or "/"}],
        "tags": [{"name": tag, "description": text} for tag, text in TAGS.items()],
        "security": [{"header": []}, {"query": []}],
        "paths": paths | {each.path: {"get": each.as_json()} for each in OPEN_PATHS},
        "components": {
            "securitySchemes": _SECURITY,
            "parameters": {**query_parameters(locales, schema), IF_NONE_MATCH["name"]: IF_NONE_MATCH},
            "headers": dict(HEADERS),
            "responses": component_responses(),
            "schemas": schemas,
        },
    }


_SECURITY: dict[str, Schema] = {
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
