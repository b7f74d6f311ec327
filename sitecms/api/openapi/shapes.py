"""JSON Schemas of what endpoints answer, for their tables: names of component schemas in their envelopes."""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]
NOTHING: Schema = {"type": "object", "maxProperties": 0, "description": "Nothing is there: {}."}


def ref(name: str) -> Schema:
    """The component schema of that name."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(properties: Mapping[str, Schema], *, optional: tuple[str, ...] = (), **words: object) -> dict[str, Any]:
    """An object with these keys, all there but the optional ones; `words` are further keywords, as `description`."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", **words, **({"required": required} if required else {}), "properties": dict(properties)}


def any_of(*schemas: Schema) -> Schema:
    """One of these; the only one, if there is but one."""
    return schemas[0] if len(schemas) == 1 else {"anyOf": list(schemas)}


def nullable(schema: Schema) -> Schema:
    """This, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def array(schema: Schema, **words: object) -> Schema:
    """A list of these."""
    return {"type": "array", "items": schema, **words}


def one(name: str) -> Schema:
    """{"data": <name>}."""
    return record({"data": ref(name)})


def every(name: str) -> Schema:
    """{"data": [<name>]}: a list that is not paged."""
    return record({"data": array(ref(name))})


def paged(data: Schema) -> Schema:
    """{"meta": pagination, "data": ...}."""
    return record({"meta": any_of(ref("PageMeta"), ref("OffsetMeta")), "data": data})


def page_of_list(name: str) -> Schema:
    """{"meta": pagination, "data": [<name>]}."""
    return paged(array(ref(name)))
