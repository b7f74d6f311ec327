"""Feeds: of the site and of each archive, in three kinds, as feed readers and parsers read them."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urljoin, urlsplit

import feedparser
import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from sitecms.content.query import PostQuery
from sitecms.site.feed_texts import FeedTexts
from tests.support.sites import ExampleSite

SITE = "https://tide.example"
ARCHIVES = ("categories/tides/", "tags/ropes/", "authors/bo-lind/", "blog/2026/", "es/categories/tides/")
SITES = ("", "es/")
FILES = {"rss.xml": "application/rss+xml", "atom.xml": "application/atom+xml", "feed.json": "application/feed+json"}
URI = {"type": "string", "pattern": "^https://"}
TIME = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})$"}
TEXT = {"type": "string", "minLength": 1}
AUTHORS = {"type": "array", "items": {"type": "object", "required": ["name"], "properties": {"name": TEXT, "url": URI}}}
JSON_FEED = Draft202012Validator({  # of jsonfeed.org/version/1.1, as far as we use it; nothing else may be there
    "type": "object",
    "required": ["version", "title", "items"],
    "additionalProperties": False,
    "properties": {
        "version": {"const": "https://jsonfeed.org/version/1.1"},
        "title": TEXT, "home_page_url": URI, "feed_url": URI, "description": TEXT, "language": TEXT,
        "items": {"type": "array", "items": {
            "type": "object",
            "required": ["id", "content_html"],
            "additionalProperties": False,
            "properties": {
                "id": TEXT, "url": URI, "title": TEXT, "summary": TEXT, "image": URI,
                "content_html": {"type": "string"},
                "date_published": TIME, "date_modified": TIME, "authors": AUTHORS, "language": TEXT,
                "tags": {"type": "array", "items": TEXT},
            },
        }},
    },
})  # fmt: skip


def parsed(example: ExampleSite, path: str) -> Any:
    found = feedparser.parse(example.text(path))
    assert not found.bozo, (path, found.get("bozo_exception"))
    return found


def json_feed(example: ExampleSite, path: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(example.text(path))
    assert [error.message for error in JSON_FEED.iter_errors(data)] == []
    return data


def slugs(links: list[str]) -> list[str]:
    return [urlsplit(link).path.rstrip("/").rsplit("/", 1)[-1] for link in links]


def posts_on(example: ExampleSite, folder: str) -> list[str]:
    """The posts that all pages of an archive list, in order."""
    pages = [f"{folder}index.html"]
    while (example.public / f"{folder}page/{len(pages) + 1}/index.html").is_file():
        pages.append(f"{folder}page/{len(pages) + 1}/index.html")
    return [slug for page in pages for slug in re.findall(r'class="cover" href="[^"]*/([^/"]+)/"', example.text(page))]


def test_every_archive_has_its_feeds(example: ExampleSite) -> None:
    """Of the posts that its pages list, whole, under an address of their own; here in all kinds."""
    example.settings_are(feeds={"archives": ["rss", "atom", "json"]})
    example.make()
    for folder in (*ARCHIVES, "es/"):
        of_page = posts_on(example, folder if folder != "es/" else "es/blog/")
        rss, atom = parsed(example, f"{folder}rss.xml"), parsed(example, f"{folder}atom.xml")
        data = json_feed(example, f"{folder}feed.json")
        assert (rss.version, atom.version) == ("rss20", "atom10")
        assert of_page
        for found in (rss, atom):
            assert slugs([entry.link for entry in found.entries]) == of_page
            assert found.feed.link == f"{SITE}/{folder}"
        assert slugs([item["url"] for item in data["items"]]) == of_page
        own = {link.rel: link.href for link in atom.feed.links}["self"]
        assert (own, atom.feed.id) == (f"{SITE}/{folder}atom.xml", f"{SITE}/{folder}atom.xml")
        assert (data["feed_url"], data["home_page_url"]) == (f"{SITE}/{folder}feed.json", f"{SITE}/{folder}")
        assert rss.feed.title == atom.feed.title == data["title"]


def test_an_archives_feed_says_of_what_it_is(example: ExampleSite) -> None:
    """By the heading of the archive."""
    example.make()
    titles = {folder: parsed(example, f"{folder}rss.xml").feed.title for folder in ("", *ARCHIVES, "es/")}
    assert list(titles.values()) == [
        "Tide", "Tide: Tides", "Tide: ropes", "Tide: Bo Lind", "Tide: 2026", "Tide: Tides", "Tide",
    ]  # fmt: skip


def test_pages_name_their_feeds_in_head_and_text(example: ExampleSite) -> None:
    """With the right types; every one of them is there."""
    example.make()
    for folder in ("", "blog/", "blog/calm/", "es/", *ARCHIVES):
        tree = html5lib.parse(example.text(f"{folder}index.html"), treebuilder="etree", namespaceHTMLElements=False)
        links = [each.attrib for each in tree.iter("link") if each.attrib.get("rel") == "alternate"]
        feeds = {link["href"]: link["type"] for link in links if "type" in link}
        owner = folder if folder in (*ARCHIVES, "es/") else ""
        assert feeds == {f"/{owner}{name}": FILES[name] for name in (["rss.xml"] if folder in ARCHIVES else FILES)}
        assert all((example.public / href[1:]).is_file() for href in feeds)
        visible = {each.attrib.get("href") for each in tree.iter("a")}
        assert feeds.keys() <= visible, folder


def test_what_a_feed_holds(example: ExampleSite) -> None:
    """The whole text with whole addresses, times, author, terms, picture; the same in each kind."""
    example.make()
    (rss,) = [each for each in parsed(example, "rss.xml").entries if each.link.endswith("/flow/")]
    (atom,) = [each for each in parsed(example, "atom.xml").entries if each.link.endswith("/flow/")]
    (item,) = [each for each in json_feed(example, "feed.json")["items"] if each["url"].endswith("/flow/")]
    assert rss.content[0].value == atom.content[0].value == item["content_html"].strip() == "<p>In it comes.</p>"
    assert rss.published_parsed == atom.published_parsed
    assert item["date_published"] == "2026-02-04T08:00:00Z"
    assert [tag.term for tag in rss.tags] == [tag.term for tag in atom.tags] == item["tags"] == ["Tides", "moon"]
    assert item["authors"] == [{"name": "Ann Ray", "url": f"{SITE}/authors/ann-ray/"}]
    assert (rss.media_content[0]["url"], atom.author) == (item["image"], "Ann Ray")
    (drift,) = [each for each in json_feed(example, "feed.json")["items"] if each["url"].endswith("/drift/")]
    assert f'href="{SITE}/blog/calm/"' in drift["content_html"]


@given(text=st.text(max_size=40))
def test_a_json_feed_is_json_whatever_it_holds(text: str, make_example: Any, tmp_path_factory: Any) -> None:
    """Quotes, backslashes, line separators and half characters of titles and bodies; it reads back as it was."""
    from sitecms.site.template_values import FeedView
    from sitecms.site.theme.environment import make_environment
    from sitecms.site.theme.theme import load_theme

    example = _shared(make_example, tmp_path_factory)
    settings = example.settings
    environment = make_environment(load_theme(settings.folder, settings.theme), settings, lambda _src: None)
    when = example.now
    feed = FeedView(text, text, "x", "https://x.example/", "https://x.example/feed.json", when)
    site = SimpleNamespace(language="en")
    made = environment.get_template("feeds/feed.json").render(site=site, feed=feed, entries=())
    assert json.loads(made.encode("utf-8", "replace"))["title"] == text.encode("utf-8", "replace").decode()


_WORKS: "list[ExampleSite]" = []


def _shared(make_example: Any, tmp_path_factory: Any) -> ExampleSite:
    if not _WORKS:
        folder: Path = tmp_path_factory.mktemp("feeds")
        _WORKS.append(make_example(folder / "tide"))
    return _WORKS[0]


def test_a_site_chooses_its_feeds(example: ExampleSite) -> None:
    """Their kinds, their length, and the kinds of archives; the rest is gone, and nothing names it."""
    example.make()
    example.settings_are(feeds={"kinds": ["json"], "length": 2, "archives": []})
    example.make()
    feeds = {path for path in example.tree() if path.rsplit("/", 1)[-1] in FILES}
    assert feeds == {"feed.json", "es/feed.json"}
    assert slugs([item["url"] for item in json_feed(example, "feed.json")["items"]]) == ["haul", "gale"]
    for path, data in example.tree().items():
        assert path == "robots.txt" or b"atom.xml" not in data, path
    assert 'href="/feed.json"' in example.text("categories/tides/index.html")
    example.settings_are(feeds={"kinds": ["atom", "json"]})
    example.make()
    feeds = {path for path in example.tree() if path.rsplit("/", 1)[-1] in FILES}
    of_sites = {f"{folder}{name}" for folder in SITES for name in ("atom.xml", "feed.json")}
    of_archives = {f"{folder}atom.xml" for folder in ARCHIVES}
    assert of_sites | of_archives <= feeds
    assert {path.rsplit("/", 1)[-1] for path in feeds - of_sites} == {"atom.xml"}
    example.settings_are(feeds={"kinds": []})
    example.make()
    assert not any(path.rsplit("/", 1)[-1] in FILES for path in example.tree())
    assert example.tree() == example.clean_tree()


@pytest.mark.parametrize("terms", [{}, {"category_slug": "tides"}, {"tag_slug": "moon"}])
@pytest.mark.parametrize("kind", ["rss", "atom"])
@pytest.mark.parametrize("locale", ["en", "es"])
def test_the_api_answers_the_feeds_of_the_site(
    example: ExampleSite, kind: str, locale: str, terms: dict[str, Any]
) -> None:
    """Byte for byte, and so with the address at which the built site has the feed."""
    example.settings_are(feeds={"archives": ["rss", "atom"]})
    example.make()
    prefix = "" if locale == "en" else "es/"
    for name, slug in terms.items():
        prefix += f"{'categories' if name == 'category_slug' else 'tags'}/{slug}/"
    answer = example.database.read(FeedTexts(example.settings).text, kind, replace(PostQuery(locale), **terms))
    assert answer == example.text(f"{prefix}{kind}.xml")


def test_a_feed_that_the_site_does_not_have_names_no_address_of_its_own(example: ExampleSite) -> None:
    """Of a category and a tag together, of a kind that is left out, of archives without feeds."""
    example.make()
    both = PostQuery("en", category_slug="tides", tag_slug="moon")
    for query, settings in (
        (both, {}),
        (PostQuery("en", tag_slug="moon"), {"archives": []}),
        (PostQuery("en"), {"kinds": ["rss"]}),
    ):
        example.settings_are(feeds=settings)
        found = feedparser.parse(example.database.read(FeedTexts(example.settings).text, "atom", query))
        assert not found.bozo
        assert found.entries
        assert "self" not in {link.rel for link in found.feed.links}
        assert found.feed.id.startswith(f"{SITE}/")


@pytest.mark.parametrize(("guid", "is_permalink"), [
    ("https://old.example/?p=12&q=<1>", False), ("urn:uuid:1", False), ("https://tide.example/old/", True),
])  # fmt: skip
def test_a_post_keeps_the_id_of_a_former_site(example: ExampleSite, guid: str, is_permalink: bool) -> None:
    """RSS, Atom and JSON Feed have it, and posts without one have their address."""
    example.post("haul", "Pull.", published="2026-02-06T08:00:00Z", guid=guid)
    example.make()
    rss, atom = (feedparser.parse(example.text(name)).entries for name in ("rss.xml", "atom.xml"))
    assert [each.id for each in rss[:2]] == [guid, "https://tide.example/blog/gale/"]
    marks = re.findall('isPermaLink="([a-z]+)"', example.text("rss.xml"))
    assert marks[:2] == ["true" if is_permalink else "false", "true"]
    assert [each.id for each in atom[:2]] == [guid, "https://tide.example/blog/gale/"]
    assert json.loads(example.text("feed.json"))["items"][0]["id"] == guid


RELATIVE = """[up](../x/) [q](?a=1) [frag](#h) <a href="sub/page.html">sub</a> [root](/blog/gale/)

## h

A note[^1].

[^1]: Its text.
"""


def first_body(example: ExampleSite, path: str) -> str:
    """The body of the newest post of a feed, as it is written."""
    if path.endswith(".json"):
        return str(json.loads(example.text(path))["items"][0]["content_html"])
    parse: Any = feedparser.parse
    return str(parse(example.text(path), sanitize_html=False, resolve_relative_uris=False).entries[0].content[0].value)


@pytest.mark.parametrize("url", ["https://tide.example", "https://tide.example/mag", ""])
def test_relative_addresses_in_feeds_lead_where_they_lead_on_the_page(example: ExampleSite, url: str) -> None:
    """In every kind, of the site and of the API, however a reader resolves what is left."""
    example.settings_are(url=url)
    example.post("rel", RELATIVE, published="2026-02-20T08:00:00Z")
    example.make()
    page = html5lib.parse(example.text("blog/rel/index.html"), namespaceHTMLElements=False)
    body = next(each for each in page.iter("div") if each.attrib.get("class") == "prose")
    here = f"{url or ''}/blog/rel/"
    addresses = [each.attrib["href"] for each in body.iter("a")]
    expected = [urljoin(here, each) for each in addresses]
    assert {"#h", "../x/", "?a=1", "sub/page.html", "#fn1"} <= set(addresses)
    for name in FILES:
        tree = html5lib.parse(first_body(example, name), namespaceHTMLElements=False)
        assert [each.attrib["href"] for each in tree.iter("a")] == expected, name
    with example.database.reading() as session:
        for kind in ("rss", "atom"):
            answer = FeedTexts(example.settings).text(session, kind, PostQuery("en"))
            assert answer == example.text(f"{kind}.xml")
