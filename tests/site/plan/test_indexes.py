"""Index pages of terms, authors, page types and collections."""

import re

from tests.support.sites import ExampleSite

NAME = {"slug": "name", "name": "Name", "type": "short_text"}


def links(html: str) -> list[tuple[str, str]]:
    """Address and text of the links in the main part."""
    main = html[html.index("<main") : html.index("</main>")]
    return re.findall(r'<a(?: class="cover")? href="([^"]+)"[^>]*>([^<]+)</a>', main)


def test_terms_and_authors_have_indexes(example: ExampleSite) -> None:
    """Those with posts in the locale, by name, with their number of posts."""
    example.post("one", title="One", published="2026-01-01T08:00:00Z", categories=["Winds"], tags=["Zinc", "apples"])
    example.make()
    tags = links(example.text("tags/index.html"))
    assert ("/tags/apples/", "apples (1)") in tags
    assert [text.casefold() for _, text in tags] == sorted(text.casefold() for _, text in tags)
    assert ("/categories/winds/", "Winds (1)") in links(example.text("categories/index.html"))
    assert "/authors/ann-ray/" in {address for address, _ in links(example.text("authors/index.html"))}
    assert "Winds" not in example.text("es/categories/index.html").partition("<main")[2].partition("</main>")[0]
    assert "https://tide.example/tags/" in example.text("sitemap.xml")


def test_page_types_and_collections_have_indexes(example: ExampleSite) -> None:
    """Their published entries, so many on a page as of posts."""
    example.settings_are(build={"page_size": 2})
    example.write("schema/collections/crew.yaml", {
        "key": "crew", "name": "The crew", "label": "name", "route": "/people/{slug}/", "fields": [NAME],
    })  # fmt: skip
    example.write("content/collections/crew.yaml", [{"fields": {"name": name}} for name in ("Ann", "Bo", "Cy")])
    example.make()
    first, second = example.text("people/index.html"), example.text("people/page/2/index.html")
    assert "<h1>The crew</h1>" in first
    names = [text for address, text in links(first) if address.startswith("/people/")]
    assert names[:2] == ["Ann", "Bo"]
    assert ("/people/cy/", "Cy") in links(second)
    assert ("/guide/knots/", "Knots") in links(example.text("guide/index.html"))
    assert example.tree() == example.clean_tree()


def test_an_entry_keeps_its_address(example: ExampleSite) -> None:
    """A page or post at the address of an index stands there, and no index."""
    example.write("content/pages/_single/tags.md", "---\ntitle: Own\nstatus: published\n---\nOf tags.\n")
    example.settings_are(permalinks={"post": "/{slug}/"})
    example.post("guide", title="A guide", published="2026-01-01T08:00:00Z")
    example.make()
    assert "Of tags." in example.text("tags/index.html")
    assert "<h1>A guide</h1>" in example.text("guide/index.html")


def test_indexes_can_be_left_out(example: ExampleSite) -> None:
    """`indexes = false` under [build]; and where lists begin at the root or at a date there are none."""
    example.settings_are(build={"indexes": False})
    example.make()
    assert "tags/index.html" not in example.tree()
    example.settings_are(permalinks={"tag": "/{slug}/", "page": "/{year}/{slug}/"})
    example.make()
    assert "guide/index.html" not in example.tree()
    assert "categories/index.html" in example.tree()
