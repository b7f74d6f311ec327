"""The studio in Chromium, with `sitecms serve` and its worker: flows, accessibility, and no request to other hosts."""

import pytest
from playwright.sync_api import expect

from tests.support.studio_browser import NAME, PASSWORD, Studio

FEW = ("posts/1/", "pages/7/")
SCREENS = (
    "posts/", "posts/new/", "posts/1/", "posts/?text=nothing+at+all", "pages/", "pages/7/", "pages/7/?locale=es",
    "pages/new/single/", "collections/", "collections/team/", "collections/team/1/", "collections/team/new/", "media/",
    "authors/", "authors/-new/", "authors/mira-okafor/", "terms/", "terms/new/tag/", "terms/category/weather/",
    "pages/5/?locale=es&beside=en", "trash/", "writes/", "people/", "people/mira/", "log/", "account/",
    "account/second-factor/", "confirm/", "invitation/", "nowhere/", "reviews/", "calendar/", "media/describe/",
    "site/", "site/builds/", "site/changes/", "site/menu/", "site/redirects/", "site/services/", "site/theme/",
    "site/tokens/", "site/webhooks/", "posts/1/history/", "posts/1/history/0/",
)  # fmt: skip
VIEWS = (
    pytest.param((360, "dark"), FEW, id="360-dark-few"),
    pytest.param((360, "dark"), SCREENS, id="360-dark", marks=pytest.mark.slow),
    pytest.param((1280, "light"), SCREENS, id="1280-light", marks=pytest.mark.slow),
)


@pytest.mark.parametrize(("stranger", "screens"), VIEWS, indirect=["stranger"])
def test_every_screen_is_accessible_and_fits(stranger: Studio, screens: tuple[str, ...]) -> None:
    """axe-core finds nothing, nothing is wider than the window, no script fails, no other host is asked."""
    stranger.open("sign-in/")
    assert stranger.violations() == []
    stranger.sign_in()
    for screen in screens:
        stranger.open(screen)
        assert stranger.violations() == [], screen
        assert stranger.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), screen
        assert stranger.failures == [], screen
    stranger.open("posts/new/")
    stranger.press("Choose a picture")
    assert stranger.violations() == []
    stranger.press("Use the picture")
    stranger.press("Publish")
    expect(stranger.page.get_by_role("alert")).to_be_visible()
    assert stranger.violations() == []
    assert stranger.complaints() == []


def test_post_is_written_with_the_keyboard_alone(stranger: Studio) -> None:
    """Signed in, titled, written and published without a pointer; the worker applies it and the API shows it."""
    page = stranger.page
    stranger.open("sign-in/")
    page.keyboard.press("Tab")
    for text in (NAME, PASSWORD):
        page.keyboard.press("Tab")
        page.keyboard.type(text)
    page.keyboard.press("Enter")
    page.wait_for_url("**/studio/posts/")
    page.get_by_role("link", name="New post").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/new/")
    expect(page.get_by_label("Title", exact=True)).to_be_focused()
    page.keyboard.type("By keyboard")
    page.get_by_role("button", name="Markdown").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Text in Markdown")).to_be_visible()
    expect(page.get_by_role("toolbar", name="Formatting")).to_be_visible()
    page.get_by_label("Title", exact=True).focus()
    page.keyboard.press("Enter")  # leads on to the text
    page.keyboard.type("First line\n\n- a *list*")
    page.get_by_role("button", name="Publish", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-said]")).to_contain_text("Published.")
    expect(page.get_by_label("Text in Markdown")).to_have_value("First line\n\n- a *list*")


def test_enter_in_a_field_saves_and_publishes_nothing(studio: Studio) -> None:
    """The first button of the form is the harmless one."""
    studio.open("posts/new/")
    studio.page.get_by_label("Title", exact=True).fill("Only a draft")
    studio.page.get_by_label("Address", exact=True).press("Enter")
    expect(studio.page.locator("[data-said]")).to_have_text("The draft is created.")


@pytest.mark.parametrize("studio", [pytest.param((360, "light"), id="360-light")], indirect=True)
def test_the_menu_shows_the_entry_of_the_page_on_a_phone(studio: Studio) -> None:
    """It is one row there, which begins with other entries."""
    for screen in ("posts/", "log/", "people/"):
        studio.open(screen)
        entry = studio.page.locator(".menu [aria-current]")
        expect(entry).to_be_in_viewport(ratio=0.95)
        assert studio.page.evaluate("scrollY") == 0
