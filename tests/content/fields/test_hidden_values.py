"""Stored values that no reader sees since the schema changed: removed fields and components, and other types."""

from typing import Any

import pytest

from sitecms.content.fields.hidden_values import HiddenReason, HiddenValue, hidden_values
from sitecms.content.schema import ContentSchema
from sitecms.content.validation import clean_fields

TEXT = {"slug": "title", "type": "short_text"}
SCHEMA = ContentSchema.from_json(
    {
        "page_types": [
            {
                "slug": "guide",
                "fields": [
                    TEXT,
                    {"slug": "rank", "type": "number"},
                    {"slug": "hero", "type": "component", "component": "card"},
                    {"slug": "body", "type": "component_picker", "components": ["card"]},
                    {"slug": "steps", "type": "repeater", "fields": [TEXT]},
                    {"slug": "next", "type": "reference", "targets": ["page:*"]},
                ],
            }
        ],
        "components": [{"slug": "card", "fields": [TEXT]}],
    }
)


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"title": "x", "rank": 0, "hero": {"title": "x"}, "steps": [{"title": "x"}], "next": None}, []),
        ({"old": "", "older": None, "list": [], "group": {}, "box": False}, []),
        ({"old": 0}, [("old", HiddenReason.GONE, "")]),
        ({"rank": "x", "title": {"url": "x"}, "steps": "x"}, [
            ("rank", HiddenReason.TYPE, ""), ("title", HiddenReason.TYPE, ""), ("steps", HiddenReason.TYPE, ""),
        ]),
        ({"next": "knots"}, [("next", HiddenReason.TYPE, "")]),
        ({"next": "/v2/pages/guide/knots/"}, []),
        ({"hero": {"old": "x"}}, [("hero.old", HiddenReason.GONE, "")]),
        ({"body": [{"type": "card", "fields": {"old": "x"}}]}, [("body.card.old", HiddenReason.GONE, "body")]),
        ({"body": [{"type": "quote", "fields": {"text": "x"}}]}, [("body.quote", HiddenReason.GONE, "body")]),
        ({"steps": [{"title": 7}]}, [("steps.title", HiddenReason.TYPE, "steps")]),
    ],
)  # fmt: skip
def test_hidden_values_are_found(fields: dict[str, Any], found: list[tuple[str, HiddenReason, str]]) -> None:
    """Each has its place, and that of the list around it; empty values do not count."""
    assert list(hidden_values(fields, SCHEMA.page_fields("guide"), SCHEMA)) == [HiddenValue(*each) for each in found]


def test_write_keeps_hidden_values_outside_lists() -> None:
    """Hidden values inside components stay; a list is replaced as a whole."""
    stored: Any = {"old": "x", "hero": {"title": "x", "old": "y"}, "steps": [{"title": "x", "old": "z"}]}
    for is_partial in (True, False):
        sent = {"title": "New", "hero": {"title": "New"}, "steps": [{"title": "New"}]}
        specs = SCHEMA.page_fields("guide")
        lookup: Any = None
        found = clean_fields(sent, specs, SCHEMA, lookup, partial=is_partial, current=stored)
        assert not found.messages
        assert found.fields["old"] == "x"
        assert found.fields["hero"] == {"title": "New", "old": "y"}
        assert found.fields["steps"] == [{"title": "New"}]
