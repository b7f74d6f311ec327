"""Comforts that theme.js adds to pages, in Chromium: colours, copying, search over the page, pictures of a gallery."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.axe import violations

CODE = "/blog/a-sundial-you-can-trust/"
PAPER = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that may use the clipboard, on a device with light colours."""
    made = browser.new_context(color_scheme="light", permissions=["clipboard-read", "clipboard-write"])
    yield made
    made.close()


def test_chosen_colours_are_kept(page: Page, site_url: str) -> None:
    """The button changes them, says so, and the next page has them before it is painted; then back again."""
    page.goto(site_url + "/")
    light = page.evaluate(PAPER)
    body, switch = page.locator("body"), page.locator(".to-scheme")
    expect(switch).to_have_attribute("aria-pressed", "false")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    expect(body).not_to_have_css("background-color", light)
    dark = page.evaluate(PAPER)
    page.goto(site_url + CODE, wait_until="commit")
    page.wait_for_selector("h1", state="attached")
    assert page.evaluate("document.documentElement.dataset.scheme") == "dark"
    page.wait_for_load_state()
    expect(body).to_have_css("background-color", dark)
    expect(page.locator("meta[name=theme-color]").first).to_have_attribute("media", "not all")
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    switch.click()
    expect(body).to_have_css("background-color", light)
    assert violations(page) == []


def test_without_a_script_the_device_chooses(browser: Browser, site_url: str) -> None:
    """Buttons that only a script could answer are not there; search is a link."""
    context = browser.new_context(color_scheme="dark", java_script_enabled=False)
    page = context.new_page()
    page.goto(site_url + CODE)
    expect(page.locator(".to-scheme")).to_be_hidden()
    expect(page.locator(".share button")).to_be_hidden()
    expect(page.locator(".share a")).to_have_count(5)
    page.locator("a.to-search").click()
    expect(page).to_have_url(site_url + "/search/")
    context.close()


def test_code_and_the_address_of_a_post_are_copied(page: Page, site_url: str) -> None:
    """To the clipboard, and the button says for two seconds that it is done."""
    page.clock.install()
    page.goto(site_url + CODE)
    code = page.locator(".highlight code").first.inner_text().rstrip("\n")
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    button = page.locator(".highlight .copy").first
    for pressed in (button, page.locator(".share button")):
        before = pressed.inner_text()
        pressed.click()
        expect(pressed).to_have_text("Copied")
        copied: str = page.evaluate("navigator.clipboard.readText()")
        assert copied == code if pressed is button else copied.endswith(CODE)
        page.clock.run_for(2000)
        expect(pressed).to_have_text(before)


@pytest.mark.parametrize("key", ["/", "Control+k"])
def test_search_opens_over_the_page(page: Page, site_url: str, key: str) -> None:
    """By key; it finds posts, keeps the address of the page, Escape clears it, then closes it."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(site_url + CODE)
    page.keyboard.press(key)
    dialog = page.locator("dialog.finder")
    dialog.wait_for()
    expect(page.locator("#_q")).to_be_focused()
    page.keyboard.type("meteor")
    expect(dialog.locator("#_found")).to_contain_text("“meteor”")
    expect(dialog.locator(".found a").first).to_be_visible()
    assert page.url == site_url + CODE
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#_q")).to_have_value("")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.keyboard.press(key)
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.locator("a.to-search").click()
    expect(dialog).to_be_visible()
    assert said == []


def test_home_is_short_on_a_phone(browser: Browser, site_url: str) -> None:
    """Ten posts and a landing page, in fewer than 6,000 pixels."""
    context = browser.new_context(viewport={"width": 360, "height": 800})
    page = context.new_page()
    page.goto(site_url + "/")
    assert page.evaluate("document.documentElement.scrollHeight") < 6000
    context.close()


def test_text_stands_in_the_middle(browser: Browser, site_url: str) -> None:
    """At 1280 pixels there is as much room before the column of text as after it."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(site_url + CODE)
    box = page.locator(".prose > p").first.bounding_box()
    assert box
    assert abs(box["x"] - (1280 - box["x"] - box["width"])) <= 16
    context.close()
