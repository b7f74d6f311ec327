"""JSON Schemas of responses, put together for the tables of endpoints from the names of component schemas."""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]
NOTHING: Schema = {"type": "object", "maxProperties": 0, "description": "Nothing is there: {}."}


def ref(name: str) -> Schema:
    """Return a reference to the component schema of that name."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(properties: Mapping[str, Schema], *, optional: tuple[str, ...] = (), **words: object) -> dict[str, Any]:
    """Return the schema of an object with these keys. `words` are further JSON Schema keywords, as `description`."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", **words, **({"required": required} if required else {}), "properties": dict(properties)}


def any_of(*schemas: Schema) -> Schema:
    """Return the schema of a value that fits at least one of these schemas."""
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


def nullable(schema: Schema) -> Schema:
    """Return the schema of a value that fits this schema or is null."""
    return {"anyOf": [schema, {"type": "null"}]}


def array(schema: Schema, **words: object) -> Schema:
    """Return the schema of a list. `words` are further JSON Schema keywords."""
    return {"type": "array", "items": schema, **words}


def one(name: str) -> Schema:
    """Return the schema of {"data": <name>}."""
    return record({"data": ref(name)})


def every(name: str) -> Schema:
    """Return the schema of {"data": [<name>]}, a list without pagination."""
    return record({"data": array(ref(name))})


def paged(data: Schema) -> Schema:
    """Return the schema of {"meta": pagination, "data": ...}."""
    return record({"meta": any_of(ref("PageMeta"), ref("OffsetMeta")), "data": data})


def page_of_list(name: str) -> Schema:
    """Return the schema of {"meta": pagination, "data": [<name>]}."""
    return paged(array(ref(name)))
