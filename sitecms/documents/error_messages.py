"""JSON Schema errors in plain English: the place, the problem, the remedy."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sitecms.clock import TIME_EXPECTED
from sitecms.documents.locations import Step, nearest

SchemaError: TypeAlias = Any  # jsonschema.ValidationError; naming it would import the library

MAX_SHOWN = 40
TYPE_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table of keys and values",
    "null": "nothing (null)",
}


@dataclass(frozen=True, slots=True)
class Explained:
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
    "draft": "status",
    "excerpt": "summary",
    "image": "featured_image",
    "lang": "locale",
    "language": "locale",
    "permalink": "slug",
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
    choices = [choice for choice in error.validator_value if choice is not None]
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
    "format": lambda error: (f"is {_shown(error.instance)}", TIME_EXPECTED),
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
