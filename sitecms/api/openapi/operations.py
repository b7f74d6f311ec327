"""Read endpoints as OpenAPI operations, with examples made of those in their schemas."""

import inspect
import re
from collections.abc import Mapping
from typing import Any

from sitecms.api.endpoint import Endpoint
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


MAX_DEPTH = 6
_PREFIX = "#/components/schemas/"
_BY_TYPE: Mapping[str, object] = {"string": "", "integer": 1, "number": 1, "boolean": True, "null": None}


def example_of(schema: JsonSchema, components: Mapping[str, JsonSchema], depth: int = 0) -> Any:
    """Return a value of this schema; lists have one entry, or none where they would nest too deeply."""
    if "$ref" in schema:
        return example_of(components[schema["$ref"].removeprefix(_PREFIX)], components, depth)
    if "examples" in schema:
        return schema["examples"][0] if schema["examples"] else ""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _choice(schema["anyOf"], components, depth)
    if schema["type"] == "object":
        properties: Mapping[str, JsonSchema] = schema.get("properties", {})
        return {name: example_of(each, components, depth + 1) for name, each in properties.items()}
    if schema["type"] == "array":
        return [] if depth >= MAX_DEPTH else [example_of(schema["items"], components, depth + 1)]
    return _BY_TYPE[schema["type"]]


def _choice(choices: list[JsonSchema], components: Mapping[str, JsonSchema], depth: int) -> Any:
    """Return an example of the first choice; deep inside, of the simplest."""
    if depth >= MAX_DEPTH:
        for simple in ({"type": "null"}, {"maxProperties": 0}):
            for choice in choices:
                if simple.items() <= choice.items():
                    return example_of(choice, components, depth)
    return example_of(choices[0], components, depth)
