"""Items of collections may have every field that pages have: files, pages, search and export."""

import pytest

from sitecms.actions.exporting.export import export_site
from sitecms.actions.loading import load_site
from sitecms.documents import read_yaml
from tests.support.sites import ExampleSite

PICTURES = [{"slug": "image", "type": "media"}, {"slug": "caption", "type": "short_text"}]
SHOWS = {
    "key": "shows", "label": "name", "route": "/shows/{slug}/",
    "fields": [
        {"slug": "slug", "type": "short_text"},
        {"slug": "name", "type": "short_text", "searchable": True},
        {"slug": "opening", "type": "component", "component": "quote"},
        {"slug": "blocks", "type": "component_picker", "components": ["quote"]},
        {"slug": "pictures", "name": "Pictures", "type": "repeater", "fields": PICTURES},
        {"slug": "times", "name": "Times", "type": "repeater", "fields": [{"slug": "at", "type": "short_text"}]},
        {"slug": "related", "name": "Related", "type": "reference", "targets": ["shows"], "many": True},
    ],
}  # fmt: skip
ITEMS = [
    {"id": 71, "fields": {
        "slug": "low-water", "name": "Low water", "opening": {"text": "Wait *for* it.", "by": "A sailor"},
        "blocks": [{"type": "quote", "fields": {"text": "Again."}}],
        "pictures": [{"image": {"url": "media/sea.png", "alt": "The sea"}, "caption": "At dawn"},
                     {"image": {"url": "media/boat.png", "alt": "A boat"}, "caption": "https://boats.example/"}],
        "times": [{"at": "06:12"}], "related": ["neap"],
    }},
    {"id": 72, "fields": {"slug": "neap", "name": "Neap tide"}},
]  # fmt: skip


@pytest.fixture
def shows(example: ExampleSite) -> ExampleSite:
    """A collection with components, a picker, two repeaters, and references by slug."""
    example.image("media/sea.png", "navy", (300, 200))
    example.image("media/boat.png", "red", (300, 200))
    quote = {"fields": [{"slug": "text", "type": "long_text"}, {"slug": "by", "type": "short_text"}]}
    example.write("schema/components/quote.yaml", {"slug": "quote", **quote})
    example.write("schema/collections/shows.yaml", SHOWS)
    example.write("content/collections/shows.yaml", ITEMS)
    return example


def test_the_page_of_an_item_shows_fields_of_every_type(shows: ExampleSite) -> None:
    """Components by their templates, rows as a list; the slug is no fact for readers."""
    shows.make()
    html = shows.text("shows/low-water/index.html")
    assert html.count("<blockquote>") == 2
    assert "Wait <em>for</em> it." in html
    assert "<h3>06:12</h3>" in html
    assert "<dd>low-water</dd>" not in html
    assert "<blockquote>" not in shows.text("shows/neap/index.html")  # an empty component shows nothing


def test_a_repeater_of_pictures_is_a_gallery(shows: ExampleSite) -> None:
    """Each picture leads to the whole one, or to the address in its row; the text of the row is its caption."""
    shows.make()
    html = shows.text("shows/low-water/index.html")
    gallery = html[html.index('<figure class="gallery">') : html.index("<h2>Times</h2>")]
    assert gallery.count("<img ") == 2
    assert "<figcaption>At dawn</figcaption>" in gallery
    assert '<a href="https://boats.example/"><img ' in gallery
    assert "<li>" not in gallery
    assert '<ol class="items">' in html  # the times, which are no pictures


def test_items_are_referred_to_by_their_slugs(shows: ExampleSite) -> None:
    """Where the collection declares a field `slug`; items of the same file, below or above, and stored ones."""
    shows.make()
    assert '<a href="/shows/neap/">Neap tide</a>' in shows.text("shows/low-water/index.html")
    guide = {"fields": [{"slug": "show", "name": "Show", "type": "reference", "targets": ["page:guide", "shows"]}]}
    shows.write("schema/page_types/visit.yaml", {"slug": "visit", **guide})
    shows.write("content/pages/visit/spring.yaml", {"title": "Spring", "status": "published",
                                                    "published": "2026-01-01", "fields": {"show": "neap"}})  # fmt: skip
    shows.make()
    assert '<a href="/shows/neap/">Neap tide</a>' in shows.text("visit/spring/index.html")


def test_a_slug_that_no_item_has_is_an_error_with_its_place(shows: ExampleSite) -> None:
    """The other files are loaded."""
    shows.write("content/collections/shows.yaml", [*ITEMS, {"fields": {"slug": "x", "name": "X", "related": ["nep"]}}])
    report = load_site(shows.database, shows.settings, shows.now)
    (error,) = report.errors
    assert '"nep" is not found among shows' in str(error)
    assert error.file == "content/collections/shows.yaml"
    assert error.line


def test_export_writes_what_was_loaded(shows: ExampleSite) -> None:
    """A folder that is exported builds the same page of an item."""
    shows.make()
    before = _main(shows)
    exported = shows.folder.with_name("exported")
    export_site(shows.database, shows.settings, exported)
    items = read_yaml(exported / "content/collections/shows.yaml")
    assert isinstance(items, list)
    assert items[0]["fields"]["pictures"][0]["caption"] == "At dawn"
    assert items[0]["fields"]["blocks"] == [{"type": "quote", "fields": {"text": "Again.", "by": ""}}]
    shows.write("content/collections/shows.yaml", (exported / "content/collections/shows.yaml").read_bytes())
    shows.make()
    assert _main(shows) == before


def _main(shows: ExampleSite) -> str:
    """What the page shows, but the date of the change, which the exported file knows."""
    html = shows.text("shows/low-water/index.html").partition("<main")[2].partition("</main>")[0]
    return "\n".join(line for line in html.splitlines() if "<dt>Updated</dt>" not in line)
