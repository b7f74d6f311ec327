"""The content schema, and its way through the store."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecms.content.fields import built_in_types
from sitecms.content.schema import (
    SINGLE_PAGE_FIELDS,
    Collection,
    Component,
    ContentSchema,
    FieldSpec,
    Option,
    PageType,
    collection_from,
    fields_from,
    page_type_from,
)
from sitecms.errors import NotFound

TYPES = [*built_in_types()]
SLUGS = st.text("abcdef_", min_size=1, max_size=5)
TEXTS = st.text(min_size=1, max_size=5)
DEFAULTS = st.none() | st.booleans() | st.integers(0, 9) | st.text(max_size=3)
SPECS = st.builds(
    FieldSpec,
    slug=SLUGS,
    type=st.sampled_from(TYPES),
    name=TEXTS,
    help=st.text(max_size=3),
    required=st.booleans(),
    default=DEFAULTS,
    min_length=st.none() | st.integers(0, 3),
    max_length=st.none() | st.integers(0, 3),
    options=st.lists(st.builds(Option, TEXTS, TEXTS), max_size=2).map(tuple),
    targets=st.lists(SLUGS, max_size=2).map(tuple),
    many=st.booleans(),
    translatable=st.booleans(),
    searchable=st.booleans(),
    component=st.text("abc", max_size=2),
    components=st.lists(SLUGS, max_size=2).map(tuple),
    fields=st.lists(st.builds(FieldSpec, SLUGS, st.sampled_from(TYPES), TEXTS), max_size=2).map(tuple),
)
SPEC_LISTS = st.lists(SPECS, max_size=3).map(tuple)
SCHEMAS = st.builds(
    lambda types, collections, components: ContentSchema(
        {entry.slug: entry for entry in types},
        {entry.key: entry for entry in collections},
        {entry.slug: entry for entry in components},
    ),
    st.lists(st.builds(PageType, SLUGS, TEXTS, SPEC_LISTS), max_size=2),
    st.lists(st.builds(Collection, SLUGS, TEXTS, SLUGS, SPEC_LISTS), max_size=2),
    st.lists(st.builds(Component, SLUGS, TEXTS, SPEC_LISTS), max_size=2),
)


@given(SCHEMAS)
def test_a_schema_comes_back_equal_from_its_json(schema: ContentSchema) -> None:
    """The store keeps the schema as one JSON document; no value changes, not even `false` to 0."""
    assert ContentSchema.from_json(orjson.loads(orjson.dumps(schema.as_json()))) == schema


def test_missing_names_come_from_the_file_name_and_the_fields() -> None:
    """The slug comes from the file, names from slugs, the label of items from the first field."""
    data = {"fields": [{"slug": "full_name", "type": "short_text"}]}
    assert page_type_from(data, "landing-page").name == "Landing page"
    team = collection_from(data, "team")
    assert (team.key, team.name, team.label, team.fields[0].name) == ("team", "Team", "full_name", "Full name")


def test_an_option_without_a_label_shows_its_value() -> None:
    """Labels are optional."""
    (spec,) = fields_from([{"slug": "mood", "type": "dropdown", "options": [{"value": "calm"}]}])
    assert spec.options == (Option("calm", "calm"),)


def test_single_pages_have_a_body_a_description_and_an_image() -> None:
    """Single Pages have no page type that could declare fields."""
    assert [(spec.slug, spec.type) for spec in ContentSchema().page_fields("")] == [
        ("body", "wysiwyg"),
        ("description", "short_text"),
        ("image", "media"),
    ]
    assert ContentSchema().page_fields("") is SINGLE_PAGE_FIELDS


def test_undeclared_names_are_not_found() -> None:
    """The message for a collection is the API's (API reference, Parameters)."""
    schema = ContentSchema(page_types={"guide": PageType("guide", "Guide", ())})
    assert schema.page_type("guide").name == "Guide"
    with pytest.raises(NotFound, match=r"^Not found\.$"):
        schema.collection("x")
    with pytest.raises(NotFound, match="guide"):
        schema.page_fields("gide")
    with pytest.raises(NotFound):
        schema.component("x")
