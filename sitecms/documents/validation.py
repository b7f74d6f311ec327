"""Validation of data by the JSON Schemas in content_schema/.

A quick check accepts valid data without the library `jsonschema`, which takes 130 ms to import. Data that it does not
accept, or a schema with a keyword that it does not know, goes to the library, which finds the errors.

The native `jsonschema-rs` was tried in its place: it needs 5 µs instead of 105 µs for the front matter of a post, but
14 ms to import and 3 ms to compile the schema of site.toml, which every command reads, and 15 MB on disk. It pays from
160 changed files in one command; most commands read one. Its errors lack the alternatives that `error_messages`
explains, so that `jsonschema` would stay.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from sitecms.clock import format_timestamp, parse_timestamp
from sitecms.documents.error_messages import explain
from sitecms.documents.line_numbers import Locate, nowhere
from sitecms.documents.locations import place_of
from sitecms.documents.schema_files import load_schema
from sitecms.errors import FileError

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


_ANNOTATIONS = frozenset({"$schema", "$id", "$comment", "title", "description", "default", "examples"})
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def passes(value: Any, schema: Mapping[str, Any]) -> bool:
    """Return True if the value is certainly valid, False if the library must decide."""
    return all(
        word in _ANNOTATIONS or (word in _CHECKS and _CHECKS[word](value, wanted, schema))
        for word, wanted in schema.items()
    )


def _is_type(value: Any, wanted: Any, _: Mapping[str, Any]) -> bool:
    kinds = [wanted] if isinstance(wanted, str) else wanted
    if isinstance(value, bool):
        return "boolean" in kinds
    return any(isinstance(value, _TYPES[kind]) for kind in kinds)


def _is_choice(value: Any, wanted: Any, _: Mapping[str, Any]) -> bool:
    return isinstance(value, str | None) and value in wanted


def _has_format(value: Any, wanted: Any, _: Mapping[str, Any]) -> bool:
    if not isinstance(value, str):
        return True
    try:
        return wanted == "date-time" and parse_timestamp(value) is not None
    except (ValueError, OverflowError):
        return False


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
    errors = [
        FileError(file, place_of(explained.path), explained.problem, explained.remedy, locate(explained.path))
        for error in validator(schema_name).iter_errors(data)
        for explained in explain(error)
    ]
    return sorted(dict.fromkeys(errors), key=lambda error: (error.line or 0, error.place))


def plain(data: object) -> object:
    """Return the data as JSON has it: times (from TOML) as ISO 8601 text."""
    if isinstance(data, datetime):
        return format_timestamp(parse_timestamp(data))
    if isinstance(data, date):
        return data.isoformat()
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    return [plain(value) for value in data] if isinstance(data, list) else data


@cache
def validator(name: str) -> "Draft202012Validator":
    """Return the library's validator of one schema; times are checked by `clock.parse_timestamp`."""
    from jsonschema import Draft202012Validator, FormatChecker
    from referencing import Registry, Resource

    def retrieve(uri: str) -> Resource[Any]:
        return Resource.from_contents(load_schema(uri.removesuffix(".schema.json")))

    formats = FormatChecker([])
    formats.checks("date-time", raises=(ValueError, OverflowError))(_is_time)
    registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]
    return Draft202012Validator(load_schema(name), registry=registry, format_checker=formats)


def _is_time(value: object) -> bool:
    return not isinstance(value, str) or parse_timestamp(value) is not None
