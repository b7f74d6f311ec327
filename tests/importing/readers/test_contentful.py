"""Exports of Contentful."""

import json
from pathlib import Path
from typing import Any

import pytest

from sitecms.documents import read_front_matter, read_yaml
from sitecms.errors import InvalidRequest
from sitecms.importing.readers.contentful.content_types import kebab
from sitecms.importing.readers.contentful.rich_text import RichText
from sitecms.importing.report import ImportReport
from sitecms.importing.run import ImportOptions, import_site
from tests.importing.building import build, import_and_build
from tests.importing.offline import OFFLINE

Row = dict[str, Any]


def _field(name: str, kind: str = "Symbol", **facts: Any) -> Row:
    return {"id": name, "name": name.title(), "type": kind, "localized": False, "required": False, **facts}


def _type(name: str, *fields: Row, label: str = "title") -> Row:
    return {"sys": {"id": name}, "name": name, "displayField": label, "fields": list(fields)}


def _link(target: str, kind: str = "Entry") -> Row:
    return {"sys": {"type": "Link", "linkType": kind, "id": target}}


def _entry(entry_id: str, kind: str, versions: tuple[int, int | None] = (2, 1), /, **fields: Any) -> Row:
    facts: Row = {"id": entry_id, "version": versions[0], "publishedVersion": versions[1]}
    facts |= {"createdAt": "2020-01-01T00:00:00Z"}
    facts |= {"firstPublishedAt": "2020-01-02T00:00:00Z", "contentType": _link(kind, "ContentType")}
    values = {field: value if _is_localized(value) else {"en": value} for field, value in fields.items()}
    return {"sys": facts, "fields": values}


def _is_localized(value: object) -> bool:
    return isinstance(value, dict) and set(value) <= {"en", "es"}


ASSET = {
    "sys": {"id": "a1"},
    "fields": {
        "title": {"en": "A boat"},
        "file": {"en": {"url": "//images.ctfassets.net/s/a1/x/boat.jpg", "fileName": "boat.jpg"}},
    },
}
TAG = _type("tag", _field("title"), _field("slug"))
POST = _type(
    "blogPost",
    _field("title"),
    _field("slug"),
    _field("body", "Text"),
    _field("publishDate", "Date"),
    _field("heroImage", "Link", linkType="Asset"),
    _field("tags", "Array", items={"type": "Link", "linkType": "Entry"}),
)


def _export(types: list[Row], entries: list[Row], assets: list[Row]) -> Row:
    locales = [{"code": "en", "default": True}, {"code": "es"}]
    return {"contentTypes": types, "entries": entries, "assets": assets, "locales": locales}


def _import(tmp_path: Path, types: list[Row], entries: list[Row], assets: list[Row] | None = None) -> ImportReport:
    (tmp_path / "export.json").write_text(json.dumps(_export(types, entries, assets or [])))
    return import_site(tmp_path / "site", [str(tmp_path / "export.json")], ImportOptions(media=OFFLINE))


def _notes(report: ImportReport) -> set[str]:
    return {subject for _kind, subject in report.notes}


def test_types_that_fit_become_posts(tmp_path: Path) -> None:
    """Every field of the type has a place in a post; linked tags become tags, and no collection."""
    post = _entry(
        "p1",
        "blogPost",
        title="Slack",
        slug="slack",
        body="**Text**",
        publishDate="2019-03-04",
        heroImage=_link("a1", "Asset"),
        tags=[_link("t1")],
    )
    _import(tmp_path, [POST, TAG], [post, _entry("t1", "tag", title="Sea", slug="sea")], [ASSET])
    found = read_front_matter(tmp_path / "site/content/posts/slack.md")
    assert (found.data["title"], found.data["tags"], found.data["featured_image_alt"]) == ("Slack", ["Sea"], "A boat")
    assert found.data["published"].startswith("2019-03-04")
    assert found.body.strip() == "**Text**"
    assert not (tmp_path / "site/schema").exists()
    authors: Any = read_yaml(tmp_path / "site/content/authors.yaml")
    assert [author["slug"] for author in authors] == [found.data["author"]]


def test_other_types_become_page_types_and_collections(tmp_path: Path) -> None:
    """A slug makes pages, everything else items; links become references, lists and choices keep their form."""
    people = {"type": "Link", "linkType": "Entry", "validations": [{"linkContentType": ["person"]}]}
    page = _type(
        "landingPage",
        _field("title", required=True),
        _field("slug"),
        _field("tone", validations=[{"in": ["calm", "wild"]}]),
        _field("team", "Array", items=people),
        _field("words", "Array", items={"type": "Symbol"}),
        _field("text", "RichText"),
        _field("image", "Link", linkType="Asset"),
    )
    person = _type("person", _field("name", required=True), _field("age", "Integer"), label="name")
    document = {
        "nodeType": "document",
        "content": [{"nodeType": "paragraph", "content": [{"nodeType": "text", "value": "Hi"}]}],
    }
    entries = [
        _entry(
            "l1",
            "landingPage",
            title="Home",
            slug="home",
            tone="calm",
            team=[_link("q1")],
            words=["a", "b"],
            text=document,
            image=_link("a1", "Asset"),
        ),
        _entry("q1", "person", name="Ann", age=40),
    ]
    _import(tmp_path, [page, person], entries, [ASSET])
    site = tmp_path / "site"
    declared: Any = read_yaml(site / "schema/page_types/landing-page.yaml")
    fields = {field["slug"]: field for field in declared["fields"]}
    assert [field["type"] for field in declared["fields"]] == [
        "dropdown", "reference", "repeater", "wysiwyg", "media",
    ]  # fmt: skip
    assert fields["team"]["targets"] == ["person"]
    collection: Any = read_yaml(site / "schema/collections/person.yaml")
    assert (collection["key"], collection["label"]) == ("person", "name")
    items: Any = read_yaml(site / "content/collections/person.yaml")
    written: Any = read_yaml(site / "content/pages/landing-page/home.yaml")
    shown = written["fields"].get("en", written["fields"])
    assert shown["team"] == [items[0]["id"]]
    assert shown["words"] == [{"value": "a"}, {"value": "b"}]
    assert shown["text"] == "<p>Hi</p>"
    assert shown["tone"] == "calm"


def test_drafts_and_changes_after_publication(tmp_path: Path) -> None:
    """Only what readers could see is published; the newest version of a changed entry is a draft, with a line."""
    facts = {"title": "T", "body": "b"}
    entries = [
        _entry("p1", "blogPost", (5, 1), slug="changed", **facts),
        _entry("p2", "blogPost", (1, None), slug="draft", **facts),
        _entry("p3", "blogPost", slug="live", **facts),
    ]
    report = _import(tmp_path, [POST], entries)
    states = {
        path.stem: read_front_matter(path).data["status"] for path in (tmp_path / "site/content/posts").glob("*.md")
    }
    assert states == {"changed": "draft", "draft": "draft", "live": "published"}
    assert "changed after its publication" in _notes(report)


def test_locales_of_a_page(tmp_path: Path) -> None:
    """A page with a value in another locale has it there too."""
    page = _type("guide", _field("title", localized=True), _field("slug"), _field("note", localized=True))
    entry = _entry("g1", "guide", title={"en": "One", "es": "Uno"}, slug="one", note={"en": "n", "es": "ñ"})
    _import(tmp_path, [page], [entry])
    found: Any = read_yaml(tmp_path / "site/content/pages/guide/one.yaml")
    assert {locale: fields["note"] for locale, fields in found["fields"].items()} == {"en": "n", "es": "ñ"}


def test_rich_text_as_html() -> None:
    """Marks, lists, tables, links to entries and assets; unknown nodes are reported and keep their text."""

    def text(value: str, *marks: str) -> Row:
        return {"nodeType": "text", "value": value, "marks": [{"type": mark} for mark in marks]}

    def node(kind: str, *content: Row, **data: Any) -> Row:
        return {"nodeType": kind, "content": list(content), "data": data}

    document = node(
        "document",
        node("heading-2", text("H <")),
        node("paragraph", text("bold", "bold"), node("hyperlink", text("out"), uri="https://a.example/?a=1&b=2")),
        node("unordered-list", node("list-item", node("paragraph", text("one")))),
        node("embedded-asset-block", target=_link("a1", "Asset")),
        node("embedded-entry-block", target=_link("p1")),
        node("novelty", text("kept")),
        node("embedded-entry-block", target=_link("gone")),
    )
    known = {("Asset", "a1"): ("media:a1", "Alt"), ("Entry", "p1"): ("entry:p1", "Post")}
    unknown: list[str] = []
    html = RichText(lambda kind, target: known.get((kind, target)), unknown.append).html(document)
    assert "<h2>H &lt;</h2>" in html
    assert '<p><strong>bold</strong><a href="https://a.example/?a=1&amp;b=2">out</a></p>' in html
    assert "<ul><li>one</li></ul>" in html
    assert '<figure><img src="media:a1" alt="Alt"></figure>' in html
    assert '<p><a href="entry:p1">Post</a></p>' in html
    assert "kept" in html
    assert unknown == ["novelty", "link to content that is not in the export"]


@pytest.mark.parametrize(("name", "key"), [("blogPost", "blog-post"), ("FAQ", "faq"), ("home page", "home-page")])
def test_names_of_types(name: str, key: str) -> None:
    """Ids become keys in lower case."""
    assert kebab(name) == key


def test_export_without_a_content_model_is_refused(tmp_path: Path) -> None:
    """The error says how to export it."""
    (tmp_path / "export.json").write_text('{"entries": [{"sys": {"contentType": {}}}]}')
    with pytest.raises(InvalidRequest, match="content model"):
        import_site(tmp_path / "site", [str(tmp_path / "export.json")], ImportOptions(media=OFFLINE))


def test_lists_of_items_load(tmp_path: Path) -> None:
    """Lists of texts, of files and of links in entries without a slug, which become a collection."""
    files = _field("photos", "Array", items={"type": "Link", "linkType": "Asset"})
    words = _field("words", "Array", items={"type": "Symbol"})
    kind = _type("job", _field("title"), words, files, _field("facts", "Object"))
    entry = _entry("e1", "job", title="Pilot", words=["tide", "moon"], photos=[_link("a1", "Asset")], facts={"a": 1})
    (tmp_path / "export.json").write_text(json.dumps(_export([kind], [entry], [ASSET])))
    import_and_build(tmp_path / "site", tmp_path / "export.json")
    items: Any = read_yaml(tmp_path / "site/content/collections/job.yaml")
    assert items[0]["fields"]["words"] == [{"value": "tide"}, {"value": "moon"}]


@pytest.mark.parametrize(
    "kind",
    [
        _type("job", _field("title"), _field("meta")),
        _type("job", _field("title"), _field("gone", omitted=True), label="gone"),
        _type("job", _field("title"), label="nothing"),
        _type("job", _field("count", "Integer"), label=""),
        _type("search", _field("title"), _field("slug")),
        _type("meta", _field("meta"), label="meta"),
        _type("job", _field("title"), _field("next", "Link", linkType="Entry")),
        _type("job", _field("title"), _field("kind", validations=[{"in": ["a", "a", ""]}])),
        _type("job", _field("title"), _field("kind", validations=[{"in": []}])),
        _type("job", _field("title"), _field("kind", validations=[{"in": ["b"]}])),
        _type("job", _field("title"), _field("count", "Integer", validations=[{"in": [1, 3]}])),
    ],
)
def test_any_content_type_loads(tmp_path: Path, kind: Row) -> None:
    """Also where its names are names of this system, or its label is not a field that readers see."""
    entries = [_entry("e1", kind["sys"]["id"], title="One", meta="x", slug="one", count=3, kind="a")]
    (tmp_path / "export.json").write_text(json.dumps(_export([kind], entries, [])))
    import_and_build(tmp_path / "site", tmp_path / "export.json")


def test_values_that_are_older_than_the_rules_of_their_field_stay(tmp_path: Path) -> None:
    """Contentful checks its rules at the next edit alone: what entries have is a choice, and may be linked to."""
    rules = {"type": "Link", "linkType": "Entry", "validations": [{"linkContentType": ["person"]}]}
    tone = _field("tone", validations=[{"in": ["calm"]}])
    page = _type("guide", _field("title"), _field("slug"), tone, _field("friends", "Array", items=rules))
    person = _type("person", _field("name"), _field("words", "Array", items={"type": "Symbol"}), label="name")
    post = _entry("p1", "blogPost", title="Slack", slug="slack", body="Text")
    guide = _entry("g1", "guide", title="One", slug="one", tone="wild", friends=[_link("g2"), _link("p1"), _link("q1")])
    entries = [
        post,
        guide,
        _entry("g2", "guide", title="Two", slug="two"),
        _entry("q1", "person", name="A", words=["b"]),
    ]
    report = _import(tmp_path, [POST, page, person], entries)
    build(tmp_path / "site")
    found: Any = read_yaml(tmp_path / "site/content/pages/guide/one.yaml")
    people: Any = read_yaml(tmp_path / "site/content/collections/person.yaml")
    assert found["fields"]["tone"] == "wild"
    assert found["fields"]["friends"] == ["two", people[0]["id"]]
    assert people[0]["fields"]["words"] == [{"value": "b"}]
    assert "reference to a post, which no field can hold" in _notes(report)
