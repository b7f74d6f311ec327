"""The fields of a whole entry."""

import pytest

from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.fields import Lookup
from sitecms.content.locale import Locales
from sitecms.content.schema import Component, ContentSchema, FieldSpec
from sitecms.content.validation import clean_fields, split_locales
from sitecms.errors import InvalidFields

HERO = Component("hero", "Hero", (FieldSpec("title", "short_text", required=True), FieldSpec("image", "media")))
SCHEMA = ContentSchema(components={"hero": HERO})
SPECS = (
    FieldSpec("headline", "short_text", required=True),
    FieldSpec("mood", "short_text", default="calm"),
    FieldSpec("hero", "component", component="hero"),
    FieldSpec("body", "component_picker", components=("hero",)),
    FieldSpec("shown", "checkbox", required=True),
)
LOCALES = Locales(("en", "es"), "en")


def test_missing_fields_take_their_default_or_are_empty(lookup: Lookup) -> None:
    """A stored entry has every declared field, in declared order; false is a value of a required checkbox."""
    result = clean_fields({"headline": "Tide"}, SPECS, SCHEMA, lookup)
    assert result.messages == ()
    assert result.fields == {"headline": "Tide", "mood": "calm", "hero": {}, "body": [], "shown": False}
    assert list(result.fields) == [spec.slug for spec in SPECS]


def test_all_errors_are_reported_at_once_by_place(lookup: Lookup) -> None:
    """Missing, unknown and nested invalid fields are reported together."""
    raw = {"heading": "x", "mood": 7, "body": [{"type": "hero", "fields": {"titel": "x"}}]}
    assert clean_fields(raw, SPECS, SCHEMA, lookup).by_place() == {
        "heading": ['There is no field "heading". Did you mean "headline"? Fields: headline, mood, hero, body, shown.'],
        "headline": ["This field is required."],
        "mood": ["Must be text."],
        "body[0].fields.titel": ['There is no field "titel". Did you mean "title"? Fields: title, image.'],
        "body[0].fields.title": ["This field is required."],
    }


def test_a_required_field_cannot_be_emptied(lookup: Lookup) -> None:
    """A required field must be filled at creation and in partial updates."""
    current: Fields = {"headline": "Tide", "mood": "calm", "hero": {}, "body": [], "shown": False}
    assert clean_fields({"headline": ""}, SPECS, SCHEMA, lookup).by_place().keys() == {"headline"}
    result = clean_fields({"headline": None}, SPECS, SCHEMA, lookup, partial=True, current=current)
    assert result.by_place().keys() == {"headline"}


def test_a_partial_update_keeps_what_was_not_sent_and_merges_components(lookup: Lookup) -> None:
    """PATCH merges a component's keys and replaces a picker as a whole (API reference, Field types)."""
    hero: dict[str, FieldValue] = {"title": "Tide", "image": {"url": "/media/x.jpg", "alt": "Sea"}}
    current: Fields = {
        "headline": "Tide",
        "mood": "rough",
        "hero": hero,
        "body": [{"type": "hero", "fields": {**hero}}],
        "shown": True,
    }
    sent = {"hero": {"title": "Ebb"}, "body": [{"hero": {"title": "New"}}]}
    result = clean_fields(sent, SPECS, SCHEMA, lookup, partial=True, current=current)
    assert result.messages == ()
    expected: Fields = {
        **current,
        "hero": {**hero, "title": "Ebb"},
        "body": [{"type": "hero", "fields": {"title": "New", "image": None}}],
    }
    assert result.fields == expected


def test_a_component_that_was_unset_must_be_filled_in_whole(lookup: Lookup) -> None:
    """An unset component has no fields to merge with; null unsets it again."""
    current: Fields = {"headline": "Tide", "mood": "", "hero": {}, "body": [], "shown": False}
    sent = {"hero": {"image": "https://x.example/a.jpg"}}
    assert clean_fields(sent, SPECS, SCHEMA, lookup, partial=True, current=current).by_place().keys() == {"hero.title"}
    filled: Fields = {**current, "hero": {"title": "a", "image": None}}
    assert clean_fields({"hero": None}, SPECS, SCHEMA, lookup, partial=True, current=filled).fields == current


def test_a_field_declared_later_takes_its_default_in_a_partial_update(lookup: Lookup) -> None:
    """Entries older than a required field can still be changed; they keep the values of fields that are gone."""
    result = clean_fields({"mood": "rough"}, SPECS, SCHEMA, lookup, partial=True, current={"gone": "x"})
    assert result.messages == ()
    assert result.fields == {"headline": "", "mood": "rough", "hero": {}, "body": [], "shown": False, "gone": "x"}


def test_a_full_update_forgets_what_is_stored(lookup: Lookup) -> None:
    """PUT of an item replaces all fields."""
    result = clean_fields({"headline": "b"}, SPECS, SCHEMA, lookup, current={"headline": "a", "mood": "rough"})
    assert result.fields["mood"] == "calm"


def test_fields_are_localized_where_every_key_is_a_locale() -> None:
    """One other key makes them the fields of a single locale (API reference, Writes)."""
    assert split_locales({"en": {"a": 1}, "es": {"a": 2}}, LOCALES) == {"en": {"a": 1}, "es": {"a": 2}}
    assert split_locales({"es": {"a": 2}}, LOCALES) == {"es": {"a": 2}}
    assert split_locales({"en": {"a": 1}, "title": "x"}, LOCALES) == {"en": {"en": {"a": 1}, "title": "x"}}
    assert split_locales({"title": "x"}, LOCALES, "es") == {"es": {"title": "x"}}
    assert split_locales({}, LOCALES) == {"en": {}}


def test_a_locale_that_holds_no_fields_is_refused_under_its_code() -> None:
    """The 400 field map names the locale."""
    with pytest.raises(InvalidFields) as caught:
        split_locales({"en": "Tide"}, LOCALES)
    assert caught.value.messages.keys() == {"en"}
