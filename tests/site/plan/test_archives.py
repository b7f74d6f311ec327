"""Year archives, related posts and tables of contents, as pages show them."""

import re

import html5lib
import pytest

from tests.support.sites import ExampleSite


def years_on(example: ExampleSite, path: str) -> list[tuple[str, str]]:
    """Return address and text of the links to years on a page."""
    tree = html5lib.parse(example.text(path), treebuilder="etree", namespaceHTMLElements=False)
    (nav,) = [each for each in tree.iter("nav") if each.attrib.get("class") == "years"]
    return [(each.attrib["href"], " ".join("".join(each.itertext()).split())) for each in nav.iter("a")]


def related_on(example: ExampleSite, slug: str) -> list[str]:
    """Return the posts that a post's page shows as related."""
    found = example.text(f"blog/{slug}/index.html").partition('aria-labelledby="_related"')[2]
    return re.findall(r'class="cover" href="/blog/([^/"]+)/"', found)


def older(example: ExampleSite, name: str, published: str, **front: object) -> None:
    example.post(name, **{"published": published, "created": published, "updated": published, **front})  # type: ignore[arg-type]  # front matter


def test_year_archives_link_to_one_another(example: ExampleSite) -> None:
    """Years are listed newest first with their numbers of posts; the list of all posts links to them too."""
    older(example, "first", "2023-05-01T08:00:00Z")
    older(example, "second", "2025-05-01T08:00:00Z")
    example.make()
    expected = [("/blog/2026/", "2026 (6)"), ("/blog/2025/", "2025 (1)"), ("/blog/2023/", "2023 (1)")]
    for path in ("blog/index.html", "blog/2025/index.html", "blog/2026/page/2/index.html"):
        assert years_on(example, path) == expected
    assert 'href="/blog/2025/" aria-current="page"' in example.text("blog/2025/index.html")
    assert "/blog/second/" in example.text("blog/2025/index.html")
    assert "/blog/first/" not in example.text("blog/2025/index.html")
    assert 'href="/blog/2023/"' in example.text("blog/first/index.html")
    assert "https://tide.example/blog/2023/" in example.text("sitemap.xml")
    assert 'hreflang="es" href="https://tide.example/es/blog/2026/"' in example.text("blog/2026/index.html")


def test_a_year_ends_at_midnight_in_the_sites_time_zone(example: ExampleSite) -> None:
    """The archive and the dates on pages use the same time zone."""
    example.settings_are(timezone="Pacific/Auckland")
    older(example, "eve", "2024-12-31T12:00:00Z")
    example.make()
    assert (example.public / "blog/2025/index.html").is_file()
    assert "1 January 2025" in example.text("blog/eve/index.html")
    example.settings_are(timezone="UTC")
    example.make()
    assert (example.public / "blog/2024/index.html").is_file()
    assert not (example.public / "blog/2025").exists()
    assert example.tree() == example.clean_tree()


def test_a_change_shows_its_day_if_it_is_a_later_one_on_the_site(example: ExampleSite) -> None:
    """Days begin and end at the midnights of the site, not of UTC."""
    example.write("templates/hooks/post-end.html", "changed: {{ post.updated_at|date if post.updated_at }};")
    example.post("ebb", published="2026-02-03T10:00:00Z", updated="2026-02-03T12:00:00Z")
    for zone, shown in (("UTC", ""), ("Pacific/Auckland", "4 February 2026"), ("America/Los_Angeles", "")):
        example.settings_are(timezone=zone)
        example.make()
        assert f"changed: {shown};" in example.text("blog/ebb/index.html")
    example.post("ebb", published="2026-02-03T23:00:00Z", updated="2026-02-04T01:00:00Z")
    example.make()
    assert "changed: ;" in example.text("blog/ebb/index.html")
    assert example.tree() == example.clean_tree()


def test_a_year_archive_gives_way_to_a_post_with_its_address(example: ExampleSite) -> None:
    """A post or page keeps its address; every link to the year leads to the new one."""
    older(example, "2025", "2025-05-01T08:00:00Z", title="A year by the sea")
    older(example, "other", "2025-06-01T08:00:00Z")
    example.make()
    assert "A year by the sea" in example.text("blog/2025/index.html")
    assert ("/blog/2025-posts/", "2025 (2)") in years_on(example, "blog/index.html")
    assert 'href="/blog/2025-posts/"' in example.text("blog/other/index.html")
    example.remove("content/posts/2025.md")
    example.make()
    assert years_on(example, "blog/2025/index.html")[-1] == ("/blog/2025/", "2025 (1)")
    assert example.tree() == example.clean_tree()


def test_year_archives_follow_the_permalink(example: ExampleSite) -> None:
    """Each locale has them below its own path."""
    example.settings_are(permalinks={"year": "/archive/{year}/"})
    example.make()
    assert {"archive/2026/index.html", "es/archive/2026/index.html"} <= example.tree().keys()
    assert not (example.public / "blog/2026").exists()


def test_related_posts_share_terms(example: ExampleSite) -> None:
    """At most three of the same locale are shown; new posts, changed tags and deleted posts update them."""
    example.make()
    assert related_on(example, "ebb") == ["flow", "calm"]
    assert related_on(example, "drift") == ["gale", "haul"]
    older(example, "surge", "2026-02-09T08:00:00Z", categories=["Tides"], tags=["moon"])
    report = example.make()
    assert related_on(example, "ebb") == ["surge", "flow", "calm"]
    assert "blog/drift/index.html" not in report.stale
    example.remove("content/posts/flow.md")
    example.make()
    assert related_on(example, "ebb") == ["surge", "calm"]
    older(example, "calm", "2026-02-01T08:00:00Z", title="Calmer", categories=["Tides"], tags=["moon"])
    example.make()
    assert "Calmer" in example.text("blog/ebb/index.html").partition("_related")[2]
    assert example.tree() == example.clean_tree()


def test_a_post_without_shared_terms_has_no_related_posts(example: ExampleSite) -> None:
    """The page shows no empty section."""
    older(example, "alone", "2026-02-09T08:00:00Z")
    example.make()
    assert "_related" not in example.text("blog/alone/index.html")


HEADINGS = "## One\n\na\n\n### Inner & out\n\nb\n\n## Two\n\nc\n"


@pytest.mark.parametrize("body_format", ["markdown", "html"])
def test_a_long_post_has_a_table_of_contents(example: ExampleSite, body_format: str) -> None:
    """Three headings are enough, in Markdown and in HTML without ids."""
    html = "<h2>One</h2><p>a</p><h3>Inner &amp; out</h3><p>b</p><h2>Two</h2><p>c</p>"
    body = HEADINGS if body_format == "markdown" else html
    example.post("long", body, format=body_format, published="2026-02-09T08:00:00Z")
    example.post("short", "## One\n\na\n\n## Two\n", published="2026-02-09T08:00:00Z")
    example.make()
    tree = html5lib.parse(example.text("blog/long/index.html"), treebuilder="etree", namespaceHTMLElements=False)
    (nav,) = [each for each in tree.iter("nav") if "toc" in each.attrib.get("class", "").split()]
    links = [(each.attrib["href"], each.text) for each in nav.iter("a")]
    assert links == [("#one", "One"), ("#inner-out", "Inner & out"), ("#two", "Two")]
    ids = [each.attrib["id"] for each in tree.iter() if "id" in each.attrib]
    assert {"one", "inner-out", "two"} <= set(ids)
    assert len(ids) == len(set(ids))
    assert "toc" not in example.text("blog/short/index.html")
    assert 'id="one"' in example.text("blog/short/index.html")


def test_ids_of_fields_are_unique_on_a_page(example: ExampleSite) -> None:
    """Two HTML texts and a Markdown text with the same headings keep their own ids and links."""
    example.write("schema/page_types/mixed.yaml", {"slug": "mixed", "name": "Mixed", "fields": [
        {"slug": "one", "type": "wysiwyg"}, {"slug": "two", "type": "wysiwyg"}, {"slug": "three", "type": "long_text"},
    ]})  # fmt: skip
    html = '<h2 id="sea">Sea</h2><p><a href="#sea">Up</a></p>'
    example.write("content/pages/mixed/m.yaml", {
        "title": "M", "status": "published", "published": "2026-01-01T08:00:00Z",
        "fields": {"one": html, "two": html, "three": "## Sea\n\n[Up](#sea)"},
    })  # fmt: skip
    example.make()
    tree = html5lib.parse(example.text("mixed/m/index.html"), treebuilder="etree", namespaceHTMLElements=False)
    ids = [each.attrib["id"] for each in tree.iter() if each.attrib.get("id", "").endswith("sea")]
    links = [each.attrib["href"] for each in tree.iter("a") if each.text == "Up"]
    assert len(ids) == len(set(ids)) == 3
    assert links == [f"#{name}" for name in ids]


def test_a_year_leads_to_the_years_around_it(example: ExampleSite) -> None:
    """Below its posts; the first year has no earlier one, the last no later one."""
    older(example, "first", "2023-05-01T08:00:00Z")
    older(example, "second", "2025-05-01T08:00:00Z")
    example.make()

    def around(year: str) -> list[tuple[str, str]]:
        nav = example.text(f"blog/{year}/index.html").partition('class="neighbours"')[2].partition("</nav>")[0]
        return re.findall(r'href="([^"]+)" rel="(\w+)"', nav)

    assert around("2023") == [("/blog/2025/", "next")]
    assert around("2025") == [("/blog/2023/", "prev"), ("/blog/2026/", "next")]
    assert around("2026") == [("/blog/2025/", "prev")]


def test_a_post_shows_the_pictures_of_its_neighbours(example: ExampleSite) -> None:
    """And is stale when one of them gets another picture."""
    example.make()
    page = example.text("blog/ebb/index.html").partition('class="neighbours"')[2].partition("</nav>")[0]
    assert page.count("<img") == 1  # of the flow
    example.image("media/foam.png", "white")
    front = {"categories": ["Tides"], "tags": ["moon"], "author": "ann-ray", "summary": "On the flow."}
    at = "2026-02-04T08:00:00Z"
    picture = {"featured_image": "media/foam.png", "featured_image_alt": "Foam"}
    example.post("flow", "In it comes.", published=at, created=at, updated=at, **front, **picture)
    example.make()
    assert example.text("blog/ebb/index.html") != page
    assert example.tree() == example.clean_tree()


def test_posts_can_be_shared_and_show_progress_by_option(example: ExampleSite) -> None:
    """Links with the whole address are there unless the option is off; the line only if it is on."""
    example.make()
    page = example.text("blog/ebb/index.html")
    assert "url=https%3A%2F%2Ftide.example%2Fblog%2Febb%2F" in page
    assert 'class="progress"' not in page
    example.settings_are(theme={"share": False, "progress": True})
    example.make()
    page = example.text("blog/ebb/index.html")
    assert "bsky.app" not in page
    assert 'class="progress"' in page
    assert 'class="progress"' not in example.text("index.html")


def test_every_page_but_the_first_says_the_way_to_it(example: ExampleSite) -> None:
    """As links, the page itself last; the same trail as in the structured data."""
    example.make()

    def way(path: str) -> list[str]:
        trail = example.text(path).partition('class="trail wrap"')[2].partition("</nav>")[0]
        return re.findall(r'<li><(?:a href="([^"]*)"|span aria-current="page")', trail)

    assert way("blog/ebb/index.html") == ["/", "/categories/tides/", ""]
    assert way("about/index.html") == ["/", ""]
    assert way("index.html") == []
