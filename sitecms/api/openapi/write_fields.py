"""Fields of the loaded site as writes take them, and examples of them that are accepted (decisions, Field types).

Component schemas are named by what they are: `PageFields.guide`, `ItemFields.team`, `ComponentFields.hero`.
"""

from collections.abc import Sequence
from typing import Any

from sitecms.api.json_schema import Schema, any_of, array, record, ref
from sitecms.api.openapi.content import described
from sitecms.content.fields.media import MAX_ALT_LENGTH
from sitecms.content.schema.types import SINGLE_PAGE_FIELDS, ContentSchema, FieldSpec, FieldType

_HTML = (FieldType.WYSIWYG, FieldType.HTML)
_TEXTS: dict[FieldType, str] = {
    FieldType.SHORT_TEXT: "A few words",
    FieldType.LONG_TEXT: "Text, or *Markdown*.",
    FieldType.WYSIWYG: "<p>HTML.</p>",
    FieldType.HTML: "<p>HTML.</p>",
}


def field_schemas(schema: ContentSchema) -> dict[str, Schema]:
    """By name. No field is required in them: which ones a new entry needs is told of each field."""
    specs: dict[str, Sequence[FieldSpec]] = {"PageFields": SINGLE_PAGE_FIELDS}
    specs |= {f"PageFields.{slug}": kind.fields for slug, kind in schema.page_types.items()}
    specs |= {f"ItemFields.{key}": kind.fields for key, kind in schema.collections.items()}
    specs |= {f"ComponentFields.{slug}": kind.fields for slug, kind in schema.components.items()}
    return {name: _fields(schema, each) for name, each in specs.items()}


def example_fields(schema: ContentSchema, specs: Sequence[FieldSpec]) -> dict[str, Any] | None:
    """Values that a new entry can have; None where it must name an entry or a file that nobody knows to be there."""
    values = {spec.slug: _example(schema, spec) for spec in specs}
    if any(spec.required and values[spec.slug] is None for spec in specs):
        return None
    return {slug: value for slug, value in values.items() if value is not None}


def _fields(schema: ContentSchema, specs: Sequence[FieldSpec]) -> Schema:
    properties = {spec.slug: {**_field(schema, spec), "description": _told(spec)} for spec in specs}
    return {**record(properties, optional=tuple(properties)), "additionalProperties": False}


def _told(spec: FieldSpec) -> str:
    return f"{described(spec)} Required in a new entry." if spec.required else described(spec)


def _field(schema: ContentSchema, spec: FieldSpec) -> Schema:
    match spec.type:
        case FieldType.NUMBER:
            return {"type": ["number", "string", "null"], "examples": [3]}
        case FieldType.DATE:
            return {"type": ["string", "null"], "examples": ["2026-03-01T08:00:00Z"]}
        case FieldType.CHECKBOX:
            return {"type": "boolean"}
        case FieldType.MEDIA:
            return any_of({"type": "string"}, _MEDIA)
        case FieldType.REFERENCE:
            return array(_REFERENCE) if spec.many else any_of(_REFERENCE, {"type": "null"})
        case FieldType.COMPONENT:
            return ref(f"ComponentFields.{spec.component}") if spec.component in schema.components else record({})
        case FieldType.COMPONENT_PICKER:
            picked = [_picked(slug) for slug in spec.components if slug in schema.components]
            return array(any_of(*picked) if picked else record({}))
        case FieldType.REPEATER:
            return array(_fields(schema, spec.fields))
        case FieldType.DROPDOWN:
            return {"type": "string", "enum": [*dict.fromkeys(("", *(option.value for option in spec.options)))]}
        case FieldType.COLOR:
            return {"type": "string", "pattern": "^(#[0-9a-fA-F]{6})?$", "examples": ["#2d6a4f"]}
        case _:
            is_plain = spec.max_length is not None and spec.type not in _HTML  # HTML is measured once it is sanitised
            return {"type": "string", **({"maxLength": spec.max_length} if is_plain else {})}


_MEDIA = record(
    {
        "url": {"type": "string", "description": "http or https, or media/ and a name. Left out: the stored one."},
        "alt": {"type": "string", "maxLength": MAX_ALT_LENGTH, "description": "What it shows."},
    },
    optional=("url", "alt"),
)
_REFERENCE: Schema = any_of(
    {"type": "string", "description": "A page's slug, an item's id, or a URI; empty for none."},
    {"type": "integer", "minimum": 1, "description": "An item's id."},
    {"type": "object", "description": "An entry as reads answer it.", "additionalProperties": True},
)


def _picked(slug: str) -> Schema:
    return record({"type": {"const": slug}, "fields": ref(f"ComponentFields.{slug}")})


def _example(schema: ContentSchema, spec: FieldSpec) -> Any:
    """A value, or None."""
    match spec.type:
        case FieldType.NUMBER:
            return 3
        case FieldType.DATE:
            return "2026-03-01T08:00:00Z"
        case FieldType.CHECKBOX:
            return True
        case FieldType.COLOR:
            return "#2d6a4f"
        case FieldType.DROPDOWN:
            return spec.options[0].value if spec.options else None
        case FieldType.MEDIA | FieldType.REFERENCE:
            return None
        case FieldType.COMPONENT:
            return _component(schema, spec.component)
        case FieldType.COMPONENT_PICKER:
            found = ({"type": slug, "fields": _component(schema, slug)} for slug in spec.components)
            return _several(next((each for each in found if each["fields"]), None), spec)
        case FieldType.REPEATER:
            return _several(example_fields(schema, spec.fields), spec)
        case _:
            return _text(spec)


def _component(schema: ContentSchema, slug: str) -> dict[str, Any] | None:
    return example_fields(schema, schema.components[slug].fields) if slug in schema.components else None


def _several(entry: dict[str, Any] | None, spec: FieldSpec) -> list[dict[str, Any]] | None:
    return [entry] * max(1, spec.min_length or 1) if entry else None


def _text(spec: FieldSpec) -> str:
    """A text within the lengths that are declared."""
    text = _TEXTS[spec.type]
    if spec.max_length is not None and len(text) > spec.max_length:
        text = "Word"[: spec.max_length]
    return text + "." * ((spec.min_length or 0) - len(text))
