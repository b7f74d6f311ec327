"""A reader at work in Chromium: the skip link, the menu, the languages, anchors, paper."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

POST = "/blog/counting-meteors-honestly/"
POST_WITH_FOOTNOTES = "/blog/a-gauge-made-from-a-bottle/"
POST_ES = "/es/blog/contar-meteoros-con-honradez/"
FOCUSED = "document.activeElement"


@pytest.fixture(scope="module", params=[360, pytest.param(1280, marks=pytest.mark.slow)])
def context(request: pytest.FixtureRequest, browser: "Browser") -> Iterator["BrowserContext"]:
    """A browser of a narrow and of a wide window."""
    made = browser.new_context(viewport={"width": request.param, "height": 800}, reduced_motion="reduce")
    yield made
    made.close()


@pytest.fixture
def page(context: "BrowserContext") -> Iterator["Page"]:
    """An empty page."""
    opened = context.new_page()
    yield opened
    opened.close()


def test_first_tab_shows_the_skip_link(page: "Page", site_url: str) -> None:
    """The first Tab brings the skip link into sight; Enter takes the reader past the menu into main."""
    page.goto(site_url + POST)
    link = page.locator("a.skip")
    before = link.bounding_box()
    assert before
    assert before["y"] + before["height"] < 0
    page.keyboard.press("Tab")
    assert link.evaluate(f"element => element === {FOCUSED}")
    shown = link.bounding_box()
    assert shown
    assert shown["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate(f"{FOCUSED}.localName") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate(f"{FOCUSED}.closest('main') !== null")


def test_menu_opens_by_keyboard(page: "Page", site_url: str) -> None:
    """Enter opens what is below a menu entry, Tab goes into it, Enter closes it again."""
    page.goto(site_url + "/")
    details = page.locator(".menu details").first
    links = details.locator("a")
    assert not links.first.is_visible()
    details.locator("summary").focus()
    page.keyboard.press("Enter")
    assert links.first.is_visible()
    page.keyboard.press("Tab")
    assert links.first.evaluate(f"element => element === {FOCUSED}")
    width = page.evaluate("innerWidth")
    for box in [links.nth(number).bounding_box() for number in range(links.count())]:
        assert box
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    assert not links.first.is_visible()


def test_every_focus_is_seen(page: "Page", site_url: str) -> None:
    """Whatever Tab reaches on a post shows an outline and lies within the window."""
    page.goto(site_url + POST)
    seen = 0
    page.keyboard.press("Tab")
    while page.evaluate(f"{FOCUSED} !== document.body") and seen < 150:
        seen += 1
        text, outline, bottom, top = page.evaluate(
            f"(e => {{ const box = e.getBoundingClientRect(); const style = getComputedStyle(e);"
            f" return [e.outerHTML.slice(0, 120), style.outlineStyle, box.bottom, box.top]; }})({FOCUSED})"
        )
        assert outline != "none", text
        assert bottom > 0, text
        assert top < 800, text
        page.keyboard.press("Tab")
    assert seen > 20


def test_language_link_leads_to_the_same_post(page: "Page", site_url: str) -> None:
    """The language switcher of a post leads to that post in Spanish, and from there back."""
    page.goto(site_url + POST)
    page.locator(".languages a[hreflang=es]").click()
    page.wait_for_url(site_url + POST_ES)
    assert page.evaluate("document.documentElement.lang") == "es"
    page.locator(".languages a[hreflang=en]").click()
    page.wait_for_url(site_url + POST)
    assert page.evaluate("document.documentElement.lang") == "en"


def test_anchors_of_a_post_lead_within_it(page: "Page", site_url: str) -> None:
    """A footnote's number, its way back and a heading's anchor all point at something on the page."""
    page.goto(site_url + POST_WITH_FOOTNOTES)
    targets = page.eval_on_selector_all("main a[href^='#']", "links => links.map(a => decodeURIComponent(a.hash))")
    assert len(targets) > 1
    missing = [target for target in targets if not page.evaluate("id => document.getElementById(id)", target[1:])]
    assert missing == []


def test_whole_card_is_a_link(page: "Page", site_url: str) -> None:
    """On the home page, the picture of a post leads to the post as its title does."""
    page.goto(site_url + "/")
    story = page.locator(".story", has=page.locator(".frame")).first
    address = story.locator("a.cover").evaluate("link => link.href")
    story.locator(".frame").scroll_into_view_if_needed()
    story.locator(".frame").click(force=True)
    page.wait_for_url(address)


@pytest.mark.parametrize("path", [POST, "/", "/guide/starting-a-nature-notebook/"])
def test_page_can_be_printed(page: "Page", site_url: str, path: str) -> None:
    """On paper there is no menu, the text is black on white, and a PDF comes out."""
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(site_url + path)
    assert not page.locator("nav.menu").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("h1").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")
