"""The chapter about field types, made from the registered classes."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from sitecms.cli.reference.markdown import Chapter, code, fence, lines
from sitecms.content.fields import FieldType, built_in_types
from sitecms.content.fields.field_type import Nesting
from sitecms.documents import dump_yaml

EXAMPLES: Mapping[str, tuple[Mapping[str, Any], Any]] = {
    "short_text": ({"slug": "headline", "required": True, "max_length": 120}, "Where the water turns"),
    "long_text": ({"slug": "intro", "help": "Markdown."}, "The tide *turns* twice a day."),
    "wysiwyg": ({"slug": "story"}, "<p>The tide <em>turns</em> twice a day.</p>"),
    "html": ({"slug": "notice"}, '<p class="align-center">Closed on Monday.</p>'),
    "number": ({"slug": "berths", "default": 12}, 40),
    "date": ({"slug": "opens"}, "2026-03-01T08:00:00Z"),
    "dropdown": (
        {
            "slug": "mood",
            "default": "calm",
            "options": [{"label": "Calm", "value": "calm"}, {"label": "Rough", "value": "rough"}],
        },
        "rough",
    ),
    "checkbox": ({"slug": "is_open", "default": True}, False),
    "color": ({"slug": "tint"}, "#0b6e99"),
    "media": ({"slug": "picture"}, {"url": "media/harbour.svg", "alt": "The harbour at low tide"}),
    "reference": ({"slug": "crew", "targets": ["team"], "many": True}, [{"key": "team", "where": {"name": "Ann Ray"}}]),
    "component": ({"slug": "opening", "component": "quote"}, {"text": "Wait for it.", "by": "A sailor"}),
    "component_picker": (
        {"slug": "blocks", "components": ["quote"]},
        [{"type": "quote", "fields": {"text": "Wait for it."}}],
    ),
    "repeater": (
        {"slug": "times", "fields": [{"slug": "label", "type": "short_text"}, {"slug": "at", "type": "short_text"}]},
        [{"label": "High water", "at": "06:12"}, {"label": "Low water", "at": "12:25"}],
    ),
}
"""A declaration, without its type, and a value in a content file, for each built-in type."""
_PLACES = {
    Nesting.SIMPLE: "page types, collections, components and repeaters",
    Nesting.ROWS: "page types, collections and components",
    Nesting.COMPONENTS: "page types and collections",
}


def chapters() -> Iterator[Chapter]:
    """Yield the chapter."""
    body = lines(
        "A field is declared in a page type, a collection or a component, and filled in a content file, in the API or "
        "in both. All types take the keys `slug`, `type`, `name`, `help`, `required`, `translatable` and `searchable` "
        "([Keys of the schema](/schema-keys/)). How the API reads and writes each type is in the [API reference]"
        "(/api/#field-types).",
        *(_section(each) for each in built_in_types().values()),
    )
    yield Chapter("field-types", "Field types", "Every type of field, with its declaration and a value.", body)


def _section(field_type: FieldType) -> str:
    declaration, value = EXAMPLES.get(field_type.name, ({}, None))
    slug = declaration.get("slug", "")
    field = {"slug": slug, "type": field_type.name, **declaration}
    example = (
        lines(
            "Declared:",
            fence(dump_yaml([field]), "yaml", "fields"),
            "In a content file:",
            fence(dump_yaml({slug: value}), "yaml", "values"),
        )
        if declaration
        else ""
    )
    return lines(
        f"## {code(field_type.name)}",
        inspect.cleandoc(type(field_type).__doc__ or ""),
        "\n".join(f"- {fact}" for fact in _facts(field_type)),
        example,
    )


def _facts(field_type: FieldType) -> Iterator[str]:
    if field_type.template_hint:
        yield f"In [templates](/templates/#values): {field_type.template_hint}."
    yield f"Belongs to {_PLACES[field_type.nesting]}."
    if field_type.own_key:
        yield f"Needs the key {code(field_type.own_key)}."
    if field_type.allows_many:
        yield "May have `many: true`."
    if field_type.length_unit:
        yield "May have `min_length` and `max_length`."
    if not field_type.allows_default:
        yield "Has no `default`."
    if field_type.is_sortable:
        yield "The API can order lists by it."
