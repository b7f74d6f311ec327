"""Validation of data by the JSON Schemas in content_schema/, with errors in plain English: place, problem, remedy."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC
from functools import cache
from itertools import islice
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationError, ValidationErrorKind
from msgspec import Struct

from sitecms.clock import parse_timestamp
from sitecms.documents.locations import Locate, Step, nearest, nowhere, place_of
from sitecms.documents.reading import load_schema, plain
from sitecms.errors import ConfigurationError, FileError

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
_SYNONYMS = {"date": "published", "excerpt": "summary", "lang": "locale", "language": "locale", "permalink": "path"}
"""Names of keys in other programs."""
_DAY_OR_TIME = "day-or-time"
_SUFFIX = ".schema.json"


class Explained(Struct, frozen=True):
    """One error; `path` are the keys and list positions that lead to it."""

    path: tuple[Step, ...]
    problem: str
    remedy: str = ""


def schema_errors(
    data: object, schema: str | Mapping[str, Any], file: str, locate: Locate = nowhere
) -> list[FileError]:
    """Return the errors in the data, in the file's order.

    `schema` is one, or the name in `content_schema/<name>.schema.json`. Raises ConfigurationError for no JSON Schema.
    """
    validator = _validator(schema) if isinstance(schema, str) else _new_validator(dict(schema))
    rules = load_schema(schema) if isinstance(schema, str) else schema
    found = (each for error in validator.iter_errors(plain(data)) for each in _explain(error, rules))
    errors = [
        FileError(file, place_of(explained.path), explained.problem, explained.remedy, locate(explained.path))
        for explained in islice(found, MAX_ERRORS)
    ]
    ordered = sorted(dict.fromkeys(errors), key=lambda error: (error.line or 0, error.place))
    if next(found, None) is not None:
        ordered.append(FileError(file, "", f"has more than {MAX_ERRORS} errors; the others are not shown"))
    return ordered


@cache
def _validator(name: str) -> Draft202012Validator:
    """Return the validator of one schema of content_schema/."""
    return _new_validator(load_schema(name))


def _new_validator(schema: dict[str, Any]) -> Draft202012Validator:
    """Return a validator; times are checked by `clock.parse_timestamp`."""
    formats = {_DAY_OR_TIME: lambda text: not _time_problem(text)}
    try:
        return Draft202012Validator(schema, formats=formats, validate_formats=True, retriever=_load_referred)
    except (ValidationError, ValueError, TypeError) as error:
        raise ConfigurationError(f"This is no JSON Schema: {str(error).splitlines()[0]}") from error


def _load_referred(address: str) -> dict[str, Any]:
    """Return the schema that another one names by the address of its file."""
    return load_schema(address.rpartition("/")[2].removesuffix(_SUFFIX))


def _explain(error: ValidationError, schema: Mapping[str, Any]) -> Iterator[Explained]:
    """Yield the errors behind one error of the whole schema; of alternatives, those of the one that was meant."""
    path = tuple(error.instance_path)
    part = _part(schema, error.evaluation_path[:-1])
    match error.kind:
        case ValidationErrorKind.AnyOf(context):
            yield from _explain_alternatives(error, context, schema)
        case ValidationErrorKind.PropertyNames(inner):
            yield from _explain(inner, schema)
        case ValidationErrorKind.AdditionalProperties(unexpected):
            for key in unexpected:
                yield Explained((*path, key), "is not a known key", _suggestion(key, list(part.get("properties", {}))))
        case ValidationErrorKind.Required(name):
            description = str(part.get("properties", {}).get(name, {}).get("description", ""))
            yield Explained((*path, name), "is missing", description.rstrip("."))
        case kind if kind.name in _SENTENCES:
            yield Explained(path, *_SENTENCES[kind.name](error, part))
        case _:
            yield Explained(path, error.message)


def _part(schema: Mapping[str, Any], path: Sequence[Step]) -> Any:
    """Return the part of a schema at the end of a path, which may lead through other schemas."""
    part: Any = schema
    for step in path:
        part = _load_referred(part[step]) if step == "$ref" else part[step]
    return part


def _suggestion(key: str, keys: Sequence[str]) -> str:
    synonym = _SYNONYMS.get(key, "")
    suggestion = synonym if synonym in keys else nearest(key, keys)
    return f'did you mean "{suggestion}"?' if suggestion else f"keys here: {', '.join(keys) or 'none'}"


def _explain_alternatives(
    error: ValidationError, alternatives: Sequence[Sequence[ValidationError]], schema: Mapping[str, Any]
) -> Iterator[Explained]:
    """Yield the errors of the alternative whose type fits; if none does, one that names all types."""
    types: dict[str, None] = {}
    for errors in alternatives:
        kinds = [inner.kind for inner in errors if inner.instance_path == error.instance_path]
        expected = [name for kind in kinds if isinstance(kind, ValidationErrorKind.Type) for name in kind.types]
        if not expected:
            for inner in errors:
                yield from _explain(inner, schema)
            return
        types |= dict.fromkeys(expected)
    yield Explained(tuple(error.instance_path), f"is {_shown(error.instance)}", f"expected {_either(types)}")


def _explain_type(error: ValidationError, part: Mapping[str, Any]) -> tuple[str, str]:
    types = [part["type"]] if isinstance(part["type"], str) else part["type"]
    remedy = f"expected {_either(types)}"
    if "string" in types and isinstance(error.instance, int | float):
        remedy += '; put it in quotes: "' + str(error.instance).lower() + '"'
    return f"is {_shown(error.instance)}", remedy


def _explain_enum(error: ValidationError, part: Mapping[str, Any]) -> tuple[str, str]:
    choices = [choice for choice in part["enum"] if choice not in (None, "")]
    suggestion = nearest(str(error.instance), map(str, choices))
    hint = f'did you mean "{suggestion}"? ' if suggestion else ""
    return f"is {_shown(error.instance)}", f"{hint}choices: {', '.join(map(str, choices))}"


def _explain_pattern(error: ValidationError, part: Mapping[str, Any]) -> tuple[str, str]:
    return f"is {_shown(error.instance)}", str(part.get("$comment") or part.get("description", ""))


def _either(types: Sequence[str] | dict[str, None]) -> str:
    return " or ".join(TYPE_WORDS[kind] for kind in types if kind != "null" or len(types) == 1)


def _shown(value: object) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        text = value.replace("\n", "\\n")
        return f'"{text[:MAX_SHOWN]}…"' if len(text) > MAX_SHOWN else f'"{text}"'
    if isinstance(value, list | dict):
        return TYPE_WORDS["array" if isinstance(value, list) else "object"]
    return str(value)


def _time_problem(text: str) -> str:
    """Return what is expected in place of a text that is no time, in whatever zone; "" for a time."""
    try:
        parse_timestamp(text, UTC)
    except ValueError as error:
        return str(error)
    return ""


def _length(error: ValidationError) -> int:
    return len(error.instance) if isinstance(error.instance, str | list) else 0


_SENTENCES: dict[str, Callable[[ValidationError, Mapping[str, Any]], tuple[str, str]]] = {
    "type": _explain_type,
    "enum": _explain_enum,
    "pattern": _explain_pattern,
    "format": lambda error, _: (f"is {_shown(error.instance)}", _time_problem(str(error.instance))),
    "maxLength": lambda error, part: (
        f"is {_length(error)} characters long",
        f"at most {part['maxLength']} are allowed",
    ),
    "minLength": lambda _, part: ("is too short", f"at least {part['minLength']} characters are needed"),
    "minimum": lambda error, part: (f"is {_shown(error.instance)}", f"{part['minimum']} or more is expected"),
    "exclusiveMinimum": lambda error, part: (
        f"is {_shown(error.instance)}",
        f"more than {part['exclusiveMinimum']} is expected",
    ),
    "maximum": lambda error, part: (f"is {_shown(error.instance)}", f"{part['maximum']} or less is expected"),
    "minItems": lambda _, part: ("has too few entries", f"at least {part['minItems']}"),
    "maxItems": lambda error, part: (f"has {_length(error)} entries", f"at most {part['maxItems']}"),
    "uniqueItems": lambda *_: ("names something twice", "name each only once"),
    "minProperties": lambda _, part: ("is empty", f"at least {part['minProperties']} key needed"),
}
