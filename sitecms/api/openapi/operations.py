"""Read endpoints as OpenAPI operations."""

import inspect
import re
from collections.abc import Mapping

from sitecms.api.endpoint import Endpoint
from sitecms.api.openapi.examples import example_of
from sitecms.api.openapi.parameters import path_parameter
from sitecms.api.openapi.responses import ANY_READ, READ_HEADERS, response_ref
from sitecms.content.json_schema import JsonSchema

NAME = re.compile(r"<(?:\w+:)?(\w+)>")


def path_of(rule: str) -> str:
    """Return a Flask rule as OpenAPI writes it: `/v2/posts/{slug}/`."""
    return NAME.sub(r"{\1}", rule)


def operation_of(endpoint: Endpoint, components: Mapping[str, JsonSchema]) -> JsonSchema:
    """Return the operation, described by its view's docstring; `components` are schemas of answers."""
    names = NAME.findall(endpoint.path)
    parameters = [path_parameter(name, endpoint.examples.get(name, "")) for name in names]
    parameters += [{"$ref": f"#/components/parameters/{name}"} for name in endpoint.parameters]
    answer = {"schema": endpoint.response, "example": example_of(endpoint.response, components)}
    return {
        "operationId": operation_id(endpoint.path),
        "tags": [endpoint.tag],
        "summary": endpoint.summary,
        "description": inspect.getdoc(endpoint.view) or endpoint.summary,
        "parameters": [*parameters, {"$ref": "#/components/parameters/If-None-Match"}],
        "responses": {
            "200": {"description": "Found.", "headers": READ_HEADERS, "content": {"application/json": answer}},
            "304": {"$ref": "#/components/responses/NotModified"},
            **{str(status): response_ref(status) for status in sorted({*ANY_READ, *endpoint.errors})},
        },
    }


def operation_id(path: str, method: str = "get") -> str:
    """Return `get_posts_slug` for /v2/posts/{slug}/, the name in generated clients."""
    return f"{method}_" + "_".join(re.findall(r"\w+", path.removeprefix("/v2")))
