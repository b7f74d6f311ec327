"""Feeds and sitemap over the API (API reference, Feeds)."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import feedparser
import pytest
from werkzeug.test import TestResponse

from sitecms.content.status import Status
from sitecms.runtime import Runtime
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions

Get = Callable[..., TestResponse]
Make = Callable[..., int]
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
RSS_ROOT = (
    '<rss xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:media="http://search.yahoo.com/mrss/" version="2.0">'
)
LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


def xml(response: TestResponse) -> str:
    """The XML of an answer, which is well formed and begins with its declaration."""
    body = response.get_json()
    assert (response.status_code, list(body)) == (200, ["data"])
    text: str = body["data"]
    assert text.startswith(DECLARATION)
    ElementTree.fromstring(text)
    return text


def titles(response: TestResponse) -> list[str]:
    """The titles of a feed's entries, in order."""
    parsed = feedparser.parse(xml(response).encode())
    assert not parsed.bozo
    return [entry.title for entry in parsed.entries]


def places(response: TestResponse) -> list[str]:
    """The paths in a sitemap, in order."""
    tree = ElementTree.fromstring(xml(response))
    return [str(found.text).removeprefix("https://tide.example") for found in tree.iter(LOC)]


def test_root_element_of_rss(get: Get, make_post: Make) -> None:
    """Clients look for exactly this text."""
    assert xml(get("/v2/feeds/rss/")).startswith(DECLARATION + RSS_ROOT)


def test_feeds_have_authors_and_language(get: Get, make_post: Make) -> None:
    """The namespace of dc:creator is declared on the element."""
    make_post("one")
    make_post("agua", locale="es")
    creator = '<dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">Ann Ray</dc:creator>'
    assert creator in xml(get("/v2/feeds/rss/"))
    for name in ("rss", "atom"):
        for locale in ("en", "es"):
            parsed = feedparser.parse(xml(get(f"/v2/feeds/{name}/?locale={locale}")).encode())
            assert [(entry.author, entry.title_detail.language) for entry in parsed.entries] == [("Ann Ray", locale)]


def test_root_element_of_the_sitemap(get: Get, make_post: Make) -> None:
    """It names its schema, which validators need."""
    make_post("one")
    root = ElementTree.fromstring(xml(get("/v2/feeds/sitemap/")))
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    assert root.attrib == {"{http://www.w3.org/2001/XMLSchema-instance}schemaLocation": f"{space} {space}/sitemap.xsd"}


@pytest.mark.parametrize(
    ("name", "output", "query"),
    [
        ("rss", "rss.xml", ""),
        ("atom", "atom.xml", "?locale=en"),
        ("rss", "es/rss.xml", "?locale=es"),
        ("atom", "es/atom.xml", "?locale=es"),
    ],
)
def test_feeds_equal_those_of_the_built_site(
    get: Get, make_post: Make, runtime: Runtime, tmp_path: Path, name: str, output: str, query: str
) -> None:
    """They are the same character by character."""
    for number in range(25):
        make_post(f"p{number}", hours=number, tags=("moon",), body=f'<p>“{number}” <a href="/x/">&amp;</a></p>')
    make_post("agua", locale="es", title="Água & sal <b>")
    build_site(runtime.database, runtime.settings, tmp_path / "out", BuildOptions())
    assert xml(get(f"/v2/feeds/{name}/{query}")) == (tmp_path / "out" / output).read_text("utf-8")


@pytest.mark.parametrize("name", ["rss", "atom"])
def test_feed_has_the_newest_posts_of_a_locale(get: Get, make_post: Make, name: str) -> None:
    """It has at most 20 published posts, filtered by category, tag or both."""
    for number in range(22):
        make_post(f"p{number}", hours=number, categories=("Sea",) if number < 2 else (), tags=("moon",))
    make_post("agua", locale="es", categories=("Sea",))
    make_post("draft", hours=99, status=Status.DRAFT, categories=("Sea",))
    make_post("later", status=Status.SCHEDULED, scheduled_at=datetime(2099, 1, 1, tzinfo=UTC), categories=("Sea",))
    assert titles(get(f"/v2/feeds/{name}/")) == [f"P{number}" for number in range(21, 1, -1)]
    assert titles(get(f"/v2/feeds/{name}/?preview=1&category_slug=sea")) == ["P1", "P0"]
    assert titles(get(f"/v2/feeds/{name}/?category_slug=sea&locale=es")) == ["Agua"]
    assert titles(get(f"/v2/feeds/{name}/?category_slug=sea&tag_slug=moon")) == ["P1", "P0"]
    for query in ("category_slug=nothing", "tag_slug=nothing", "tag_slug=sea", "tag_slug=moon&locale=es"):
        assert titles(get(f"/v2/feeds/{name}/?{query}")) == [], query


def test_feed_of_a_category_has_its_own_title_and_id(get: Get, make_post: Make) -> None:
    """A category without posts gives the feed of the site."""
    make_post("one", categories=("Deep sea",), tags=("moon",))
    feed = feedparser.parse(xml(get("/v2/feeds/atom/?category_slug=deep-sea")).encode()).feed
    assert (feed.title, feed.link) == ("Tide: Deep sea", "https://tide.example/categories/deep-sea/")
    assert feed.id == "https://tide.example/categories/deep-sea/#Deep%20sea"  # the site has RSS of it alone
    both = feedparser.parse(xml(get("/v2/feeds/rss/?category_slug=deep-sea&tag_slug=moon")).encode()).feed
    assert both.title == "Tide: Deep sea, moon"
    none = feedparser.parse(xml(get("/v2/feeds/rss/?category_slug=x")).encode()).feed
    assert (none.title, none.link) == ("Tide", "https://tide.example/")


def test_sitemap_of_a_locale_has_all_its_pages(get: Get, make_post: Make, runtime: Runtime, tmp_path: Path) -> None:
    """The locales together have the pages of the built sitemap; a tag limits it to its posts."""
    make_post("water", hours=1, tags=("moon",))
    make_post("agua", locale="es", translation_of="water", tags=("moon",))
    make_post("plain", categories=("Sea",))
    make_post("draft", status=Status.DRAFT, tags=("moon",))
    build_site(runtime.database, runtime.settings, tmp_path / "out", BuildOptions())
    built = ElementTree.fromstring((tmp_path / "out" / "sitemap.xml").read_text("utf-8"))
    english, spanish = places(get("/v2/feeds/sitemap/")), places(get("/v2/feeds/sitemap/?locale=es"))
    assert [f"https://tide.example{path}" for path in english + spanish] == [found.text for found in built.iter(LOC)]
    assert {path for path in spanish if not path.startswith("/es/")} == set()
    assert {"/blog/water/", "/blog/plain/", "/tags/moon/", "/authors/ann-ray/"} <= set(english)
    assert places(get("/v2/feeds/sitemap/?tag_slug=moon")) == ["/blog/water/"]
    assert places(get("/v2/feeds/sitemap/?category_slug=sea")) == ["/blog/plain/"]
    assert places(get("/v2/feeds/sitemap/?category_slug=nothing")) == []
    assert 'hreflang="es" href="https://tide.example/es/blog/agua/"' in xml(get("/v2/feeds/sitemap/?tag_slug=moon"))


def test_control_characters_are_removed_from_feeds(get: Get, make_post: Make) -> None:
    """All other characters stay as they were written."""
    make_post("one", title="A \x01\x0b\ufffe<&>\"'😀 ]]> B", body="<p>x\x02y ]]&gt; &lt;</p>", summary="\x03<i>")
    assert titles(get("/v2/feeds/rss/")) == titles(get("/v2/feeds/atom/")) == ["A <&>\"'😀 ]]> B"]


def test_feed_templates_of_the_site_are_used(get: Get, make_post: Make, runtime: Runtime) -> None:
    """A template in the site folder replaces the default one, and is read once."""
    folder = runtime.settings.folder / "templates" / "feeds"
    folder.mkdir(parents=True)
    (folder / "rss.xml").write_text('<?xml version="1.0" encoding="utf-8"?>\n<mine>{{ entries|length }}</mine>')
    make_post("one")
    assert get("/v2/feeds/rss/").get_json()["data"].endswith("<mine>1</mine>")
    (folder / "rss.xml").unlink()
    make_post("two")
    assert get("/v2/feeds/rss/").get_json()["data"].endswith("<mine>2</mine>")
