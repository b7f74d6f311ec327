"""Validation of data by the JSON Schemas in content_schema/, with errors in plain English: place, problem, remedy.

A quick check accepts valid data without the library `jsonschema`, which takes 130 ms to import. Data that it does not
accept, or a schema with a keyword that it does not know, goes to the library, which finds the errors.

The native `jsonschema-rs` was tried in its place: it needs 5 µs instead of 105 µs for the front matter of a post, but
14 ms to import and 3 ms to compile the schema of site.toml, which every command reads, and 15 MB on disk. It pays from
160 changed files in one command; most commands read one. Its errors lack the alternatives that `explain`
explains, so that `jsonschema` would stay.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from sitecms.clock import parse_timestamp
from sitecms.documents.locations import Locate, Step, nearest, nowhere, place_of
from sitecms.documents.reading import load_schema, plain
from sitecms.errors import FileError

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


SchemaError: TypeAlias = Any  # jsonschema.ValidationError; naming it would import the library

MAX_SHOWN = 40
MAX_ERRORS = 50
"""Shown of one file."""
TYPE_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table of keys and values",
    "null": "nothing (null)",
}


class Explained(Struct, frozen=True):
    """One error; `path` are the keys and list positions that lead to it."""

    path: tuple[Step, ...]
    problem: str
    remedy: str = ""


def explain(error: SchemaError) -> Iterator[Explained]:
    """Yield the errors behind one jsonschema.ValidationError; of alternatives, those of the one that was meant."""
    path = tuple(error.absolute_path)
    rule = str(error.validator)
    if rule in ("anyOf", "oneOf"):
        yield from _explain_alternatives(error, path)
    elif rule in ("additionalProperties", "unevaluatedProperties"):
        yield from _explain_unknown(error, path)
    elif rule == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        yield from (Explained((*path, key), "is missing", _described(error, key)) for key in missing)
    elif rule in _SENTENCES:
        yield Explained(path, *_SENTENCES[rule](error))
    else:
        yield Explained(path, error.message)


_SYNONYMS = {
    "date": "published",
    "excerpt": "summary",
    "lang": "locale",
    "language": "locale",
    "permalink": "path",
}
"""Names of keys in other programs."""


def _explain_unknown(error: SchemaError, path: tuple[Step, ...]) -> Iterator[Explained]:
    known = list(error.schema.get("properties", {}))
    for key in error.instance:
        if key not in known:
            meant = _SYNONYMS.get(key, "")
            meant = meant if meant in known else nearest(key, known)
            remedy = f'did you mean "{meant}"?' if meant else f"keys here: {', '.join(known)}"
            yield Explained((*path, key), "is not a known key", remedy)


def _explain_alternatives(error: SchemaError, path: tuple[Step, ...]) -> Iterator[Explained]:
    """Yield the errors of the alternative whose type fits; if none does, one that names all types."""
    branches: dict[Any, list[SchemaError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.schema_path[0], []).append(inner)
    for errors in branches.values():
        if not any(inner.validator == "type" and not inner.path for inner in errors):
            for inner in errors:
                yield from explain(inner)
            return
    types = [kind for errors in branches.values() for inner in errors for kind in _types(inner)]
    yield Explained(path, f"is {_shown(error.instance)}", f"expected {_either(dict.fromkeys(types))}")


def _types(error: SchemaError) -> Sequence[str]:
    wanted = error.validator_value if error.validator == "type" and not error.path else []
    return [wanted] if isinstance(wanted, str) else list(wanted)


def _explain_type(error: SchemaError) -> tuple[str, str]:
    wanted = _types_of(error)
    remedy = f"expected {_either(wanted)}"
    if "string" in wanted and isinstance(error.instance, int | float):
        remedy += '; put it in quotes: "' + str(error.instance).lower() + '"'
    return f"is {_shown(error.instance)}", remedy


def _types_of(error: SchemaError) -> list[str]:
    wanted = error.validator_value
    return [wanted] if isinstance(wanted, str) else list(wanted)


def _explain_enum(error: SchemaError) -> tuple[str, str]:
    choices = [choice for choice in error.validator_value if choice not in (None, "")]
    meant = nearest(str(error.instance), map(str, choices))
    hint = f'did you mean "{meant}"? ' if meant else ""
    return f"is {_shown(error.instance)}", f"{hint}choices: {', '.join(map(str, choices))}"


def _explain_pattern(error: SchemaError) -> tuple[str, str]:
    return f"is {_shown(error.instance)}", str(error.schema.get("$comment") or error.schema.get("description", ""))


def _either(types: Sequence[str] | dict[str, Any]) -> str:
    return " or ".join(TYPE_WORDS[kind] for kind in types if kind != "null" or len(types) == 1)


def _described(error: SchemaError, key: str) -> str:
    return str(error.schema.get("properties", {}).get(key, {}).get("description", "")).rstrip(".")


def _shown(value: object) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value[:MAX_SHOWN]}…"' if len(value) > MAX_SHOWN else f'"{value}"'
    if isinstance(value, list | dict):
        return TYPE_WORDS["array" if isinstance(value, list) else "object"]
    return str(value)


_SENTENCES: dict[str, Callable[[SchemaError], tuple[str, str]]] = {
    "type": _explain_type,
    "enum": _explain_enum,
    "pattern": _explain_pattern,
    "format": lambda error: (f"is {_shown(error.instance)}", _time_problem(error.instance)),
    "maxLength": lambda error: (
        f"is {len(error.instance)} characters long",
        f"at most {error.validator_value} are allowed",
    ),
    "minLength": lambda error: ("is too short", f"at least {error.validator_value} characters are needed"),
    "minimum": lambda error: (f"is {_shown(error.instance)}", f"{error.validator_value} or more is expected"),
    "maximum": lambda error: (f"is {_shown(error.instance)}", f"{error.validator_value} or less is expected"),
    "minItems": lambda error: ("has too few entries", f"at least {error.validator_value}"),
    "maxItems": lambda error: (
        f"has {len(error.instance)} entries",
        f"at most {error.validator_value}",
    ),
    "uniqueItems": lambda _: ("names something twice", "name each only once"),
    "minProperties": lambda error: ("is empty", f"at least {error.validator_value} key needed"),
}


_ANNOTATIONS = frozenset({"$schema", "$id", "$comment", "title", "description", "default", "examples", "aliasOf"})
_TYPES: Mapping[type, frozenset[str]] = {
    str: frozenset({"string"}),
    int: frozenset({"integer", "number"}),
    float: frozenset({"number"}),
    bool: frozenset({"boolean"}),
    list: frozenset({"array"}),
    dict: frozenset({"object"}),
    type(None): frozenset({"null"}),
}
"""The types of JSON Schema that a value of plain data has; other values go to the library."""


def passes(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return True if the value is certainly valid, False if the library must decide."""
    for word, wanted in schema.items():
        if word in _ANNOTATIONS:
            continue
        check = _CHECKS.get(word)
        if check is None or not check(value, wanted, schema):
            return False
    return True


def _is_type(value: Any, wanted: Any, _: Mapping[str, Any]) -> bool:
    kinds = _TYPES.get(type(value), frozenset())
    return wanted in kinds if isinstance(wanted, str) else not kinds.isdisjoint(wanted)


def _is_choice(value: Any, wanted: Any, _: Mapping[str, Any]) -> bool:
    return isinstance(value, str | None) and value in wanted


def _has_format(value: Any, wanted: Any, _: Mapping[str, Any]) -> bool:
    return not isinstance(value, str) or (wanted == "day-or-time" and not _time_problem(value))


def _has_properties(value: Any, wanted: Any, _: Mapping[str, Any]) -> bool:
    return not isinstance(value, dict) or all(passes(value[key], wanted[key]) for key in value.keys() & wanted)


def _has_no_others(value: Any, wanted: Any, schema: Mapping[str, Any]) -> bool:
    if not isinstance(value, dict):
        return True
    others = [value[key] for key in value if key not in schema.get("properties", {})]
    return not others if isinstance(wanted, bool) else all(passes(other, wanted) for other in others)


def _is_unique(value: Any, _wanted: Any, _: Mapping[str, Any]) -> bool:
    if not isinstance(value, list):
        return True
    return all(type(entry) in (str, int) for entry in value) and len(set(value)) == len(value)


def _size(
    kind: type[str | list[Any] | dict[str, Any]], fits: Callable[[int, int], bool]
) -> Callable[[Any, Any, Mapping[str, Any]], bool]:
    return lambda value, wanted, _: not isinstance(value, kind) or fits(len(value), wanted)


_CHECKS: dict[str, Callable[[Any, Any, Mapping[str, Any]], bool]] = {
    "type": _is_type,
    "enum": _is_choice,
    "format": _has_format,
    "pattern": lambda value, wanted, _: not isinstance(value, str) or re.search(wanted, value) is not None,
    "minLength": _size(str, int.__ge__),
    "maxLength": _size(str, int.__le__),
    "minItems": _size(list, int.__ge__),
    "maxItems": _size(list, int.__le__),
    "minProperties": _size(dict, int.__ge__),
    "minimum": lambda value, wanted, _: not isinstance(value, int | float) or value >= wanted,
    "exclusiveMinimum": lambda value, wanted, _: not isinstance(value, int | float) or value > wanted,
    "maximum": lambda value, wanted, _: not isinstance(value, int | float) or value <= wanted,
    "uniqueItems": _is_unique,
    "properties": _has_properties,
    "additionalProperties": _has_no_others,
    "required": lambda value, wanted, _: not isinstance(value, dict) or all(key in value for key in wanted),
    "items": lambda value, wanted, _: not isinstance(value, list) or all(passes(entry, wanted) for entry in value),
    "anyOf": lambda value, wanted, _: any(passes(value, schema) for schema in wanted),
    "$ref": lambda value, wanted, _: passes(value, load_schema(wanted.removesuffix(".schema.json"))),
}


def schema_errors(data: object, schema_name: str, file: str, locate: Locate = nowhere) -> list[FileError]:
    """Return the errors in the data by `content_schema/<schema_name>.schema.json`, in the file's order."""
    data = plain(data)
    if passes(data, load_schema(schema_name)):
        return []
    found = (each for error in validator(schema_name).iter_errors(data) for each in explain(error))
    errors = [
        FileError(file, place_of(explained.path), explained.problem, explained.remedy, locate(explained.path))
        for explained in islice(found, MAX_ERRORS)
    ]
    ordered = sorted(dict.fromkeys(errors), key=lambda error: (error.line or 0, error.place))
    if next(found, None) is not None:
        ordered.append(FileError(file, "", f"has more than {MAX_ERRORS} errors; the others are not shown"))
    return ordered


@cache
def validator(name: str) -> "Draft202012Validator":
    """Return the library's validator of one schema; times are checked by `clock.parse_timestamp`."""
    from jsonschema import Draft202012Validator, FormatChecker
    from referencing import Registry, Resource

    def retrieve(uri: str) -> Resource[Any]:
        return Resource.from_contents(load_schema(uri.removesuffix(".schema.json")))

    formats = FormatChecker([])
    formats.checks("day-or-time")(lambda value: not isinstance(value, str) or not _time_problem(value))
    registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]
    return Draft202012Validator(load_schema(name), registry=registry, format_checker=formats)


def _time_problem(text: str) -> str:
    """Return what is expected in place of a text that is no time, in whatever zone; "" for a time."""
    try:
        parse_timestamp(text, UTC)
    except ValueError as error:
        return str(error)
    return ""
