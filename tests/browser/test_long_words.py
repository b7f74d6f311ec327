"""Every kind of page of a site with long words, wide things and scripts of the world: nothing is too wide."""

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.support.axe import TARGET_SIZE, violations
from tests.support.commands import CommandServer
from tests.support.stress_site import PAGES, write_stress_site
from tests.support.themes import THEMES
from tests.support.web_hosts import site_host

OUTSIDE = """
() => {
  const width = document.documentElement.clientWidth;
  const scrolls = element => {
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
      if (getComputedStyle(box).overflowX !== "visible") return true;
    return false;
  };
  const outside = element => {
    const {left, right} = element.getBoundingClientRect();
    return element.checkVisibility() && right - left > 1 && (right > width + 1 || left < -1) && !scrolls(element);
  };
  return [document.documentElement.scrollWidth - width,
    [...document.querySelectorAll("body *")].filter(outside).map(element => element.outerHTML.slice(0, 120))];
}
"""
SQUEEZED = """
() => [...document.querySelectorAll("h1, h2, h3, p, li > a, dd")].filter(element => {
  const {width, height} = element.getBoundingClientRect();
  return element.checkVisibility() && width > 1 && width < 48 && height > 200;
}).map(element => `${element.className} ${element.textContent.slice(0, 60)}`)
"""
"""Texts in a column of a few letters, which are seen."""
WIDTHS = (360, 768, 1280)
EACH_THEME = [pytest.param(theme, marks=() if theme == "default" else pytest.mark.slow) for theme in THEMES]


@pytest.fixture(scope="module")
def stress_url(
    tmp_path_factory: pytest.TempPathFactory, repo: Path, command_server: CommandServer
) -> Iterator[Callable[[str], str]]:
    """A function that returns the address of the site in a theme."""

    @contextmanager
    def serve(theme: str) -> Iterator[str]:
        folder = tmp_path_factory.mktemp(f"stress-{theme}")
        write_stress_site(folder / "site", repo, theme)
        with site_host(folder / "public") as url:
            options = ("--output", folder / "public", "--base-url", url, "--strict")
            built = command_server.run("build", folder / "site", *options, folder=folder, variables={})
            assert built.returncode == 0, built.stderr
            yield url

    with ExitStack() as sites:

        @functools.cache
        def url(theme: str) -> str:
            return sites.enter_context(serve(theme))

        yield url


def opened(browser: Browser, width: int, home: str) -> Page:
    """A page of that width that asks no other host."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.route(lambda address: not address.startswith(home), lambda route: route.abort())
    return page


@pytest.mark.parametrize("theme", EACH_THEME)
def test_nothing_is_wider_than_the_page(browser: Browser, stress_url: Callable[[str], str], theme: str) -> None:
    """What does not fit breaks, shrinks or scrolls in itself; no text stands in a column of a few letters."""
    home = stress_url(theme)
    page = opened(browser, WIDTHS[0], home)
    for name, path in PAGES.items():
        page.goto(home + path, wait_until="load")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(OUTSIDE) == [0, []], (name, width)
            assert page.evaluate(SQUEEZED) == [], (name, width)
        page.set_viewport_size({"width": WIDTHS[0], "height": 800})
    page.close()


@pytest.mark.parametrize("theme", [pytest.param(name, marks=pytest.mark.slow) for name in THEMES])
def test_picture_at_the_side_leaves_room_for_text(
    browser: Browser, stress_url: Callable[[str], str], theme: str
) -> None:
    """It takes less than half of the width, and the text stands beside it."""
    page = opened(browser, 1280, stress_url(theme))
    page.goto(f"{stress_url(theme)}/blog/wide/", wait_until="load")
    figure, text = page.locator(".prose figure.align-right").bounding_box(), page.locator(".prose").bounding_box()
    words = page.get_by_text("Text that flows around it.").bounding_box()
    assert figure
    assert text
    assert words
    assert figure["width"] < text["width"] / 2
    assert words["y"] < figure["y"] + figure["height"]
    page.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_a_pasted_frame_keeps_its_ratio(browser: Browser, stress_url: Callable[[str], str], width: int) -> None:
    """As wide as the column at most, in 16 to 9; a frame of another shape keeps its height."""
    home = stress_url("default")
    page = opened(browser, width, home)
    page.goto(f"{home}/blog/wide/", wait_until="load")
    boxes = [frame.bounding_box() for frame in page.locator(".prose iframe").all()]
    (video, other) = [box for box in boxes if box]
    assert video["width"] / video["height"] == pytest.approx(16 / 9, rel=0.01)
    assert 300 < video["width"] <= min(width, 800)
    assert (other["height"], other["width"] <= min(width, 900)) == (300, True)
    page.close()


def test_breadcrumbs_are_large_enough_for_fingers(browser: Browser, stress_url: Callable[[str], str]) -> None:
    """Each link is 24 pixels high on a phone."""
    home = stress_url("default")
    page = opened(browser, 360, home)
    page.goto(f"{home}/blog/wide/", wait_until="load")
    heights = [box["height"] for link in page.locator(".trail a").all() if (box := link.bounding_box())]
    assert len(heights) == 2
    assert min(heights) >= 24
    page.close()


BOXES = {
    "home": (":is(.story, .row) .featured", ".newsletter input[type=email]", ".site-foot .social a"),
    "post-word": (".series a", ".newsletter input[type=email]", ".author-box .social a"),
    "blog": (".row .featured",),
    "tags": (".initial",),
}
"""What is around texts, by the pages that have it."""


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
def test_boxes_around_texts_are_accessible(browser: Browser, stress_url: Callable[[str], str], theme: str) -> None:
    """axe finds nothing about newsletter, series, featured posts, icons and initials, narrow and dark or wide."""
    home = stress_url(theme)
    for width, scheme in ((360, "dark"), (1280, "light")):
        page = opened(browser, width, home)
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        for name, selectors in BOXES.items():
            page.goto(home + PAGES[name], wait_until="load")
            assert [selector for selector in selectors if not page.locator(selector).count()] == [], name
            assert violations(page, TARGET_SIZE) == [], (name, width, scheme)
        page.close()


EDGES = """
() => [".series", ".newsletter form", ".prose"].map(
  selector => Math.round(document.querySelector(selector).getBoundingClientRect().left))
"""


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", ["post", "post-word"])
def test_series_and_newsletter_stand_in_the_column_of_the_text(
    browser: Browser, stress_url: Callable[[str], str], theme: str, name: str
) -> None:
    """Where the column of the text begins, with an outline beside it or without."""
    home = stress_url(theme)
    for width in (768, 1280):
        page = opened(browser, width, home)
        page.goto(home + PAGES[name], wait_until="load")
        series, newsletter, text = page.evaluate(EDGES)
        assert (series, newsletter) == (text, text), width
        page.close()


def test_the_copy_button_does_not_cover_code(browser: Browser, stress_url: Callable[[str], str]) -> None:
    """Code begins at the left in a text from right to left, too, so the button stands at the right."""
    home = stress_url("default")
    page = opened(browser, 1280, home)
    page.goto(home + PAGES["post-ar"], wait_until="load")
    button, code = page.locator(".copy").bounding_box(), page.locator(".highlight").bounding_box()
    assert button
    assert code
    assert button["x"] > code["x"] + code["width"] / 2
    page.close()


GAPS = """
() => {
  const box = selector => document.querySelector(selector).getBoundingClientRect();
  const name = document.createRange();
  const nodes = [...document.querySelector(".site-name a").childNodes];
  name.selectNodeContents(nodes.findLast(node => node.textContent.trim()));
  return [name.getBoundingClientRect().left - box(".site-name img").right,
    box(".split:has(> .prose) + .plate").top - box(".split:has(+ .plate)").bottom];
}
"""
"""Between the logo and the name of the site, and between a text and the picture below it."""


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("theme", EACH_THEME)
def test_what_follows_does_not_touch(
    browser: Browser, stress_url: Callable[[str], str], theme: str, width: int
) -> None:
    """The name after the logo, a picture after a text."""
    home = stress_url(theme)
    page = opened(browser, width, home)
    page.goto(f"{home}/note/texts/", wait_until="load")
    logo, picture = page.evaluate(GAPS)
    assert 6 <= logo <= 16
    assert 24 <= picture <= 64
    page.close()


def test_a_first_post_without_a_picture_fills_its_row(browser: Browser, stress_url: Callable[[str], str]) -> None:
    """Below the one rule of the heading, its summary stands beside its title."""
    home = stress_url("default")
    page = opened(browser, 1280, home)
    page.goto(home, wait_until="load")
    lead = page.locator(".story.lead.plain")
    assert lead.evaluate("story => getComputedStyle(story).borderTopWidth") == "0px"
    title, summary = (lead.locator(selector).bounding_box() for selector in ("h3", ".summary"))
    assert title
    assert summary
    assert summary["x"] >= title["x"] + title["width"]
    assert abs(summary["y"] - title["y"]) < 24
    page.close()
