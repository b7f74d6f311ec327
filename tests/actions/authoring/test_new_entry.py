"""New content files: they load as they are made, whatever the schema asks for."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.actions.authoring.new_entry import NewPage, NewPost, new_page, new_post
from sitecms.actions.loading import LoadReport, load_site
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.documents import read_front_matter, read_yaml
from sitecms.errors import Conflict, InvalidRequest, SitecmsError
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.opening import open_database

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIELD_OF_EVERY_TYPE: list[dict[str, Any]] = [
    {"slug": "short", "type": "short_text", "min_length": 40, "max_length": 41, "help": "First: # of two\nlines"},
    {"slug": "long", "type": "long_text", "name": "1. *Marked*: <up>", "max_length": 3},
    {"slug": "rich", "type": "wysiwyg", "min_length": 12},
    {"slug": "markup", "type": "html", "name": "A & B", "max_length": 5},
    {"slug": "amount", "type": "number"},
    {"slug": "day", "type": "date"},
    {"slug": "mood", "type": "dropdown", "options": [{"value": "no: yes", "label": "No #"}, {"value": "b"}]},
    {"slug": "flag", "type": "checkbox"},
    {"slug": "tint", "type": "color"},
    {"slug": "picture", "type": "media"},
    {"slug": "one", "type": "reference", "targets": ["team"], "translatable": False},
    {"slug": "other", "type": "reference", "targets": ["team", "page:other"]},
    {"slug": "several", "type": "reference", "targets": ["page:other"], "many": True, "min_length": 1},
    {"slug": "part", "type": "component", "component": "hero"},
    {"slug": "parts", "type": "component_picker", "components": ["hero", "bare"], "min_length": 2},
    {"slug": "rows", "type": "repeater", "min_length": 3, "fields": [
        {"slug": "flag", "type": "checkbox"}, {"slug": "text", "type": "short_text", "required": True}]},
]  # fmt: skip
HERO: list[dict[str, Any]] = [
    {"slug": "title", "type": "short_text", "required": True},
    {"slug": "image", "type": "media", "required": True},
    {"slug": "rows", "type": "repeater", "required": True, "fields": [{"slug": "a", "type": "number"}]},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A site with a page type that has a field of every type, all required, and one in which none is."""
    files: dict[str, object] = {
        "site.toml": 'name = "Tide"\nlocales = ["en", "es"]\nowner = "ann-ray"\n',
        "schema/page_types/full.yaml": {"fields": [{**field, "required": True} for field in FIELD_OF_EVERY_TYPE]},
        "schema/page_types/free.yaml": {"fields": FIELD_OF_EVERY_TYPE},
        "schema/page_types/other.yaml": {"fields": [{"slug": "text", "type": "short_text"}]},
        "schema/components/hero.yaml": {"fields": HERO},
        "schema/components/bare.yaml": {"fields": [{"slug": "text", "type": "long_text"}]},
        "schema/collections/team.yaml": {"label": "name", "fields": [{"slug": "name", "type": "short_text"}]},
        "content/authors.yaml": [{"slug": "ann-ray", "email": "ann@tide.example"}],
        "content/collections/team.yaml": [{"fields": {"en": {"name": 'Ann "A" Ray'}}}],
        "content/pages/other/first.yaml": {"title": "First", "fields": {}},
    }
    for name, content in files.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return tmp_path / "site"


@pytest.fixture
def sample(repo: Path, tmp_path: Path) -> SiteSettings:
    """A copy of the sample site."""
    shutil.copytree(repo / "sample_site", tmp_path / "sample", ignore=shutil.ignore_patterns(".sitecms", "public"))
    return load_settings(tmp_path / "sample")


def load(settings: SiteSettings) -> LoadReport:
    database = open_database(settings.store_path, create=True)
    try:
        return load_site(database, settings, AT)
    finally:
        database.close()


@pytest.mark.parametrize("page_type", ["full", "free", "other", ""])
@pytest.mark.parametrize("locales", [(), ("es",), ("en", "es")])
def test_page_of_every_field_type_loads(folder: Path, page_type: str, locales: tuple[str, ...]) -> None:
    """Every field stands in the file, and loading finds no error, whatever is required."""
    settings = load_settings(folder)
    made = new_page(settings, NewPage("Two tides", page_type, locales=locales), AT)
    assert made.notes == ()
    report = load(settings)
    assert report.errors == ()
    assert made.path.relative_to(folder).as_posix() in report.loaded
    text = made.path.read_text(encoding="utf-8")
    declared = FIELD_OF_EVERY_TYPE if page_type in ("full", "free") else []
    assert [field["slug"] for field in declared if f"  {field['slug']}:" not in text] == []


@pytest.mark.parametrize(
    ("field", "ending"),
    [
        ({"slug": "body", "type": "long_text", "required": True}, ".md"),
        ({"slug": "body", "type": "wysiwyg"}, ".md"),
        ({"slug": "body", "type": "short_text"}, ".yaml"),
        ({"slug": "body", "type": "long_text", "min_length": 200}, ".yaml"),
        ({"slug": "text", "type": "long_text"}, ".yaml"),
    ],
)
def test_a_page_with_a_body_is_markdown(folder: Path, field: dict[str, object], ending: str) -> None:
    """As a Single Page is: its other fields stand above the text. It loads, published at once."""
    (folder / "schema/page_types/chapter.yaml").write_text(
        json.dumps({"fields": [{"slug": "summary", "type": "short_text"}, field]}), encoding="utf-8"
    )
    settings = load_settings(folder)
    made = new_page(settings, NewPage("Two tides", "chapter", published=True), AT)
    assert made.path.suffix == ending
    assert load(settings).errors == ()
    if ending == ".md":
        front = read_front_matter(made.path)
        assert front.body.startswith("Write here")
        assert "body" not in str(front.data)


@pytest.mark.parametrize("page_type", ["landing-page", "guide", ""])
@pytest.mark.parametrize("published", [False, True])
def test_pages_of_the_sample_site_load(sample: SiteSettings, page_type: str, published: bool) -> None:
    """New pages load as drafts, or published if requested."""
    made = new_page(sample, NewPage("Wading birds", page_type, published=published), AT)
    assert load(sample).errors == ()
    database = open_database(sample.store_path)
    with database.reading() as session:
        page_id = find_named(session, EntryKind.PAGE, page_type, "wading-birds")
        assert page_id
        statuses = {version.status for version in VERSIONS[EntryKind.PAGE].of(session, (page_id,))}
    database.close()
    assert statuses == {Status.PUBLISHED if published else Status.DRAFT}
    assert made.path.is_file()


def test_page_loads_where_everything_is_only_in_the_store(folder: Path) -> None:
    """Items and pages that no file has any more can be named too."""
    settings = load_settings(folder)
    load(settings)
    (folder / "content/collections/team.yaml").unlink()
    (folder / "content/pages/other/first.yaml").unlink()
    assert new_page(settings, NewPage("Two tides", "full"), AT).notes == ()
    assert load(settings).errors == ()


def test_required_reference_to_nothing_is_said(folder: Path) -> None:
    """Where there is no item yet, the file is made and the field named that cannot be filled in."""
    (folder / "content/collections/team.yaml").unlink()
    made = new_page(load_settings(folder), NewPage("Two tides", "full"), AT)
    assert made.notes == ("one: is required, and there is nothing in team yet that it could name",)


def test_post_loads_with_every_key(folder: Path) -> None:
    """A draft of the owner, with each key that front matter may have."""
    settings = load_settings(folder)
    made = new_post(settings, NewPost('Tide: "high" #1'), AT)
    assert made.path == folder / "content/posts/tide-high-1.md"
    report = load(settings)
    assert (report.errors, report.notes) == ((), ())
    data = read_front_matter(made.path).data
    assert (data["title"], data["author"], data["status"]) == ('Tide: "high" #1', "ann-ray", "draft")
    schema = json.loads((Path(__file__).parents[3] / "content_schema/post.schema.json").read_text(encoding="utf-8"))
    own = {key for key, rule in schema["properties"].items() if "aliasOf" not in rule}
    assert own - data.keys() == {"id", "updated", "adopt", "fields"}


def test_post_has_the_fields_that_the_site_declares(folder: Path) -> None:
    """Each below its comment; a required one has a value that loads."""
    (folder / "schema/post.yaml").write_text(
        "fields:\n- {slug: rating, type: number, required: true}\n- {slug: kicker, type: short_text}\n"
    )
    settings = load_settings(folder)
    made = new_post(settings, NewPost("High water"), AT)
    assert "  # Rating" in made.path.read_text()
    assert load(settings).errors == ()
    assert read_front_matter(made.path).data["fields"].keys() == {"rating", "kicker"}


def test_the_only_author_is_the_author(folder: Path) -> None:
    """Where site.toml names no owner; with two authors one has to be named."""
    settings = replace(load_settings(folder), owner="")
    data = read_front_matter(new_post(settings, NewPost("One"), AT).path).data
    assert data["author"] == "ann-ray"
    (folder / "content/authors.yaml").write_text('[{"slug": "ann-ray"}, {"slug": "bo"}]', encoding="utf-8")
    with pytest.raises(InvalidRequest, match=r"names no owner; name one with --author; there are: ann-ray, bo"):
        new_post(settings, NewPost("Two"), AT)


def test_translation_begins_like_its_original(sample: SiteSettings) -> None:
    """It has author, terms and picture of its original, the folder of its locale, and joins its locale group."""
    original = read_front_matter(sample.folder / "content/posts/frost-hollows.md").data
    made = new_post(sample, NewPost("Hondonadas", locale="es", translation_of="frost-hollows", published=True), AT)
    assert made.path == sample.folder / "content/posts/es/hondonadas.md"
    data = read_front_matter(made.path).data
    for name in ("author", "categories", "tags", "featured_image"):
        assert data[name] == original[name]
    assert load(sample).errors == ()
    database = open_database(sample.store_path)
    with database.reading() as session:
        ids = [find_named(session, EntryKind.POST, "", slug) or 0 for slug in ("hondonadas", "frost-hollows")]
        first, second = (VERSIONS[EntryKind.POST].get(session, each) for each in ids)
    database.close()
    assert first.group_id == second.group_id


@pytest.mark.parametrize(
    "asked",
    [
        NewPost("???"),
        NewPost(" "),
        NewPost("Two\nlines"),
        NewPost("Tide", slug="Not A Slug"),
        NewPost("Tide", locale="fr"),
        NewPost("Tide", author="nobody"),
        NewPost("Tide", locale="es", translation_of="missing"),
        NewPost("Tide", translation_of="frost-hollows"),
        NewPost("Tide", locale="es", translation_of="reading-fog"),
        NewPost("Frost hollows"),
        NewPost("Reading fog", slug="reading-fog", locale="es"),
        NewPage("Tide", "guidee"),
        NewPage("Tide", locales=("fr",)),
        NewPage("Home", "landing-page"),
        NewPage("About"),
        NewPage("x" * 201),
    ],
)
def test_what_cannot_be_made_changes_nothing(sample: SiteSettings, asked: NewPost | NewPage) -> None:
    """Wrong names and taken ones are refused, with nothing written."""
    before = {path: path.read_bytes() for path in sample.folder.rglob("*") if path.is_file()}
    with pytest.raises((InvalidRequest, Conflict)) as refused:
        new_post(sample, asked, AT) if isinstance(asked, NewPost) else new_page(sample, asked, AT)
    assert isinstance(refused.value, SitecmsError)
    assert {path: path.read_bytes() for path in sample.folder.rglob("*") if path.is_file()} == before


def test_page_of_the_store_is_not_made_again(folder: Path) -> None:
    """A page that the API made has no file; its slug is taken all the same."""
    settings = load_settings(folder)
    load(settings)
    (folder / "content/pages/other/first.yaml").unlink()
    with pytest.raises(Conflict):
        new_page(settings, NewPage("First", "other"), AT)


def test_single_page_is_markdown(folder: Path) -> None:
    """Its body stands below the front matter; in several locales it is YAML."""
    settings = load_settings(folder)
    assert read_front_matter(new_page(settings, NewPage("About"), AT).path).body.startswith("Write here")
    data: Any = read_yaml(new_page(settings, NewPage("Both", locales=("en", "es")), AT).path)
    assert set(data["fields"]) == {"en", "es"}
    assert load(settings).errors == ()


@pytest.mark.parametrize(("zone", "day"), [("America/New_York", "2026-02-28"), ("Pacific/Kiritimati", "2026-03-01")])
def test_times_of_new_files_are_those_of_the_site(folder: Path, zone: str, day: str) -> None:
    """The day that its clocks show, with the offset; a required date has none, and stays when it is loaded."""
    site = folder / "site.toml"
    site.write_text(f'timezone = "{zone}"\n{site.read_text("utf-8")}', encoding="utf-8")
    dated = {"slug": "dated", "fields": [{"slug": "day", "type": "date", "required": True}]}
    (folder / "schema/page_types/dated.yaml").write_text(json.dumps(dated), encoding="utf-8")
    settings, late = load_settings(folder), datetime(2026, 3, 1, 2, 30, 15, 900, tzinfo=UTC)
    made = new_page(settings, NewPage("Two tides", "dated", published=True), late)
    data: Any = read_yaml(made.path)
    local = late.astimezone(settings.zone).replace(microsecond=0)
    assert (data["published"], data["created"]) == (local.isoformat(), local.isoformat())
    assert data["published"].startswith(day)
    assert data["fields"]["day"] == local.replace(tzinfo=None).isoformat()
    load(settings)
    database = open_database(settings.store_path)
    with database.reading() as session:
        (version,) = VERSIONS[EntryKind.PAGE].of(
            session, (find_named(session, EntryKind.PAGE, "dated", "two-tides") or 0,)
        )
    database.close()
    assert (version.published_at, version.fields["day"]) == (local, data["fields"]["day"])
