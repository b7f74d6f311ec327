"""Page types and collections whose entries have categories, tags and a featured picture, as posts have."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from sitecms.actions.editing import names
from sitecms.actions.editing.edited import EditContext
from sitecms.actions.exporting.export import export_site
from sitecms.actions.loading import load_site
from sitecms.content.fingerprint import revision_of
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Version
from sitecms.content.term import TermKind
from sitecms.documents import read_front_matter
from sitecms.site.export.run import export_to
from sitecms.store.database import Session
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.terms import find_terms, visible_terms
from sitecms.store.entries.versions import VERSIONS
from tests.support.newsroom import Newsroom
from tests.support.sites import ExampleSite

PAGE, ITEM = EntryKind.PAGE, EntryKind.ITEM
AT = "2026-01-01T08:00:00Z"
PICTURE = {"url": "media/sea.png", "alt": "The sea"}
DECLARED = {"terms": ["categories", "tags"], "featured_image": True}
FIELDS = [{"slug": "name", "name": "Name", "type": "short_text"}, {"slug": "text", "name": "Text", "type": "long_text"}]
TOP = {"categories": ["Boats"], "tags": ["Knot", "ropes"], "featured_image": PICTURE}


class Place(NamedTuple):
    """Where an entry of a kind stands: its file, the name that requests have for it, its type, and its address."""

    kind: EntryKind
    file: str
    name: str
    type: str
    url: str


PLACES = {
    PAGE: Place(PAGE, "content/pages/boat/gig.yaml", "gig", "boat", "boat/gig/index.html"),
    ITEM: Place(ITEM, "content/collections/crew.yaml", "7", "crew", "crew/gig/index.html"),
}


def declare(site: ExampleSite, **declared: object) -> None:
    """Declare the page type and the collection."""
    site.write("schema/page_types/boat.yaml", {"name": "Boats", **declared, "fields": FIELDS})
    route = {"label": "name", "route": "/crew/{slug}/"}
    site.write("schema/collections/crew.yaml", {"name": "Crew", **route, **declared, "fields": FIELDS})


def write(site: ExampleSite, place: Place, facts: dict[str, Any], fields: dict[str, Any] | None = None) -> None:
    """Write the file of the entry."""
    entry = {"status": "published", "published": AT, **facts, "fields": {"name": "Gig", **(fields or {})}}
    site.write(place.file, {"title": "Gig", **entry} if place.kind is PAGE else [{"id": 7, **entry}])


def id_of(session: Session, place: Place) -> int:
    """Return the id of the entry."""
    return (find_named(session, EntryKind.PAGE, place.type, place.name) or 0) if place.kind is PAGE else int(place.name)


def stored(site: ExampleSite, place: Place, version: Version = Version.LIVE, locale: str = "en") -> Any:
    """Return the stored fields of a version."""
    with site.database.reading() as session:
        found = VERSIONS[place.kind].of(session, (id_of(session, place),))
    return next(each.fields for each in found if (each.version, each.locale) == (version, locale))


def terms_of(site: ExampleSite, kind: TermKind = TermKind.TAG) -> list[str]:
    """Return the names of the terms of a kind that readers see."""
    return sorted(term.name for term in site.database.read(visible_terms, kind))


@pytest.fixture(params=PLACES, ids=str)
def place(request: pytest.FixtureRequest, example: ExampleSite) -> Place:
    """An entry of each kind with terms and a picture, not loaded yet."""
    declare(example, **DECLARED)
    found = PLACES[request.param]
    write(example, found, TOP)
    return found


@pytest.fixture
def newsroom(example: ExampleSite, place: Place) -> Newsroom:
    """The site, loaded, and writes to it."""
    del place
    example.load()
    return Newsroom(example)


def update(newsroom: Newsroom, place: Place, fields: dict[str, Any], locale: str = "", **more: object) -> None:
    """Change fields through the API."""
    newsroom.update(place.kind, place.name, {"fields": fields, **more}, type_=place.type, locale=locale)


def test_keys_at_the_top_are_fields_as_if_they_stood_among_them(example: ExampleSite, place: Place) -> None:
    """Names are kept as they are spelt; missing terms are created, known ones found whatever their case."""
    example.load()
    before = stored(example, place)
    assert (before["categories"], before["tags"]) == (["Boats"], ["Knot", "ropes"])
    assert before["featured_image"]["alt"] == "The sea"
    assert "Knot" in terms_of(example)
    write(example, place, {}, TOP)
    example.load()
    assert stored(example, place) == before
    write(example, place, {"tags": ["KNOT", "Ropes", "knot"]})
    example.load()
    assert stored(example, place)["tags"] == ["KNOT", "Ropes"]
    assert [term.name for term in example.database.read(find_terms, TermKind.TAG)] == ["moon", "ropes", "KNOT"]


@pytest.mark.parametrize(("key", "line"), [("tags", "terms: [tags]"), ("featured_image", "featured_image: true")])
def test_a_key_that_the_type_does_not_declare_is_an_error(
    example: ExampleSite, place: Place, key: str, line: str
) -> None:
    """It names the line and what to declare; a field of the same name stands under `fields`."""
    declare(example)
    write(example, place, {key: TOP[key]})
    (error,) = load_site(example.database, example.settings, example.now).errors
    owner, folder = ("the page type boat", "page_types/boat") if place.kind is PAGE else (
        "the collection crew", "collections/crew"
    )  # fmt: skip
    assert (error.problem, error.remedy) == (f"is not a key of {owner}", f'declare "{line}" in schema/{folder}.yaml')
    text = (example.folder / place.file).read_text("utf-8").split("\n")
    assert error.line is not None
    assert f'"{key}"' in text[error.line - 1]
    own = {"slug": key, "type": "long_text"}
    for kind in ("page_types/boat", "collections/crew"):
        example.write(f"schema/{kind}.yaml", {"label": "name", "fields": [*FIELDS, own]} if "crew" in kind else {
            "fields": [*FIELDS, own]
        })  # fmt: skip
    (error,) = load_site(example.database, example.settings, example.now).errors
    assert error.remedy == 'write it under "fields"'


def test_errors_of_values_at_the_top_name_their_line(example: ExampleSite, place: Place) -> None:
    """A name without an address, and a key that stands twice."""
    write(example, place, {"tags": ["!!!"]})
    (error,) = load_site(example.database, example.settings, example.now).errors
    text = (example.folder / place.file).read_text("utf-8").split("\n")
    assert "from which no address can be made" in error.problem
    assert error.line is not None
    assert "!!!" in "".join(text[error.line - 1 : error.line + 1])
    write(example, place, {"tags": ["a"]}, {"tags": ["b"]})
    (error,) = load_site(example.database, example.settings, example.now).errors
    assert (error.problem, error.remedy) == ('is also given under "fields"', "keep one of them")


def test_a_field_of_a_declared_name_is_an_error(example: ExampleSite) -> None:
    """The declaration has a field of that name already."""
    fields = [*FIELDS, {"slug": "tags", "type": "short_text"}]
    example.write("schema/page_types/boat.yaml", {"terms": ["tags"], "fields": fields})
    with pytest.raises(Exception, match=r'is "tags", which "terms" declares already') as caught:
        load_site(example.database, example.settings, example.now)
    assert "schema/page_types/boat.yaml" in str(caught.value)


def test_changes_through_the_api_are_written_at_the_top(newsroom: Newsroom, place: Place) -> None:
    """As in the file of a post; all else stays, and a clone builds the same."""
    update(newsroom, place, {"tags": [{"name": "Knot", "slug": "knot"}, "Sail"]})
    newsroom.sync()
    text = (newsroom.folder / place.file).read_text("utf-8")
    assert 0 < text.index("Sail") < text.index('"fields": {\n')
    update(newsroom, place, {"categories": [], "featured_image": ""})
    newsroom.sync()
    text = (newsroom.folder / place.file).read_text("utf-8")
    assert "categories" not in text
    assert "featured_image" not in text
    newsroom.check_clone("clone")


def test_terms_of_file_and_api_are_merged_by_field(newsroom: Newsroom, place: Place) -> None:
    """What one side changed stays; where both changed the tags, the file wins and the load says so."""
    update(newsroom, place, {"tags": ["Sail"]})
    write(newsroom.site, place, {**TOP, "categories": ["Tides"]})
    report = newsroom.site.load()
    assert (stored(newsroom.site, place)["tags"], stored(newsroom.site, place)["categories"]) == (["Sail"], ["Tides"])
    assert report.conflicts == ()
    newsroom.sync()
    update(newsroom, place, {"tags": ["Oar"]})
    write(newsroom.site, place, {**TOP, "tags": ["Mast"], "categories": ["Tides"]})
    report = newsroom.site.load()
    assert stored(newsroom.site, place)["tags"] == ["Mast"]
    (conflict,) = report.conflicts
    assert (conflict.field.rpartition(".")[2], conflict.line is not None) == ("tags", True)


def test_a_locale_may_have_terms_of_its_own(newsroom: Newsroom, place: Place) -> None:
    """A value of all locales stands at the top, others among the fields."""
    site, both = newsroom.site, {"en": {"name": "Gig"}, "es": {"name": "Gigue"}}
    site.write(place.file, {"title": "Gig", "status": "published", "published": AT, "tags": ["Knot"], "fields": both}
               if place.kind is PAGE else [{"id": 7, "published": AT, "tags": ["Knot"], "fields": both}])  # fmt: skip
    site.load()
    assert stored(site, place)["tags"] == stored(site, place, locale="es")["tags"] == ["Knot"]
    update(newsroom, place, {"tags": ["Nudo"]}, "es")
    newsroom.sync()
    site.load()
    assert (stored(site, place)["tags"], stored(site, place, locale="es")["tags"]) == (["Knot"], ["Nudo"])
    assert newsroom.open_changes() == ()


def test_the_site_shows_terms_and_picture(example: ExampleSite, place: Place) -> None:
    """On its page, in the archives of the terms, in the lists of all terms, and as picture of its cards."""
    example.settings_are(share_images={"enabled": True})
    example.make()
    page = example.text(place.url)
    for link in ('href="/tags/knot/"', 'href="/tags/ropes/"', 'href="/categories/boats/"', 'alt="The sea"'):
        assert link in page
    with_image = page[page.index('property="og:image"') :][:200]
    archive, both = example.text("tags/knot/index.html"), example.text("tags/ropes/index.html")
    address = f"/{place.url.removesuffix('index.html')}"
    for text in (archive, both, example.text("categories/boats/index.html")):
        assert f'href="{address}">Gig' in text
    assert 'alt="The sea"' in archive
    assert "Drift" in both
    assert "/media/" in with_image
    assert "Knot (1)" in example.text("tags/index.html")
    assert "ropes (3)" in example.text("tags/index.html")
    assert not (example.public / "tags/knot/rss.xml").exists()
    template = '{% for page in pages(tag="knot") %}<p>{{ page.title }}, {{ page.tags|length }}</p>{% endfor %}'
    example.write("templates/parts/footer.html", template)
    example.make()
    listed = example.text("index.html").count("<p>Gig, 2</p>")
    assert listed == (place.kind is PAGE)
    assert example.clean_tree() == example.tree()


def test_a_draft_keeps_its_terms_to_itself(newsroom: Newsroom, place: Place) -> None:
    """Readers see the terms of what is published; those of drafts alone are no terms for them."""
    update(newsroom, place, {"tags": ["Hidden"]}, status="draft")
    assert stored(newsroom.site, place, Version.DRAFT)["tags"] == ["Hidden"]
    assert stored(newsroom.site, place)["tags"] == ["Knot", "ropes"]
    assert terms_of(newsroom.site) == ["Knot", "moon", "ropes"]
    update(newsroom, place, {}, status="published")
    assert "Hidden" in terms_of(newsroom.site)


def test_a_renamed_term_is_renamed_in_all_that_have_it(newsroom: Newsroom, place: Place) -> None:
    """In fields and files, with the old address as alias."""
    site = newsroom.site
    context = EditContext(newsroom.context, newsroom.editor)
    term = site.database.read(names.get_term, TermKind.TAG, "knot")
    names.save_term(context, TermKind.TAG, "knot", ("Bend", "bend"), revision_of(term))
    assert stored(site, place)["tags"] == ["Bend", "ropes"]
    newsroom.sync()
    site.make()
    assert 'href="https://tide.example/tags/bend/"' in site.text("tags/knot/index.html")
    assert "Bend" in (newsroom.folder / place.file).read_text("utf-8")
    report = site.load()
    assert (report.notes, terms_of(site)) == ((), ["Bend", "moon", "ropes"])
    term = site.database.read(names.get_term, TermKind.TAG, "bend")
    with pytest.raises(Exception, match="1 entry names Bend"):
        names.delete_term(context, TermKind.TAG, "bend", revision_of(term))


def test_an_entry_in_the_trash_comes_back_with_its_terms(newsroom: Newsroom, place: Place) -> None:
    """And is in no archive meanwhile."""
    entry_id = newsroom.database.read(id_of, place)
    newsroom.delete(place.kind, place.name, place.type)
    assert terms_of(newsroom.site) == ["moon", "ropes"]
    newsroom.restore(place.kind, entry_id)
    assert stored(newsroom.site, place)["tags"] == ["Knot", "ropes"]
    assert terms_of(newsroom.site) == ["Knot", "moon", "ropes"]


def test_a_declaration_that_comes_or_goes_relates_what_is_stored(newsroom: Newsroom, place: Place) -> None:
    """Also of an entry that no file changes."""
    declare(newsroom.site, featured_image=True)
    write(newsroom.site, place, {})
    newsroom.site.load()
    assert terms_of(newsroom.site) == ["moon", "ropes"]
    declare(newsroom.site, **DECLARED)
    newsroom.site.load()
    update(newsroom, place, {"tags": ["Oar"]})
    assert terms_of(newsroom.site) == ["Oar", "moon", "ropes"]


def test_an_export_loads_as_it_was(newsroom: Newsroom, place: Place, tmp_path: Path) -> None:
    """With the declarations."""
    site, target = newsroom.site, tmp_path / "exported"
    export_site(site.database, site.settings, target)
    copy = ExampleSite(target)
    copy.write("site.toml", (site.folder / "site.toml").read_text("utf-8"))
    copy.load()
    before, after = stored(site, place), stored(copy, place)
    assert {**after, "featured_image": None} == {**before, "featured_image": None}
    assert after["featured_image"]["alt"] == "The sea"
    assert terms_of(copy) == terms_of(site)
    text = (target / place.file).read_text("utf-8")
    assert text.index("tags:") < text.index("fields:")


def test_equal_schemas_are_equal_as_data(example: ExampleSite, place: Place) -> None:
    """What is declared by name stands in the data once."""
    del place
    example.load()
    from sitecms.content.schema import ContentSchema
    from sitecms.store.site_state.documents import load_content_schema

    schema = example.database.read(load_content_schema)
    data: Any = schema.as_json()
    assert ContentSchema.from_json(data) == schema
    (boat,) = [each for each in data["page_types"] if each["slug"] == "boat"]
    assert [each["slug"] for each in boat["fields"]] == ["name", "text"]
    assert replace(schema.page_type("boat"), fields=()).terms == ("categories", "tags")


def test_other_formats_have_terms_and_picture(example: ExampleSite, place: Place, tmp_path: Path) -> None:
    """As those of posts: taxonomies and images of Hugo, categories and a thumbnail of WordPress."""
    example.load()
    export_to("wxr", example.database, example.settings, tmp_path / "wxr")
    text = "".join(path.read_text("utf-8") for path in (tmp_path / "wxr").glob("*.xml"))
    (item,) = [
        part for part in text.split("<item>") if "<wp:post_name>" in part and "gig" in part.split("wp:status")[0]
    ]
    assert 'domain="post_tag" nicename="knot"' in item
    assert "_thumbnail_id" in item
    if place.kind is PAGE:
        export_to("hugo", example.database, example.settings, tmp_path / "hugo")
        (file,) = (tmp_path / "hugo/content").rglob("gig*.html")
        data = read_front_matter(file, file.name).data
        assert (data["tags"], data["categories"]) == (["Knot", "ropes"], ["Boats"])
        assert (tmp_path / "hugo/static" / data["images"][0].lstrip("/")).is_file()
