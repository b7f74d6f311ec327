"""Single Pages with fields of their own: files, reads, writes, OpenAPI, templates, export and new files."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from sitecms.actions.authoring.new_entry import NewPage, new_page
from sitecms.actions.exporting.export import export_site
from sitecms.actions.loading import LoadReport, load_site
from sitecms.runtime import Runtime
from sitecms.settings.site import SiteSettings
from sitecms.store.site_state.documents import load_content_schema
from tests.api.conftest import Writing

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
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


def put(site: SiteSettings, path: str, content: object) -> None:
    file = site.folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


@pytest.fixture
def load(site: SiteSettings, runtime: Runtime) -> Callable[[], LoadReport]:
    """Load the site, whose Single Page `about` declares fields of its own; `plain` does not."""
    put(site, "schema/single_pages/about.yaml", SCHEMA)
    put(site, "content/pages/_single/about.yaml", ABOUT)
    put(site, "content/pages/_single/plain.md", "---\ntitle: Plain\nstatus: published\n---\nText.\n")
    return lambda: load_site(runtime.database, site, AT)


def test_a_single_page_has_the_fields_that_it_declares(
    load: Callable[[], LoadReport], get: Callable[..., TestResponse]
) -> None:
    """Others keep body, description and image, and none of these is forced on it."""
    assert load().errors == ()
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
def test_filters_lead_to_the_declared_fields(
    load: Callable[[], LoadReport], site: SiteSettings, get: Callable[..., TestResponse], query: str, found: list[str]
) -> None:
    """Filters through references to Single Pages know the fields of each, also where two give a slug another type."""
    put(site, "schema/page_types/step.yaml", STEP)
    about = {**SCHEMA, "fields": [*SCHEMA["fields"], {"slug": "year", "type": "short_text"}]}
    put(site, "schema/single_pages/about.yaml", about)
    put(site, "content/pages/_single/about.yaml", {**ABOUT, "fields": {**ABOUT["fields"], "year": "1999"}})
    put(site, "schema/single_pages/history.yaml", {"fields": [{"slug": "year", "type": "number"}]})
    put(site, "content/pages/_single/history.yaml", {"title": "H", "status": "published", "fields": {"year": 1999}})
    plain = {"title": "P", "status": "published", "fields": {"description": "Plainly."}}
    (site.folder / "content/pages/_single/plain.md").unlink()
    put(site, "content/pages/_single/plain.yaml", plain)
    others = {"others": ["plain", "history"]}
    put(site, "content/pages/step/first.yaml", {"title": "1", "status": "published", "fields": {"about": "about"}})
    put(site, "content/pages/step/second.yaml", {"title": "2", "status": "published", "fields": others})
    put(site, "content/pages/step/third.yaml", {"title": "3", "status": "published", "fields": {"others": ["about"]}})
    assert load().errors == ()
    answer = get(f"/v2/pages/step/?{query}")
    assert sorted(page["slug"] for page in answer.get_json()["data"]) == found


def test_unknown_fields_of_single_pages_are_named(
    load: Callable[[], LoadReport], site: SiteSettings, get: Callable[..., TestResponse]
) -> None:
    """The answer names the fields that a filter could use."""
    put(site, "schema/page_types/step.yaml", STEP)
    load()
    answer = get("/v2/pages/step/?fields.about.headlin=We.")
    assert answer.status_code == 403
    assert "about.headline" in answer.get_json()["detail"]


@pytest.mark.parametrize(("fields", "problem"), [
    ({"body": "x", "headline": "We."}, "body"), ({"people": []}, "headline"), ({"headline": "x" * 21}, "headline"),
])  # fmt: skip
def test_other_fields_and_missing_ones_are_errors(
    load: Callable[[], LoadReport], site: SiteSettings, fields: dict[str, object], problem: str
) -> None:
    """With file and place."""
    put(site, "content/pages/_single/about.yaml", {**ABOUT, "fields": fields})
    (error,) = load().errors
    assert (error.file, error.place) == ("content/pages/_single/about.yaml", f"fields.{problem}")


def test_writes_are_checked_by_the_declared_fields(load: Callable[[], LoadReport], writer: Writing) -> None:
    """Creations and changes, by slug."""
    load()
    refused = writer.refused("PATCH", "/v2/pages/*/about/", {"fields": {"body": "<p>x</p>"}})
    assert "body" in json.dumps(refused)
    writer.patch("/v2/pages/*/about/", {"fields": {"headline": "They."}})
    assert writer.data("/v2/pages/*/about/")["fields"]["headline"] == "They."
    writer.post("/v2/pages/", {"title": "More", "slug": "more", "status": "published", "fields": {"body": "<p>x</p>"}})
    assert writer.data("/v2/pages/*/more/")["fields"]["body"] == "<p>x</p>"


def test_openapi_describes_the_declared_fields(load: Callable[[], LoadReport], client: FlaskClient) -> None:
    """Reads and writes take either these or the usual ones."""
    load()
    schemas: Any = client.get("/v2/openapi.json").get_json()["components"]["schemas"]
    assert set(schemas["SinglePage.about.fields"]["properties"]) == {"headline", "people"}
    assert {"$ref": "#/components/schemas/SinglePage.about.fields"} in schemas["SinglePage.fields"]["anyOf"]
    assert {"$ref": "#/components/schemas/SinglePageFields.about"} in schemas["PageFields"]["anyOf"]


def test_export_and_new_files_have_the_declared_fields(
    load: Callable[[], LoadReport], site: SiteSettings, runtime: Runtime, tmp_path: Path
) -> None:
    """The schema file is written too; a new page of that slug is YAML with its fields."""
    load()
    export_site(runtime.database, site, tmp_path / "files", force=False)
    assert "headline: We." in (tmp_path / "files/content/pages/_single/about.yaml").read_text()
    assert "headline" in (tmp_path / "files/schema/single_pages/about.yaml").read_text()
    assert list(runtime.database.read(load_content_schema).single_pages) == ["about"]
    put(site, "schema/single_pages/team.yaml", SCHEMA)
    made = new_page(site, NewPage("Team", ""), AT)
    assert made.path.name == "team.yaml"
    text = made.path.read_text()
    assert "headline:" in text
    assert "description:" not in text


def test_a_declaration_that_appears_is_noted(load: Callable[[], LoadReport], site: SiteSettings) -> None:
    """Values of fields that are no longer declared stay, and the load names them."""
    load()
    put(site, "schema/single_pages/plain.yaml", SCHEMA)
    (site.folder / "content/pages/_single/plain.md").unlink()
    assert any('the field "body" of "*/plain"' in note for note in load().notes)
