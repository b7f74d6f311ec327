"""Read endpoints as OpenAPI operations: parameters, and examples made of those in their schemas.

Parameters of the query come from `api.params`, those of the path from the table here.
"""

import inspect
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from sitecms.api.endpoint import Endpoint
from sitecms.api.openapi.responses import ANY_READ, READ_HEADERS, response_ref
from sitecms.api.params import PARAMETERS, Parameter
from sitecms.content.json_schema import JsonSchema
from sitecms.content.locale import Locales
from sitecms.content.references import MAX_ITEM_ID
from sitecms.content.schema import ContentSchema
from sitecms.site.feed_texts import FEEDS, SITEMAP

IF_NONE_MATCH: JsonSchema = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The ETag of an answer that the client has: 304 as long as it still holds.",
    "schema": {"type": "string"},
}
NAME = re.compile(r"<(?:\w+:)?(\w+)>")
MAX_DEPTH = 6
_PREFIX = "#/components/schemas/"
_BY_TYPE: Mapping[str, object] = {"string": "", "integer": 1, "number": 1, "boolean": True, "null": None}


class PathName(Struct, frozen=True):
    """A parameter of a path, `<name>`."""

    help: str
    max_length: int = 100


PATH_NAMES: Mapping[str, PathName] = {
    "slug": PathName("Slug, as lists and other answers give it."),
    "page_type": PathName("Slug of a page type. `*`, raw or as %2A: see above."),
    "page_slug": PathName("Slug of the page."),
    "keys": PathName("Key of a collection, or several keys separated by commas.", 1000),
    "key": PathName("Key of a collection."),
    "item_id": PathName("The item's `meta.id`."),
    "name": PathName("Which one."),
}


def path_parameter(name: str, example: str) -> JsonSchema:
    """Return a parameter of a path, of which unknown values are answered 404."""
    kind = PATH_NAMES[name]
    schema: dict[str, object] = {"type": "string", "minLength": 1, "maxLength": kind.max_length}
    value: str | int = example
    if name == "name":
        schema = {"type": "string", "enum": [*FEEDS, SITEMAP]}
    if name == "item_id":
        schema = {"type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_ITEM_ID}
        value = int(example)
    description = f"{kind.help} Unknown: 404."
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema} | (
        {"example": value} if example else {}
    )


def query_parameters(locales: Locales, schema: ContentSchema) -> dict[str, JsonSchema]:
    """Return every parameter of the query by its name, with the loaded site's locales, page types and collections."""
    parameters: dict[str, JsonSchema] = {name: _query_parameter(parameter) for name, parameter in PARAMETERS.items()}
    _refine(parameters, "locale", enum=locales.codes)
    _refine(parameters, "page_type", examples=("*", *schema.page_types))
    if schema.collections:
        _refine(parameters, "keys", examples=(*schema.collections, ",".join(schema.collections)))
    return parameters


def _refine(parameters: dict[str, JsonSchema], name: str, **words: tuple[str, ...]) -> None:
    lists = {word: list(dict.fromkeys(values)) for word, values in words.items()}
    parameters[name] = {**parameters[name], "schema": {**parameters[name]["schema"], **lists}}


def _query_parameter(parameter: Parameter) -> dict[str, object]:
    description = f"{parameter.help} {parameter.leniency}".strip()
    parameter_object: dict[str, object] = {"name": parameter.name, "in": "query", "description": description}
    if parameter.prefixed:
        parameter_object |= {"style": "form", "explode": True}
    return {**parameter_object, "schema": dict(parameter.schema)}


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


def example_of(schema: JsonSchema, components: Mapping[str, JsonSchema], depth: int = 0) -> Any:
    """Return a value of this schema; lists have one entry, or none where they would nest too deeply."""
    if "$ref" in schema:
        return example_of(components[schema["$ref"].removeprefix(_PREFIX)], components, depth)
    if "examples" in schema:
        return schema["examples"][0] if schema["examples"] else ""
    if "enum" in schema:
        return schema["enum"][0]
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return _choice(choices, components, depth)
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
