"""Examples of answers, made of the examples in their schemas, so that they are always valid."""

from collections.abc import Mapping
from typing import Any

from sitecms.content.json_schema import JsonSchema

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
