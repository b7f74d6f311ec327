"""Each field type: accepted values, their stored form, refused values (API reference, Field types)."""

from datetime import datetime
from typing import Any, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecms.content.field_value import FieldValue
from sitecms.content.fields import Context, Lookup, built_in_types, type_of
from sitecms.content.schema import Component, ContentSchema, FieldSpec, Option

QUOTE = Component("quote", "Quote", (FieldSpec("text", "long_text", required=True), FieldSpec("by", "short_text")))
SCHEMA = ContentSchema(components={"quote": QUOTE})
SPECS = {
    "dropdown": FieldSpec("x", "dropdown", options=(Option("Calm", "calm"), Option("Rough", "rough"))),
    "reference": FieldSpec("x", "reference", targets=("team", "page:guide", "page:*")),
    "component": FieldSpec("x", "component", component="quote"),
    "component_picker": FieldSpec("x", "component_picker", components=("quote",)),
    "repeater": FieldSpec("x", "repeater", fields=QUOTE.fields),
}
DATE = FieldSpec("x", "date")
MANY = FieldSpec("x", "reference", targets=("team",), many=True)
ANN, BO = "/v2/content/?keys=team[_id=41]", "/v2/content/?keys=team[_id=42]"
START, ABOUT = "/v2/pages/guide/start/", "/v2/pages/*/about/"
A_QUOTE = {"type": "quote", "fields": {"text": "a", "by": "b"}}
SEA = "/media/" + "0" * 32 + ".jpg"

LEAVES: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.datetimes().map(str),
    st.sampled_from(
        ["calm", "#0B6E99", "41", "2024", "start", ANN, "media/sea.jpg", "https://x.example/a.jpg", "1e3", "007"]
    ),
    st.sampled_from(["<p onclick=x>a</p>", "<b>a", "2026-03-01T08:00:00+02:00", "0001-01-01T00:00:00+05:00", "\0"]),
)
KEYS = st.sampled_from(
    ["url", "alt", "type", "fields", "quote", "text", "by", "id", "key", "where", "slug", "page_type", "meta"]
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))


def clean(kind: str, value: object, lookup: Lookup, spec: FieldSpec | None = None) -> tuple[FieldValue, list[str]]:
    """Return the stored value, and the places of errors."""
    context = Context(SCHEMA, lookup, ("x",))
    field_type = built_in_types()[kind]
    assert field_type
    cleaned = field_type.clean(value, spec or SPECS.get(kind) or FieldSpec("x", kind), context)
    return cleaned, [message.place for message in context.messages]


@pytest.mark.parametrize(
    ("kind", "sent", "stored"),
    [
        ("short_text", " a ", " a "),
        ("long_text", "# *a*\n", "# *a*\n"),
        ("wysiwyg", "<p onclick='x()'>a</p><script>x</script>", "<p>a</p>"),
        ("html", "<b>a", "<b>a</b>"),
        ("number", 3, 3),
        ("number", 1.5, 1.5),
        ("number", "41", 41),
        ("number", " -1.5e3 ", -1500.0),
        ("number", 0, 0),
        ("date", "2026-03-01", "2026-03-01T00:00:00"),
        ("date", "2026-03-01T08:00:00", "2026-03-01T08:00:00"),
        ("date", "2026-03-01T08:00:00+02:00", "2026-03-01T07:00:00"),
        ("date", "2026-07-01T00:00:00Z", "2026-07-01T02:00:00"),
        ("date", "2024-01-01T00:00:00+01:00", "2024-01-01T00:00:00"),
        ("date", "0001-01-01", "0001-01-01T00:00:00"),
        ("date", "9999-12-31T23:59:59.5", "9999-12-31T23:59:59.500000"),
        ("dropdown", "calm", "calm"),
        ("checkbox", True, True),
        ("color", "#0B6E99", "#0b6e99"),
        ("media", "media/sea.jpg", {"url": SEA, "alt": ""}),
        ("media", {"url": "media/sea.jpg", "alt": "The sea"}, {"url": SEA, "alt": "The sea"}),
        ("media", "https://x.example/a b.jpg".replace(" ", "%20"), {"url": "https://x.example/a%20b.jpg", "alt": ""}),
        ("media", {"url": "", "alt": "left over"}, None),
        ("reference", 41, ANN),
        ("reference", "41", ANN),
        ("reference", "2024", "/v2/pages/guide/2024/"),
        ("reference", "start", START),
        ("reference", ANN, ANN),
        ("reference", {"key": "team", "where": {"name": "Bo"}}, BO),
        ("reference", {"id": 41}, ANN),
        ("reference", {"key": "team", "id": 42}, BO),
        ("reference", {"meta": {"id": 41}, "name": "Ann"}, ANN),
        ("reference", {"slug": "start", "page_type": "guide", "fields": {}}, START),
        ("reference", {"slug": "about", "page_type": None, "fields": {}}, ABOUT),
        ("component", {"text": "a"}, {"text": "a", "by": ""}),
        ("component_picker", [{"type": "quote", "fields": {"text": "a", "by": "b"}}], [A_QUOTE]),
        ("component_picker", [{"quote": {"text": "a", "by": "b"}}], [A_QUOTE]),
        ("repeater", [{"text": "a"}], [{"text": "a", "by": ""}]),
    ],
)  # fmt: skip
def test_accepted_values_are_stored_in_one_form(kind: str, sent: object, stored: object, lookup: Lookup) -> None:
    """Every accepted form of a value becomes the stored form of its type."""
    assert clean(kind, sent, lookup) == (stored, [])


@pytest.mark.parametrize(
    ("kind", "empty"),
    [
        ("short_text", ""), ("wysiwyg", ""), ("dropdown", ""), ("color", ""), ("number", None), ("date", None),
        ("checkbox", False), ("media", None),
        ("reference", None), ("component", {}), ("component_picker", []), ("repeater", []),
    ],
)  # fmt: skip
def test_null_and_the_empty_text_unset_a_field(kind: str, empty: object, lookup: Lookup) -> None:
    """An unset field has one stored form, of its own type."""
    for value in (None, "", empty):
        assert clean(kind, value, lookup) == (empty, [])


@pytest.mark.parametrize(
    ("kind", "sent", "place"),
    [
        ("short_text", 7, "x"),
        ("short_text", "a\0b", "x"),
        ("html", ["a"], "x"),
        ("number", "seven", "x"),
        ("number", True, "x"),
        ("number", float("nan"), "x"),
        ("number", "1e999", "x"),
        ("number", float("inf"), "x"),
        ("number", 2**53, "x"),
        ("number", -(2**53), "x"),
        ("number", float(2**53), "x"),
        ("number", 1e20, "x"),
        ("number", "9007199254740993", "x"),
        ("number", "9007199254740993.0", "x"),
        ("number", "-9.007199254740993e15", "x"),
        ("number", "9" * 5000, "x"),
        ("date", "yesterday", "x"),
        ("date", 20260301, "x"),
        ("date", "0001-01-01T00:00:00Z", "x"),
        ("date", "0001-01-01T00:00:00+05:00", "x"),
        ("date", "9999-12-31T23:59:59-05:00", "x"),
        ("dropdown", "clam", "x"),
        ("checkbox", "true", "x"),
        ("checkbox", 1, "x"),
        ("color", "#fff", "x"),
        ("color", "red", "x"),
        ("media", 7, "x"),
        ("media", {"src": "media/sea.jpg"}, "x"),
        ("media", "media/none.jpg", "x"),
        ("media", "/media/../site.toml", "x"),
        ("media", "javascript:alert(1)", "x"),
        ("media", "https:///a.jpg", "x"),
        ("media", "https://[/a.jpg", "x"),
        ("media", {"url": "media/sea.jpg", "alt": "a" * 256}, "x.alt"),
        ("reference", 7, "x"),
        ("reference", -1, "x"),
        ("reference", True, "x"),
        ("reference", "nobody", "x"),
        ("reference", "/v2/content/?keys=menu[_id=41]", "x"),
        ("reference", {"key": "menu", "where": {"name": "Ann"}}, "x"),
        ("reference", {}, "x"),
        ("component", ["a"], "x"),
        ("component", {"text": "a", "bye": "b"}, "x.bye"),
        ("component", {"by": "b"}, "x.text"),
        ("component_picker", {"type": "quote"}, "x"),
        ("component_picker", [{"type": "quot", "fields": {}}], "x[0].type"),
        ("component_picker", [{"type": "quote", "fields": {"text": 1}}], "x[0].fields.text"),
        ("component_picker", [{"quote": {"text": "a"}}, {"quote": {}}], "x[1].quote.text"),
        ("component_picker", ["quote"], "x[0].type"),
        ("repeater", [{"text": "a"}, "b"], "x[1]"),
        ("repeater", [{"text": "a"}, {"by": "b"}], "x[1].text"),
    ],
)  # fmt: skip
def test_invalid_values_are_refused_at_their_place(kind: str, sent: object, place: str, lookup: Lookup) -> None:
    """An invalid value gives one message at the place of the mistake."""
    assert clean(kind, sent, lookup)[1] == [place]


def test_references_to_many_are_a_list_in_the_order_given(lookup: Lookup) -> None:
    """The place of an unknown one is its position."""
    assert clean("reference", ["42", {"meta": {"id": 41}}], lookup, MANY) == ([BO, ANN], [])
    assert clean("reference", [42, 41, "42"], lookup, MANY) == ([BO, ANN], [])  # each once
    assert clean("reference", [], lookup, MANY) == ([], [])
    assert clean("reference", None, lookup, MANY) == ([], [])
    assert clean("reference", [41, 7], lookup, MANY)[1] == ["x[1]"]
    assert clean("reference", 41, lookup, MANY)[1] == ["x"]


def test_lengths_count_characters_and_entries_of_set_fields(lookup: Lookup) -> None:
    """min_length does not make a field required."""
    text = FieldSpec("x", "short_text", min_length=2, max_length=3)
    assert [clean(text.type, value, lookup, text)[1] for value in ("", "a", "aé", "aéb", "abcd")] == [
        [],
        ["x"],
        [],
        [],
        ["x"],
    ]
    many = FieldSpec("x", "reference", targets=("team",), many=True, max_length=1)
    assert clean(many.type, [41, 42], lookup, many)[1] == ["x"]


@pytest.mark.parametrize("kind", [*built_in_types(), "many"])
@given(value=VALUES)
def test_cleaning_a_stored_value_gives_it_back(kind: str, value: object, lookup: Lookup) -> None:
    """Cleaning is idempotent, so that clients can send back what they read; its result is plain JSON for any input."""
    spec = MANY if kind == "many" else None
    of = "reference" if kind == "many" else kind
    stored, wrong = clean(of, value, lookup, spec)
    orjson.dumps(stored)
    if not wrong:
        assert clean(of, stored, lookup, spec) == (stored, [])


@pytest.mark.parametrize("stored", ["Posts", "2026-02-30", "2026-03-01T08:00:00Z", 7, True, ["2026-03-01"]])
def test_what_is_no_date_is_none_in_a_field_that_became_one(stored: FieldValue) -> None:
    """It was stored when the field was of another type: pages and answers are made all the same."""
    field_type, spec, anything = type_of(DATE), DATE, cast("Any", None)
    assert not field_type.fits(stored, spec)
    assert field_type.to_json(stored, spec, 1, anything) is None
    assert field_type.to_template(stored, spec, 1, anything) is None


def test_a_stored_date_is_shown_as_it_is() -> None:
    """Templates get it as a time without a zone."""
    field_type, spec, anything = type_of(DATE), DATE, cast("Any", None)
    stored = "0001-01-01T00:00:00"
    assert field_type.fits(stored, spec)
    assert field_type.to_json(stored, spec, 1, anything) == stored
    assert field_type.to_template(stored, spec, 1, anything) == datetime.fromisoformat(stored)
