"""Search in Chromium: by keyboard, in the reader's language, from this site alone."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.axe import violations

FOCUSED = "document.activeElement"
RESULTS = ".found a"


class Searching:
    """A page, and what was heard of it."""

    def __init__(self, page: Page, site_url: str) -> None:
        self.page = page
        self.site_url = site_url
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, path: str = "/search/") -> Page:
        """Go there."""
        self.page.goto(self.site_url + path)
        return self.page

    def strangers(self) -> list[str]:
        """Addresses of other hosts that were asked."""
        return [url for url in self.asked if not url.startswith((self.site_url + "/", "data:", "blob:"))]


@pytest.fixture
def searching(context: BrowserContext, site_url: str) -> Iterator[Searching]:
    """Nothing opened yet."""
    page = context.new_page()
    yield Searching(page, site_url)
    page.close()


def test_results_are_found_and_opened_by_keyboard(searching: Searching) -> None:
    """Words, arrow down, arrow up, Enter: the post opens; nothing is said and nobody else is asked."""
    page = searching.open()
    expect(page.locator("#_q")).to_be_focused()
    page.keyboard.type("moon")
    expect(page.locator("#_found")).to_contain_text("“moon”")
    expect(page.locator(RESULTS).first).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".found li:first-child a")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".found li:nth-child(2) a")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator(".found li:first-child a")).to_be_focused()
    address = page.evaluate(f"{FOCUSED}.href")
    page.keyboard.press("Enter")
    expect(page).to_have_url(address)
    assert "/blog/" in address
    expect(page.locator("h1")).to_be_visible()
    assert (searching.said, searching.strangers()) == ([], [])


def test_escape_clears_and_slash_returns(searching: Searching) -> None:
    """From a result, Escape empties the page and waits for other words; `/` comes back to them from anywhere."""
    page = searching.open("/search/?q=moon")
    expect(page.locator(RESULTS).first).to_be_visible()
    page.locator(RESULTS).first.focus()
    page.keyboard.press("Escape")
    expect(page.locator(RESULTS)).to_have_count(0)
    for _ in range(2):
        expect(page.locator("#_q")).to_be_focused()
        expect(page.locator("#_q")).to_have_value("")
        expect(page).to_have_url(searching.site_url + "/search/")
        page.locator(".site-name a").first.focus()
        page.keyboard.press("/")


def test_address_contains_the_search_text(searching: Searching) -> None:
    """So that going back from a post shows the results again."""
    page = searching.open()
    page.keyboard.type("owl")
    expect(page.locator("#_found")).to_contain_text("“owl”")
    expect(page).to_have_url(re.compile(r"\?q=owl$"))
    page.locator(RESULTS).first.click()
    page.wait_for_url("**/blog/**")
    page.go_back()
    expect(page.locator("#_found")).to_contain_text("“owl”")
    expect(page.locator(RESULTS).first).to_be_visible()


def test_each_language_finds_its_own(searching: Searching) -> None:
    """Spanish posts by Spanish words, told in Spanish; the switcher leads to the other search page."""
    page = searching.open("/es/search/?q=niebla")
    page.locator(RESULTS).first.wait_for()
    expect(page.locator("#_found")).to_contain_text("para «niebla»")
    addresses = page.eval_on_selector_all(RESULTS, "links => links.map(link => new URL(link.href).pathname)")
    assert addresses
    assert all(address.startswith("/es/") for address in addresses)
    page.locator(".languages a[hreflang=en]").click()
    page.wait_for_url(searching.site_url + "/search/")


def test_only_posts_and_pages_are_found(searching: Searching) -> None:
    """Menu, foot, lists and the page for unknown addresses are not."""
    page = searching.open("/search/?q=hedgerow")
    page.locator(RESULTS).first.wait_for()
    addresses = page.eval_on_selector_all(RESULTS, "links => links.map(link => new URL(link.href).pathname)")
    assert not [each for each in addresses if each in ("/", "/blog/", "/404.html", "/search/") or "/page/" in each]
    page.goto(searching.site_url + "/search/?q=%22Back+to+the+top%22")
    expect(page.locator("#_found")).to_have_text('Nothing was found for “"Back to the top"”.')


def test_hostile_words_are_words(searching: Searching) -> None:
    """HTML in the address is shown as it is written."""
    page = searching.open("/search/?q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E{words}")
    expect(page.locator("#_found")).to_contain_text("<img src=x onerror=alert(1)>{words}")
    expect(page.locator("#_found img")).to_have_count(0)


def test_results_are_accessible(searching: Searching) -> None:
    """axe-core finds nothing with results shown, and nothing is wider than the window."""
    page = searching.open("/search/?q=the")
    page.locator(RESULTS).first.wait_for()
    expect(page.locator("[role=status]")).to_have_count(1)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_more_results_come_when_asked_for(searching: Searching) -> None:
    """Ten at a time; the focus goes to the first new one."""
    page = searching.open("/search/?q=the")
    expect(page.locator(RESULTS)).to_have_count(10)
    page.get_by_role("button", name="More results").focus()
    page.keyboard.press("Enter")
    expect(page.locator(RESULTS)).not_to_have_count(10)
    expect(page.locator(RESULTS).nth(10)).to_be_focused()


def test_without_a_script_the_page_says_so(site_url: str, public: Path) -> None:
    """And shows the way to all posts. (Chromium under control does not render <noscript>.)"""
    for locale, words in (("", "needs JavaScript"), ("es/", "necesita JavaScript")):
        text = (public / f"{locale}search/index.html").read_text(encoding="utf-8")
        (found,) = re.findall("<noscript>(.*?)</noscript>", text, re.DOTALL)
        assert words in found
        assert f'href="/{locale}blog/"' in found


def test_no_search_is_loaded_on_other_pages(searching: Searching) -> None:
    """The header opens search; nothing of it is loaded before."""
    page = searching.open("/blog/counting-meteors-honestly/")
    assert not [url for url in searching.asked if "pagefind" in url or "/search." in url]
    page.locator("a.to-search").focus()
    with page.expect_request(re.compile(r"/search\.[^/]*js")):
        page.keyboard.press("Enter")
    expect(page.locator("#_q")).to_be_focused()
