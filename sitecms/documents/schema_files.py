"""The JSON Schemas in content_schema/, which declare the files that people write, and their defaults."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import orjson

from sitecms.resources import resource_dir


@cache
def load_schema(name: str) -> dict[str, Any]:
    """Return the schema `content_schema/<name>.schema.json`, which callers must not change."""
    content = (resource_dir("content_schema") / f"{name}.schema.json").read_bytes()
    schema: dict[str, Any] = orjson.loads(content)
    return schema


def with_defaults(data: Mapping[str, Any], schema_name: str) -> dict[str, Any]:
    """Return the data with missing and null keys filled in from the schema's defaults, inner tables included."""
    return _filled(data, load_schema(schema_name))


def _filled(data: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    filled = dict(data)
    for name, rule in schema.get("properties", {}).items():
        if "default" in rule and data.get(name) is None:
            filled[name] = rule["default"]
        elif "properties" in rule and rule["type"] == "object":
            filled[name] = _filled(data.get(name) or {}, rule)
    return filled
