"""Fields of posts in templates: on pages of posts, in lists, with references and pictures."""

import pytest

from tests.support.sites import ExampleSite

SCHEMA = {
    "fields": [
        {"slug": "rating", "type": "number"},
        {"slug": "guide", "type": "reference", "targets": ["page:guide"]},
        {"slug": "photo", "type": "media"},
        {"slug": "verdict", "type": "wysiwyg"},
        {"slug": "notes", "type": "long_text"},
    ]
}
POST = (
    "{% with shown = post.fields %}{% if shown.guide %}"
    "rating {{ shown.rating }} | {{ shown.guide.label }} {{ shown.guide.fields.summary }} | "
    "{{ shown.photo.src }} | {{ shown.verdict }} | {{ shown.notes|markdown }}{% endif %}{% endwith %}"
)


@pytest.fixture
def rated(example: ExampleSite) -> ExampleSite:
    """The site with fields of posts, values of one post, and a template of posts and one of rows that show them."""
    example.write("schema/post.yaml", SCHEMA)
    fields = {
        "guide": "knots",
        "photo": {"url": "media/boat.png", "alt": "A boat"},
        "verdict": "<p>Fair.</p>",
        "notes": "*Reef* early.",
    }
    example.image("media/boat.png")
    example.post("rated", rating=4, fields=fields, published="2026-02-20T08:00:00Z")
    example.write("templates/post.html", POST)
    example.write("templates/parts/row.html", "[{{ card.title }} {{ card.fields.rating }}]")
    return example


def test_templates_show_the_fields_of_posts(rated: ExampleSite) -> None:
    """With values as those of pages: HTML, pictures that are published, entries that references lead to."""
    rated.make()
    shown = rated.text("blog/rated/index.html")
    assert "rating 4 | Knots Two are enough. | /media/" in shown
    assert "<p>Fair.</p>" in shown
    assert "<em>Reef</em> early." in shown
    picture = shown.split(" | ")[2]
    assert (rated.public / picture.lstrip("/")).exists()
    assert "[Rated 4]" in rated.text("blog/index.html")
    assert "[Haul None]" in rated.text("blog/index.html")


def test_a_changed_target_makes_the_pages_of_its_posts_stale(rated: ExampleSite) -> None:
    """And no other post; the result is that of a clean build."""
    rated.make()
    page = "content/pages/guide/knots.yaml"
    text = (rated.folder / page).read_text("utf-8")
    rated.write(page, text.replace("Two are enough.", "Three are better."))
    report = rated.make()
    assert "Three are better." in rated.text("blog/rated/index.html")
    assert "blog/rated/index.html" in report.stale
    assert "blog/ebb/index.html" not in report.stale
    assert rated.tree() == rated.clean_tree()


def test_the_theme_shows_none_by_itself(example: ExampleSite) -> None:
    """Pages are as they were before the schema declared fields."""
    example.make()
    before = example.tree()
    example.write("schema/post.yaml", SCHEMA)
    example.make()
    assert example.tree() == before


def test_html_of_an_entry_has_its_addresses_on_other_pages_too(rated: ExampleSite) -> None:
    """In lists, and where a reference shows it: resolved against the entry's own page, and below the site's path."""
    html = '<p><a href="../gale/">g</a> <a href="#h">h</a> <a href="/x/">x</a></p>'
    rated.write("schema/page_types/guide.yaml", {"slug": "guide", "fields": [{"slug": "more", "type": "wysiwyg"}]})
    page = {"title": "Knots", "status": "published", "fields": {"more": html}}
    rated.write("content/pages/guide/knots.yaml", page)
    fields = {"guide": "knots", "verdict": html}
    rated.post("rated", fields=fields, published="2026-02-20T08:00:00Z")
    shown = "{% set of = post.fields %}{{ of.verdict }}{% if of.guide %}|{{ of.guide.fields.more }}{% endif %}"
    rated.write("templates/post.html", shown)
    rated.write("templates/parts/row.html", "[{{ card.fields.verdict }}]")
    rated.settings_are(url="https://tide.example/mag")
    rated.make()
    root = '<a href="/mag/x/">x</a></p>'
    own, elsewhere = rated.text("blog/rated/index.html").split("|")
    assert own == f'<p><a href="../gale/">g</a> <a href="#h">h</a> {root}'
    assert elsewhere == f'<p><a href="/mag/guide/gale/">g</a> <a href="/mag/guide/knots/#h">h</a> {root}'
    in_list = f'[<p><a href="/mag/blog/gale/">g</a> <a href="/mag/blog/rated/#h">h</a> {root}]'
    assert in_list in rated.text("blog/index.html")
