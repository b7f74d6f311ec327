"""Single Pages with fields of their own: files, reads, writes, OpenAPI, templates, export and new files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from sitecms.actions.authoring.new_entry import NewPage, new_page
from sitecms.actions.exporting.export import export_site
from sitecms.store.site_state.documents import load_content_schema
from tests.api.conftest import LOADED_AT, SiteFolder, Writing

Get = Callable[..., TestResponse]
SCHEMA: dict[str, Any] = {
    "name": "About us",
    "fields": [
        {"slug": "headline", "type": "short_text", "required": True, "max_length": 20},
        {"slug": "people", "type": "repeater", "fields": [{"slug": "name", "type": "short_text"}]},
    ],
}
ABOUT: dict[str, Any] = {
    "title": "About",
    "status": "published",
    "fields": {"headline": "We.", "people": [{"name": "Ann"}]},
}


@pytest.fixture
def folder(folder: SiteFolder) -> SiteFolder:
    """Load the site, whose Single Page `about` declares fields of its own; `plain` does not."""
    folder.write("schema/single_pages/about.yaml", SCHEMA)
    folder.write("content/pages/_single/about.yaml", ABOUT)
    folder.write("content/pages/_single/plain.md", "---\ntitle: Plain\nstatus: published\n---\nText.\n")
    return folder


def test_a_single_page_has_the_fields_that_it_declares(folder: SiteFolder, get: Get) -> None:
    """Others keep body, description and image, and none of these is forced on it."""
    assert folder.load().errors == ()
    about: Any = get("/v2/pages/*/about/").get_json()["data"]
    assert about["fields"] == {"headline": "We.", "people": [{"name": "Ann"}]}
    assert about["page_type"] is None
    plain: Any = get("/v2/pages/*/plain/").get_json()["data"]
    assert plain["fields"] == {"body": "<p>Text.</p>\n", "description": "", "image": ""}
    listed: Any = get("/v2/pages/*/").get_json()["data"]
    assert {page["slug"]: sorted(page["fields"]) for page in listed} == {
        "about": ["headline", "people"],
        "plain": ["body", "description", "image"],
    }


STEP = {
    "fields": [
        {"slug": "about", "type": "reference", "targets": ["page:*"]},
        {"slug": "others", "type": "reference", "targets": ["page:*"], "many": True},
    ]
}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("fields.about.headline=We.", ["first"]),
        ("fields.about.headline=Us.", []),
        ("fields.about.people.name=Ann", ["first"]),
        ("fields.others.headline=We.", ["third"]),
        ("fields.others.year=1999", ["second", "third"]),  # a number in one of them, text in the other
        ("fields.about.year=1999", ["first"]),
        ("fields.about.slug=about", ["first"]),
        ("fields.others.description=Plainly.", ["second"]),
    ],
)
def test_filters_lead_to_the_declared_fields(folder: SiteFolder, get: Get, query: str, found: list[str]) -> None:
    """Filters through references to Single Pages know the fields of each, also where two give a slug another type."""
    folder.write("schema/page_types/step.yaml", STEP)
    about = {**SCHEMA, "fields": [*SCHEMA["fields"], {"slug": "year", "type": "short_text"}]}
    folder.write("schema/single_pages/about.yaml", about)
    folder.write("content/pages/_single/about.yaml", {**ABOUT, "fields": {**ABOUT["fields"], "year": "1999"}})
    folder.write("schema/single_pages/history.yaml", {"fields": [{"slug": "year", "type": "number"}]})
    folder.write("content/pages/_single/history.yaml", {"title": "H", "status": "published", "fields": {"year": 1999}})
    plain = {"title": "P", "status": "published", "fields": {"description": "Plainly."}}
    (folder.folder / "content/pages/_single/plain.md").unlink()
    folder.write("content/pages/_single/plain.yaml", plain)
    steps = (
        ("first", {"about": "about"}),
        ("second", {"others": ["plain", "history"]}),
        ("third", {"others": ["about"]}),
    )
    for name, fields in steps:
        folder.write(f"content/pages/step/{name}.yaml", {"title": name, "status": "published", "fields": fields})
    assert folder.load().errors == ()
    answer = get(f"/v2/pages/step/?{query}")
    assert sorted(page["slug"] for page in answer.get_json()["data"]) == found


def test_unknown_fields_of_single_pages_are_named(folder: SiteFolder, get: Get) -> None:
    """The answer names the fields that a filter could use."""
    folder.write("schema/page_types/step.yaml", STEP)
    folder.load()
    answer = get("/v2/pages/step/?fields.about.headlin=We.")
    assert answer.status_code == 403
    assert "about.headline" in answer.get_json()["detail"]


@pytest.mark.parametrize(("fields", "problem"), [
    ({"body": "x", "headline": "We."}, "body"), ({"people": []}, "headline"), ({"headline": "x" * 21}, "headline"),
])  # fmt: skip
def test_other_fields_and_missing_ones_are_errors(folder: SiteFolder, fields: dict[str, object], problem: str) -> None:
    """With file and place."""
    folder.write("content/pages/_single/about.yaml", {**ABOUT, "fields": fields})
    (error,) = folder.load().errors
    assert (error.file, error.place) == ("content/pages/_single/about.yaml", f"fields.{problem}")


def test_writes_are_checked_by_the_declared_fields(folder: SiteFolder, writer: Writing) -> None:
    """Creations and changes, by slug."""
    folder.load()
    refused = writer.refused("PATCH", "/v2/pages/*/about/", {"fields": {"body": "<p>x</p>"}})
    assert "body" in json.dumps(refused)
    writer.patch("/v2/pages/*/about/", {"fields": {"headline": "They."}})
    assert writer.data("/v2/pages/*/about/")["fields"]["headline"] == "They."
    writer.post("/v2/pages/", {"title": "More", "slug": "more", "status": "published", "fields": {"body": "<p>x</p>"}})
    assert writer.data("/v2/pages/*/more/")["fields"]["body"] == "<p>x</p>"


def test_openapi_describes_the_declared_fields(folder: SiteFolder, client: FlaskClient) -> None:
    """Reads and writes take either these or the usual ones."""
    folder.load()
    schemas: Any = client.get("/v2/openapi.json").get_json()["components"]["schemas"]
    assert set(schemas["SinglePage.about.fields"]["properties"]) == {"headline", "people"}
    assert {"$ref": "#/components/schemas/SinglePage.about.fields"} in schemas["SinglePage.fields"]["anyOf"]
    assert {"$ref": "#/components/schemas/SinglePageFields.about"} in schemas["PageFields"]["anyOf"]


def test_export_and_new_files_have_the_declared_fields(folder: SiteFolder, tmp_path: Path) -> None:
    """The schema file is written too; a new page of that slug is YAML with its fields."""
    folder.load()
    export_site(folder.database, folder.settings, tmp_path / "files", force=False)
    assert "headline: We." in (tmp_path / "files/content/pages/_single/about.yaml").read_text()
    assert "headline" in (tmp_path / "files/schema/single_pages/about.yaml").read_text()
    assert list(folder.database.read(load_content_schema).single_pages) == ["about"]
    folder.write("schema/single_pages/team.yaml", SCHEMA)
    made = new_page(folder.settings, NewPage("Team", ""), LOADED_AT)
    assert made.path.name == "team.yaml"
    text = made.path.read_text()
    assert "headline:" in text
    assert "description:" not in text


def test_a_declaration_that_appears_is_noted(folder: SiteFolder) -> None:
    """Values of fields that are no longer declared stay, and the load names them."""
    folder.load()
    folder.write("schema/single_pages/plain.yaml", SCHEMA)
    (folder.folder / "content/pages/_single/plain.md").unlink()
    assert any('the field "body" of "*/plain"' in note for note in folder.load().notes)
