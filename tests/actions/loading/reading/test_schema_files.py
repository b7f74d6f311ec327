"""Rules across the files in schema/."""

from pathlib import Path
from typing import Any

import pytest

from sitecms.actions.loading.reading.schema_files import SchemaFile, SchemaKind, check_schema, schema_of
from sitecms.documents import locator, read_yaml, schema_errors

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")

ROOT = Path(__file__).parents[4]
NESTED = {"slug": "x", "type": "component", "component": "hero"}
TEXT = {"slug": "name", "type": "short_text"}


def file(kind: SchemaKind, slug: str, *fields: dict[str, Any], **others: Any) -> SchemaFile:
    key = "key" if kind is SchemaKind.COLLECTION else "slug"
    return SchemaFile(kind, f"schema/{kind}/{slug}.yaml", slug, {key: slug, "fields": list(fields), **others})


def page_type(*fields: dict[str, Any]) -> list[SchemaFile]:
    """Return a page type `guide` with these fields, beside a collection `team` and a component `hero`."""
    return [
        file(SchemaKind.PAGE_TYPE, "guide", *fields),
        file(SchemaKind.COLLECTION, "team", TEXT),
        file(SchemaKind.COMPONENT, "hero", TEXT),
    ]


def errors(files: list[SchemaFile]) -> list[tuple[str, str]]:
    return [(error.place, error.remedy) for error in check_schema(files)]


def test_sample_site_has_a_valid_schema() -> None:
    """The schema of the sample site passes every check."""
    folder = ROOT / "sample_site"
    names = {SchemaKind.PAGE_TYPE: "page_type", SchemaKind.COLLECTION: "collection", SchemaKind.COMPONENT: "component"}
    files = []
    for kind, name in names.items():
        for path in sorted((folder / "schema" / kind).glob("*.yaml")):
            data, shown = read_yaml(path), str(path.relative_to(folder))
            assert schema_errors(data, name, shown, locator(path)) == []
            assert isinstance(data, dict)
            files.append(SchemaFile(kind, shown, path.stem, data, locator(path)))
    assert check_schema(files) == []
    assert set(schema_of(files).collections) >= {"team", "menu"}


@pytest.mark.parametrize(
    ("field", "place", "remedy"),
    [
        ({"type": "medai"}, "type", 'did you mean "media"? choices: short_text, '),
        ({"type": "component"}, "component", "a component field needs it"),
        ({"type": "component", "component": "heros"}, "component", 'did you mean "hero"?'),
        ({"type": "component_picker", "components": ["hero", "x"]}, "components[1]", "there are: hero"),
        ({"type": "reference"}, "targets", "a reference field needs it"),
        ({"type": "reference", "targets": ["teem"]}, "targets[0]", 'did you mean "team"?'),
        ({"type": "reference", "targets": ["guide"]}, "targets[0]", 'did you mean "page:guide"?'),
        ({"type": "dropdown", "options": []}, "options", "a dropdown field needs it"),
        ({"type": "dropdown", "options": [{"value": "a"}, {"value": "a"}]}, "options[1].value", "give each choice"),
        ({"type": "repeater", "fields": [NESTED]}, "fields[0].type", "choices:"),
        ({"type": "repeater", "fields": [TEXT, TEXT]}, "fields[1].slug", "give each field its own slug"),
        ({"type": "html", "options": [{"value": "a"}]}, "options", "only dropdown has it"),
        ({"type": "html", "many": True}, "many", "only reference has it"),
        ({"type": "number", "max_length": 3}, "max_length", "only text"),
        ({"type": "html", "min_length": 4, "max_length": 3}, "min_length", "expected 3 or less"),
        ({"type": "number", "default": "many"}, "default", ""),
        ({"type": "dropdown", "options": [{"value": "a"}], "default": "b"}, "default", ""),
        ({"type": "repeater", "fields": [TEXT], "default": []}, "default", "leave it out"),
    ],
)  # fmt: skip
def test_invalid_declaration_is_an_error_at_its_place(field: dict[str, Any], place: str, remedy: str) -> None:
    """One mistake gives one error with a remedy."""
    ((found, said),) = errors(page_type({"slug": "x", **field}))
    assert found == f"fields[0].{place}"
    assert said.startswith(remedy)


def test_valid_declarations_pass() -> None:
    """References to pages, Single Pages and items are valid, and so are defaults that the field accepts."""
    fields: list[dict[str, Any]] = [
        {"slug": "a", "type": "reference", "targets": ["team", "page:guide", "page:*"], "many": True, "max_length": 3},
        {"slug": "b", "type": "component", "component": "hero"},
        {"slug": "c", "type": "repeater", "fields": [{"slug": "d", "type": "reference", "targets": ["team"]}]},
        {"slug": "e", "type": "date", "default": "2026-03-01"},
        {"slug": "f", "type": "media", "default": "media/x.jpg"},
    ]
    assert errors(page_type(*fields)) == []


def test_collections_hold_all_types_and_components_hold_no_components() -> None:
    """The types allowed in each kind of file (API reference, Field types)."""
    repeater = {"slug": "r", "type": "repeater", "fields": [TEXT]}
    picker = {"slug": "p", "type": "component_picker", "components": ["hero"]}
    files = [
        file(SchemaKind.COLLECTION, "team", NESTED, repeater, picker),
        file(SchemaKind.COMPONENT, "hero", NESTED, repeater),
    ]
    assert [(error.file, error.place) for error in check_schema(files)] == [
        ("schema/components/hero.yaml", "fields[0].type")
    ]


def test_second_file_of_one_slug_is_an_error() -> None:
    """The error names the first file; a component may share its slug with a page type."""
    twice = SchemaFile(SchemaKind.COMPONENT, "b.yaml", "b", {"slug": "hero", "fields": [TEXT]})
    (error,) = check_schema([*page_type(TEXT), file(SchemaKind.PAGE_TYPE, "hero", TEXT), twice])
    assert (error.file, error.place) == ("b.yaml", "slug")
    assert "schema/components/hero.yaml" in error.problem


def test_reserved_names_are_refused() -> None:
    """/v2/pages/search/ is an address of the API; items have their id in `meta`."""
    meta = {"slug": "meta", "type": "short_text"}
    files = [file(SchemaKind.PAGE_TYPE, "search", TEXT), file(SchemaKind.COLLECTION, "team", meta)]
    assert [place for place, _ in errors(files)] == ["slug", "fields[0].slug"]


def test_label_of_a_collection_must_be_a_field() -> None:
    """The error suggests the nearest name."""
    assert errors([file(SchemaKind.COLLECTION, "team", TEXT, label="nam")]) == [("label", 'did you mean "name"?')]
