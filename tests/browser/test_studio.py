"""The studio in Chromium, with `sitecms serve` and its worker: flows, accessibility, and no request to other hosts."""

import pytest
from playwright.sync_api import expect

from tests.support.studio_browser import NAME, PASSWORD, PHONE_AND_KEYS, Studio

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


@pytest.mark.parametrize(("studio", "screens"), VIEWS, indirect=["studio"])
def test_every_screen_is_accessible_and_fits(studio: Studio, screens: tuple[str, ...]) -> None:
    """axe-core finds nothing, nothing is wider than the window, no script fails, no other host is asked."""
    studio.open("sign-in/")
    assert studio.violations() == []
    studio.sign_in()
    for screen in screens:
        studio.open(screen)
        assert studio.violations() == [], screen
        assert studio.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), screen
        assert studio.failures == [], screen
    studio.open("posts/new/")
    studio.press("Choose a picture")
    assert studio.violations() == []
    studio.press("Use the picture")
    studio.press("Publish")
    expect(studio.page.get_by_role("alert")).to_be_visible()
    assert studio.violations() == []
    assert [line for line in studio.said if "Content Security Policy" in line] == []
    assert [url for url in studio.asked if not url.startswith(studio.url)] == []


def test_post_is_written_with_the_keyboard_alone(studio: Studio) -> None:
    """Signed in, titled, written and published without a pointer; the worker applies it and the API shows it."""
    page = studio.page
    studio.open("sign-in/")
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
    studio.sign_in()
    studio.open("posts/new/")
    studio.page.get_by_label("Title", exact=True).fill("Only a draft")
    studio.page.get_by_label("Address", exact=True).press("Enter")
    expect(studio.page.locator("[data-said]")).to_have_text("The draft is created.")


@pytest.mark.parametrize(
    "studio",
    [
        pytest.param((1280, "light"), id="mouse"),
        *(pytest.param(*each.values, marks=pytest.mark.slow) for each in PHONE_AND_KEYS),
    ],
    indirect=True,
)
def test_two_windows_lose_no_word(studio: Studio) -> None:
    """The second save is stopped, shows both texts, and succeeds when one of them was chosen."""
    studio.sign_in()
    studio.open("posts/new/")
    studio.page.get_by_label("Title", exact=True).fill("Shared")
    studio.page.get_by_label("Text in Markdown").fill("old")
    studio.press("Save draft")
    address = studio.page.url.partition("?")[0]
    second = Studio(studio.page.context.new_page(), studio.served, studio.way)
    second.page.goto(address)
    for window, text in ((studio, "first window"), (second, "second window")):
        window.page.bring_to_front()
        window.write(window.page.get_by_label("Text in Markdown"), text)
        window.press("Save draft")
    choice = second.page.locator("fieldset.theirs")
    expect(choice).to_contain_text("first")
    expect(second.page.get_by_label("Text in Markdown")).to_have_value("second window")
    second.use(choice.get_by_label("Keep mine"), "Space")
    second.press("Save draft")
    expect(second.page.locator("[data-said]")).to_be_visible()
    second.page.goto(address)
    expect(second.page.get_by_label("Text in Markdown")).to_have_value("second window")


@pytest.mark.parametrize("studio", [pytest.param((360, "light"), id="360-light")], indirect=True)
def test_the_menu_shows_the_entry_of_the_page_on_a_phone(studio: Studio) -> None:
    """It is one row there, which begins with other entries."""
    studio.sign_in()
    for screen in ("posts/", "log/", "people/"):
        studio.open(screen)
        entry = studio.page.locator(".menu [aria-current]")
        expect(entry).to_be_in_viewport(ratio=0.95)
        assert studio.page.evaluate("scrollY") == 0
