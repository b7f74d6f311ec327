"""Fields that schema/post.yaml declares for posts: files, reads, writes, search, OpenAPI, export."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from sitecms.actions.exporting.export import export_site
from sitecms.actions.operations.verify.checks import reference_findings
from sitecms.content.media import MEDIA_NAME
from sitecms.errors import InvalidFiles
from sitecms.store.maintenance.media_usage import used_media
from tests.api.conftest import SiteFolder

Writer = Any
Get = Callable[..., TestResponse]
FIELDS: list[dict[str, Any]] = [
    {"slug": "rating", "type": "number"},
    {"slug": "kicker", "type": "short_text", "searchable": True},
    {"slug": "photo", "type": "media"},
    {"slug": "verdict", "type": "wysiwyg", "searchable": True},
    {"slug": "boat", "type": "reference", "targets": ["boats"]},
    {"slug": "links", "type": "repeater", "fields": [{"slug": "label", "type": "short_text"}]},
]
UNSET: dict[str, Any] = {"rating": None, "kicker": "", "photo": "", "verdict": "", "boat": None, "links": []}
SEA = "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='3'/>"
RATED = """---
title: Rated
status: published
published: 2026-02-01
rating: 4
fields:
  kicker: Quayside
  photo: {url: media/sea.svg, alt: The sea}
  verdict: <p>Splendid <b>wherry</b>.</p>
  boat: {key: boats, where: {name: Nellie}}
  links: [{label: More}]
---
Text.
"""


@pytest.fixture
def folder(folder: SiteFolder) -> SiteFolder:
    """Load the site: one post with fields, one without, and a collection that a field refers to."""
    folder.write("schema/post.yaml", {"fields": FIELDS})
    folder.write("schema/collections/boats.yaml", {"fields": [{"slug": "name", "type": "short_text"}]})
    folder.write("content/collections/boats.yaml", [{"id": 7, "fields": {"name": "Nellie"}}])
    folder.write("content/authors.yaml", [{"slug": "ann-ray", "first_name": "Ann"}])
    folder.write("media/sea.svg", SEA)
    folder.write("content/posts/rated.md", RATED)
    folder.write("content/posts/plain.md", "---\ntitle: Plain\npublished: 2026-01-01\n---\nText.\n")
    return folder


def test_posts_have_the_declared_fields_under_a_key_of_their_own(folder: SiteFolder, get: Get) -> None:
    """In lists, alone, in search and among recent posts; references are followed as in pages."""
    assert folder.load().errors == ()
    post: Any = get("/v2/posts/rated/").get_json()["data"]
    photo = post["fields"].pop("photo")
    assert photo.startswith("http://127.0.0.1:8000/media/")
    assert post["fields"] == {
        "rating": 4,
        "kicker": "Quayside",
        "verdict": "<p>Splendid <b>wherry</b>.</p>",
        "boat": {"meta": {"id": 7}, "name": "Nellie"},
        "links": [{"label": "More"}],
    }
    listed: Any = get("/v2/posts/?levels=1&alt_media_text=1").get_json()["data"]
    assert [each["slug"] for each in listed] == ["rated", "plain"]
    assert listed[0]["fields"]["boat"] == "/v2/content/?keys=boats[_id=7]"
    assert listed[0]["fields"]["photo"] == {"url": photo, "alt": "The sea"}
    assert get("/v2/posts/").get_json()["data"][1]["fields"] == UNSET
    for word in ("quayside", "wherry"):
        found: Any = get(f"/v2/posts/search/?query={word}").get_json()["data"]
        assert [each["fields"]["rating"] for each in found] == [4], word
    recent: Any = get("/v2/authors/ann-ray/?include=recent_posts").get_json()["data"]["recent_posts"]
    assert [each["fields"]["rating"] for each in recent] == [4, None]
    with folder.database.reading() as session:
        name = MEDIA_NAME.findall(photo)[0]
        assert used_media(session)[name].is_shown
        assert reference_findings(session) == []


def test_without_a_schema_posts_have_no_such_key(folder: SiteFolder, get: Get) -> None:
    """A post that has fields is an error with its line; when the schema goes, a note names what is hidden."""
    folder.load()
    (folder.folder / "schema/post.yaml").unlink()
    report = folder.load()
    (error,) = map(str, report.errors)
    assert error.startswith("content/posts/rated.md:5 rating: is not a known key (keys here: title, slug, ")
    assert error.endswith("; declare others in schema/post.yaml)")
    assert any("rating" in note and "schema/post.yaml" in note for note in report.notes), report.notes
    assert "fields" not in get("/v2/posts/plain/").get_json()["data"]
    folder.write("content/posts/rated.md", RATED.replace("rating: 4\n", ""))
    assert [str(error) for error in folder.load().errors] == [
        "content/posts/rated.md:5 fields: is given, but posts of this site have none (declare them in schema/post.yaml)"
    ]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("rating: 4", "rating: four", "content/posts/rated.md:5 fields.rating: A valid number is required."),
        ("rating: 4", "ratin: 4", 'content/posts/rated.md:5 ratin: is not a known key (did you mean "rating"?)'),
        ("  kicker: Quayside", "  kick: 1", 'content/posts/rated.md:7 fields.kick: There is no field "kick".'),
        ("{name: Nellie}", "{name: Ebb}", "content/posts/rated.md:10 fields.boat: "),
        ("media/sea.svg", "media/see.svg", "content/posts/rated.md:8 fields.photo: "),
        ("  kicker: Quayside", "  rating: 5", 'content/posts/rated.md:5 rating: is also given as "fields.rating"'),
    ],
)
def test_errors_in_fields_name_file_and_line(folder: SiteFolder, before: str, after: str, said: str) -> None:
    """Whether a field stands at the top or under `fields`."""
    folder.write("content/posts/rated.md", RATED.replace(before, after))
    (error,) = folder.load().errors
    assert str(error).startswith(said)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ([{"slug": "a", "type": "texts"}], "schema/post.yaml:2 fields[0].type: is "),
        ([{"slug": "a", "type": "number", "translatable": False}], "schema/post.yaml:2 fields[0].translatable: is not"),
        ([], "schema/post.yaml"),
    ],
)
def test_errors_in_the_schema_name_file_and_line(folder: SiteFolder, fields: list[Any], said: str) -> None:
    """As of page types; translations are posts of their own, so their values are, too."""
    folder.write("schema/post.yaml", "fields:\n" + "".join(f"  - {json.dumps(each)}\n" for each in fields))
    with pytest.raises(InvalidFiles) as raised:
        folder.load()
    assert str(raised.value).startswith(said)


def test_requests_write_fields(folder: SiteFolder, writer: Writer, remote: Any) -> None:
    """Values are laid over the stored ones; a variant begins with those of its original; remote media are fetched."""
    folder.load()
    remote.files["https://pictures.example/a.pdf"] = b"%PDF-1.4\n"
    sent = {"rating": "3", "boat": 7, "photo": "https://pictures.example/a.pdf", "verdict": "<p onclick='x'>Fair.</p>"}
    accepted = writer.post("/v2/posts/", {"title": "New", "status": "published", "fields": sent})
    outcome = writer.outcome(accepted)
    assert outcome["status"] == "applied"
    assert [warning["field"] for warning in outcome["warnings"]] == ["fields.verdict"]
    fields = writer.data("/v2/posts/new/")["fields"]
    assert (fields["rating"], fields["boat"]["name"], fields["verdict"]) == (3, "Nellie", "<p>Fair.</p>")
    assert fields["photo"].startswith("http://127.0.0.1:8000/media/")
    writer.patch("/v2/posts/new/", {"fields": {"kicker": "Zebra"}})
    assert writer.data("/v2/posts/new/")["fields"] == {**fields, "kicker": "Zebra"}
    assert [hit["slug"] for hit in writer.data("/v2/posts/search/?query=zebra")] == ["new"]
    writer.patch("/v2/posts/new/", {"title": "Newer"})
    writer.patch("/v2/posts/new/?locale=es", {"title": "Nuevo", "fields": {"rating": 5}})
    copied = {**fields, "kicker": "Zebra", "rating": 5, "boat": None}  # the boat is not there in Spanish
    assert writer.data("/v2/posts/new/?locale=es")["fields"] == copied
    assert writer.data("/v2/posts/new/")["fields"]["rating"] == 3
    refused = writer.refused("PATCH", "/v2/posts/new/", {"fields": {"rating": "x", "boat": 99}})
    assert refused == {
        "fields.rating": ["A valid number is required."],
        "fields.boat": ["99 is not found among boats."],
    }
    assert writer.refused("POST", "/v2/posts/", {"title": "x", "fields": 3}) == {
        "fields": ["Expected an object of fields."]
    }


def test_fields_of_a_site_that_declares_none_are_ignored_with_a_warning(
    writer: Writer, make_post: Callable[..., int]
) -> None:
    """As any key that cannot be set."""
    make_post("plain")
    answered = writer.patch("/v2/posts/plain/", {"fields": {"rating": 1}})
    assert answered.get_json() == {
        "status": "pending",
        "warning: fields field": "The field fields was ignored: it cannot be set here.",
    }
    assert "fields" not in writer.data("/v2/posts/plain/")


def test_openapi_describes_the_fields(folder: SiteFolder, client: FlaskClient) -> None:
    """In answers and in requests; a site without them has the schemas that every site has."""
    plain: Any = client.get("/v2/openapi.json").get_json()["components"]["schemas"]
    assert "fields" not in plain["Post"]["properties"]
    folder.load()
    schemas: Any = client.get("/v2/openapi.json").get_json()["components"]["schemas"]
    assert "fields" in schemas["Post"]["required"]
    named = schemas["Post"]["properties"]["fields"]["$ref"].rpartition("/")[2]
    assert list(schemas[named]["properties"]) == [field["slug"] for field in FIELDS]
    sent = schemas["CreatePost"]["properties"]["fields"]["$ref"].rpartition("/")[2]
    assert list(schemas[sent]["properties"]) == [field["slug"] for field in FIELDS]
    assert "fields" not in schemas["CreatePost"]["required"]


def test_an_export_loses_nothing(folder: SiteFolder, get: Get, tmp_path: Path) -> None:
    """The exported folder, loaded into the same store, changes no post."""
    folder.load()
    before: Any = get("/v2/posts/").get_json()["data"]
    export_site(folder.database, folder.settings, tmp_path / "files", force=False)
    written = (tmp_path / "files/content/posts/rated.md").read_text()
    assert "photo:\n    url: media/sea.svg" in written
    assert "fields" not in (tmp_path / "files/content/posts/plain.md").read_text()
    for name in ("schema/post.yaml", "content/posts/rated.md", "content/posts/plain.md"):
        (folder.folder / name).write_bytes((tmp_path / "files" / name).read_bytes())
    report = folder.load()
    assert (report.errors, sorted(report.loaded)) == ((), ["content/posts/plain.md", "content/posts/rated.md"])
    assert get("/v2/posts/").get_json()["data"] == before
