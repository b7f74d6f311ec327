"""What a built page weighs, tells and allows: bytes and requests, share tags, structured data, the security policy."""

import gzip
import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response

from sitecms.site.theme.style import in_scheme
from sitecms.site.theme.stylesheets import minified_css
from tests.browser.conftest import until
from tests.support.themes import THEMES

POST = "/blog/counting-meteors-honestly/"
GUIDE = "/guide/starting-a-nature-notebook/"
BUDGET_BYTES, BUDGET_WITH_FONTS = 30_000, 60 * 1024
BUDGET_OF_HOME = 200 * 1024
BUDGET_REQUESTS = 12
BUTTONS = {"Copy", "Copy the link"}
"""Words of buttons that only a script can answer, so that it makes them."""
RULES = """css => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return [...sheet.cssRules].map(rule => rule.cssText.replace(/([,:])\\s+/g, "$1"));
}"""
TEXT_OF = "async url => { const answer = await fetch(url); return answer.text(); }"


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser with a cache of its own."""
    made = browser.new_context(viewport={"width": 1280, "height": 800})
    yield made
    made.close()


class _Inline(HTMLParser):
    """Notes what a strict policy forbids: scripts with text that are code, style elements, attributes that are code."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        is_code = tag == "script" and "src" not in values and values.get("type") != "application/ld+json"
        if tag == "style" or is_code:
            self.found.append(f"<{tag}>")
        self.found += [f"{tag} {name}" for name in values if name == "style" or name.startswith("on")]
        addresses = [value for name, value in attrs if name in ("href", "src", "action")]
        self.found += [f"{tag} javascript:" for value in addresses if (value or "").strip().startswith("javascript:")]


@pytest.mark.slow
def test_no_page_has_anything_inline(site_url: str, public: Path) -> None:
    """No script, no style, no handler, in any page that is built."""
    found = {}
    for path in sorted(public.rglob("*.html")):
        parser = _Inline()
        parser.feed(path.read_text(encoding="utf-8"))
        if parser.found:
            found[path.relative_to(public).as_posix()] = parser.found
    assert found == {}


@pytest.fixture
def first_page(browser: Browser) -> Iterator[Page]:
    """An empty page of a browser that has fetched nothing."""
    made = browser.new_context(viewport={"width": 1280, "height": 800})
    yield made.new_page()
    made.close()


def test_a_post_is_light(first_page: Page, site_url: str, public: Path) -> None:
    """Without images a post stays below 30 KB on the wire, with fonts 60 KiB, and one tiny script holds it up."""
    page = first_page
    asked: list[tuple[str, str]] = []
    page.on("request", lambda request: asked.append((request.resource_type, request.url)))
    page.goto(site_url + POST, wait_until="networkidle")
    sizes = {"font": 0, "text": 0}
    for kind, url in asked:
        if kind not in ("image", "media"):
            path = url.removeprefix(site_url)
            file = public / (path.lstrip("/") + ("index.html" if path.endswith("/") else ""))
            sizes["font" if kind == "font" else "text"] += len(gzip.compress(file.read_bytes()))
    assert sizes["text"] < BUDGET_BYTES
    assert sum(sizes.values()) < BUDGET_WITH_FONTS
    assert len(asked) <= BUDGET_REQUESTS
    blocking = page.eval_on_selector_all(
        "script[src]", "scripts => scripts.filter(s => s.type !== 'module' && !s.async && !s.defer).map(s => s.src)"
    )
    (early,) = (public / url.removeprefix(site_url + "/") for url in blocking)
    assert early.name.startswith("early.")
    assert early.stat().st_size < 1_000


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [360, 1280])
def test_the_home_page_is_light(
    browser: Browser, site_url: str, theme_url: Callable[[str], str], theme: str, width: int
) -> None:
    """With fonts and all pictures that a first visit loads, at most 200 KiB."""
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - Playwright marks the function
    page.goto(site_url if theme == "default" else theme_url(theme), wait_until="networkidle")
    bodies = [(answer.request.resource_type, answer.body()) for answer in answers]
    context.close()
    sizes = {kind: 0 for kind, _ in bodies}
    for kind, body in bodies:
        sizes[kind] += len(body if kind in ("image", "font") else gzip.compress(body))
    assert {"document", "stylesheet", "image"} <= sizes.keys()
    assert sum(sizes.values()) <= BUDGET_OF_HOME, sizes


@pytest.mark.parametrize(
    ("theme", "path"),
    [
        pytest.param(theme, path, marks=() if (theme, path) == ("default", POST) else pytest.mark.slow)
        for theme in THEMES
        for path in ("/", POST, "/blog/", "/categories/weather/", "/authors/mira-okafor/", GUIDE, "/faq/")
        if theme == "default" or path in ("/", POST, "/blog/")
    ],
)
def test_no_script_is_needed_to_read(
    browser: Browser, site_url: str, theme_url: Callable[[str], str], theme: str, path: str
) -> None:
    """Each line of text that a page shows with its scripts is shown without them, too; pictures have their places."""
    seen = []
    for has_scripts in (True, False):
        context = browser.new_context(viewport={"width": 1280, "height": 800}, java_script_enabled=has_scripts)
        page = context.new_page()
        page.goto((site_url if theme == "default" else theme_url(theme)) + path, wait_until="load")
        main = page.locator("main")
        seen.append((set(main.inner_text().splitlines()), main.locator("img").count()))
        context.close()
    (scripted, images), (plain, plain_images) = seen
    assert len(plain) > 5
    assert scripted - plain <= BUTTONS
    assert plain_images == images


def test_smaller_stylesheets_mean_the_same(page: Page, site_url: str, repo: Path) -> None:
    """Chromium reads the same rules from the theme's stylesheets and from what is delivered."""
    page.goto(site_url + "/search/")
    for name in ("style.css", "search.css"):
        css = (repo / "templates/themes/default/assets" / name).read_text(encoding="utf-8")
        rules = page.evaluate(RULES, css)
        assert len(rules) > 5
        assert page.evaluate(RULES, minified_css(css)) == rules
        assert page.evaluate(RULES, minified_css(in_scheme(css, "dark")))
    address = page.eval_on_selector("link[rel=stylesheet]", "link => link.href")
    delivered = page.evaluate(RULES, page.evaluate(TEXT_OF, address))
    written = (repo / "templates/themes/default/assets/style.css").read_text("utf-8")
    assert len(delivered) >= len(page.evaluate(RULES, written))


def test_the_policy_holds(page: Page, site_url: str) -> None:
    """A style, a script and a stranger's script that somebody slipped in do nothing, and the browser says so."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(site_url + POST)
    assert said == []
    page.evaluate(
        """() => {
          const add = (tag, values) => document.body.append(Object.assign(document.createElement(tag), values));
          add("script", {textContent: "window.ran = 1"});
          add("style", {textContent: "body { color: red }"});
          add("script", {src: "https://stranger.example/x.js"});
        }"""
    )
    until(page, lambda: len([text for text in said if "Content Security Policy" in text]) == 3)
    assert page.evaluate("window.ran") is None


def meta(page: Page) -> dict[str, str]:
    """Share tags by their names."""
    found: dict[str, str] = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('meta[property], meta[name]')]"
        ".map(m => [m.getAttribute('property') || m.name, m.content]))"
    )
    return found


def test_a_post_can_be_shared(page: Page, site_url: str) -> None:
    """Title, description, address, language and a picture with its size, which is there to be fetched."""
    page.goto(site_url + POST)
    tags = meta(page)
    assert tags["og:type"] == "article"
    assert tags["og:url"] == site_url + POST == page.get_attribute("link[rel=canonical]", "href")
    assert tags["og:title"] == "Counting meteors honestly"
    assert tags["og:description"] == tags["description"]
    assert (tags["og:locale"], tags["og:locale:alternate"]) == ("en", "es")
    assert tags["twitter:card"] == "summary_large_image"
    answer = page.request.get(tags["og:image"])
    assert answer.ok
    assert answer.headers["content-type"].startswith("image/")
    assert int(tags["og:image:width"]) > 600
    assert int(tags["og:image:height"]) > 300


def graph(page: Page) -> list[dict[str, Any]]:
    """The things that a page's structured data tell of, read by a JSON parser."""
    text = page.locator("script[type='application/ld+json']").text_content() or ""
    data = json.loads(text)
    assert data["@context"] == "https://schema.org"
    things: list[dict[str, Any]] = data["@graph"]
    return things


def test_structured_data_of_a_post(page: Page, site_url: str) -> None:
    """What search engines require of an article, with absolute addresses; the trail leads over its category."""
    page.goto(site_url + POST)
    posting, crumbs = graph(page)
    assert posting["@type"] == "BlogPosting"
    assert {"headline", "datePublished", "dateModified", "author", "publisher", "image"} <= posting.keys()
    assert posting["author"]["@type"] == "Person"
    assert posting["author"]["url"] == f"{site_url}/authors/tomas-vidal/"
    assert posting["publisher"]["@type"] == "Organization"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", posting["datePublished"])
    assert crumbs["@type"] == "BreadcrumbList"
    assert [(item["position"], item["item"]) for item in crumbs["itemListElement"]] == [
        (1, f"{site_url}/"),
        (2, f"{site_url}/categories/night-sky/"),
        (3, site_url + POST),
    ]
    for item in crumbs["itemListElement"]:
        assert page.request.get(item["item"]).ok


@pytest.mark.parametrize(
    ("path", "types"),
    [
        ("/", ["WebSite", "Organization"]),
        ("/authors/mira-okafor/", ["ProfilePage", "BreadcrumbList"]),
        ("/categories/weather/", ["CollectionPage", "BreadcrumbList"]),
        ("/about/", ["WebPage", "BreadcrumbList"]),
    ],
)
def test_every_kind_of_page_has_structured_data(page: Page, site_url: str, path: str, types: list[str]) -> None:
    """And nothing in it is empty."""
    page.goto(site_url + path)
    things = graph(page)
    assert [thing["@type"] for thing in things] == types
    assert not [name for thing in things for name, value in thing.items() if value in ("", None, [])]


@pytest.mark.parametrize("path", ["/404.html", "/search/"])
def test_pages_without_search_results_have_no_structured_data(page: Page, site_url: str, path: str) -> None:
    """They have no structured data, and ask not to be listed."""
    page.goto(site_url + path)
    assert page.locator("script[type='application/ld+json']").count() == 0
    assert meta(page)["robots"] == "noindex"


def test_the_header_fits_a_narrow_screen(browser: Browser, site_url: str) -> None:
    """Name, search and language share a line; each is large enough for a finger, and search has its name."""
    context = browser.new_context(viewport={"width": 320, "height": 700}, has_touch=True)
    page = context.new_page()
    page.goto(site_url + POST)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    link = page.get_by_role("link", name="Search")
    box = link.bounding_box()
    assert box
    assert min(box["width"], box["height"]) >= 24
    context.close()
