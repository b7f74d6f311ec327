"""Names of component schemas that generated clients can tell apart.

Generators make class names of them, without dots, dashes and underscores, in letters of their own choice:
`Page.change` and `PageChange` would be one class, and the operations that use the second would be dropped.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from sitecms.content.json_schema import JsonSchema, ref


def with_distinct_names(schemas: Mapping[str, JsonSchema]) -> dict[str, JsonSchema]:
    """Return the schemas with a number added to each name that would make the same class as another one.

    Names without a dot belong to the API and never change; references to a changed name change with it.
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
