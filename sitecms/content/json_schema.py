"""Builders of JSON Schemas, as OpenAPI 3.1 takes them."""

from collections.abc import Mapping
from typing import Any, TypeAlias

JsonSchema: TypeAlias = Mapping[str, Any]
EMPTY_OBJECT: JsonSchema = {"type": "object", "maxProperties": 0, "description": "Nothing is there: {}."}


def ref(name: str) -> JsonSchema:
    """Return a reference to a component schema of the OpenAPI document."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(
    properties: Mapping[str, JsonSchema], *, optional: tuple[str, ...] = (), **keywords: object
) -> dict[str, Any]:
    """Return the schema of an object with these keys; `keywords` are further ones, such as `description`."""
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        **keywords,
        **({"required": required} if required else {}),
        "properties": dict(properties),
    }


def any_of(*schemas: JsonSchema) -> JsonSchema:
    """Return the alternative of these schemas, or the only one itself."""
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


def one_of(*schemas: JsonSchema) -> JsonSchema:
    """Return the alternative of schemas of which only one can fit, as each requires another `word`."""
    return schemas[0] if len(schemas) == 1 else {"oneOf": list(schemas)}


def word(text: str, **keywords: object) -> JsonSchema:
    """Return the schema of a text that is always the same. Generated clients check an `enum`, and ignore a `const`."""
    return {"type": "string", "enum": [text], **keywords}


def nullable(schema: JsonSchema) -> JsonSchema:
    """Return the schema with null allowed."""
    return {"anyOf": [schema, {"type": "null"}]}


def array(schema: JsonSchema, **keywords: object) -> JsonSchema:
    """Return the schema of a list whose entries have this schema."""
    return {"type": "array", "items": schema, **keywords}
