"""Screens of the studio with long texts, in windows of a phone, a tablet and a desk."""

import pytest
from playwright.sync_api import Browser, expect

from tests.support.studio_browser import ServedStudio, Studio, window

PHONE_AND_DESK = [pytest.param((360, "dark"), id="phone"), pytest.param((1280, "light"), id="desk")]
PHONE = pytest.mark.parametrize("studio", [pytest.param((360, "light"), id="phone")], indirect=True)
TABLET = pytest.mark.parametrize("studio", [pytest.param((768, "light"), id="tablet")], indirect=True)
FITS = "document.documentElement.scrollWidth <= innerWidth"
RECEIVER = "https://hooks.example/content/" + "with-a-long-path/" * 6


@pytest.mark.parametrize("studio", PHONE_AND_DESK, indirect=True)
def test_author_is_changed_with_the_buttons_in_view(studio: Studio) -> None:
    """The form says what is not saved, keeps its buttons within the window, and saves it as the browser sends it."""
    page = studio.page
    studio.open("authors/mira-okafor/")
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_in_viewport(ratio=1)
    role = page.get_by_label("Title or role")
    text = f"{role.input_value()} and more"
    role.fill(text)
    expect(page.locator("[data-save-state]")).to_contain_text("Unsaved changes")
    assert studio.violations() == []
    studio.use(page.get_by_role("button", name="Save", exact=True))
    expect(page.locator("[data-said]")).to_be_in_viewport()
    expect(page.get_by_label("Title or role")).to_have_value(text)
    expect(page.locator("[data-save-state]")).to_have_text("Saved")
    assert studio.failures == []


@PHONE
def test_long_address_of_a_webhook_fits(studio: Studio) -> None:
    """An address without a space is broken over lines, in the list and on its page."""
    page = studio.page
    studio.open("site/webhooks/")
    page.get_by_label("Address of the receiver").fill(RECEIVER)
    page.get_by_label("everything").check()
    studio.follow(page.get_by_role("button", name="Add the webhook"))
    studio.open("site/webhooks/")
    link = page.get_by_role("link", name=RECEIVER).first
    expect(link).to_be_visible()
    assert page.evaluate(FITS)
    studio.follow(link)
    assert page.evaluate(FITS)


@TABLET
@pytest.mark.parametrize("path", ["posts/", "pages/"])
def test_titles_have_room_in_lists_of_a_tablet(studio: Studio, path: str) -> None:
    """No title stands in a column of single words, and the table does not scroll sideways."""
    studio.open(path)
    widths = studio.page.locator("tbody .titled").evaluate_all("all => all.map(each => each.offsetWidth)")
    assert min(widths) >= 160
    assert studio.page.locator(".scroll").evaluate("each => each.scrollWidth <= each.clientWidth")


@PHONE
def test_lists_of_a_phone_say_what_a_date_is(studio: Studio) -> None:
    """The heads of the columns cannot be seen there, so the date has its word before it."""
    studio.open("posts/")
    cell = studio.page.locator("td[data-label=Changed]").first
    assert cell.evaluate("each => getComputedStyle(each, '::before').content") == '"Changed "'


@PHONE
@pytest.mark.parametrize("path", ["authors/", "terms/", "log/"])
def test_filters_of_a_phone_are_named(studio: Studio, path: str) -> None:
    """A field has its label in sight, or says in it what it is for."""
    studio.open(path)
    for field in studio.page.locator(".filter :is(input, select)").all():
        label = studio.page.locator(f"label[for={field.get_attribute('id')}]")
        assert field.get_attribute("placeholder") or label.evaluate("each => each.offsetWidth > 1")


@PHONE
def test_focus_in_the_menu_is_not_cut_off(studio: Studio) -> None:
    """The outline of a link lies within the row, which cuts off what is outside of it."""
    studio.open("posts/")
    link = studio.page.locator(".menu a").first
    studio.reach(link)
    outside = link.evaluate(
        """each => {
            const style = getComputedStyle(each);
            const margin = parseFloat(style.outlineOffset) + parseFloat(style.outlineWidth);
            const [inner, outer] = [each.getBoundingClientRect(), each.closest("ul").getBoundingClientRect()];
            return [outer.top - inner.top + margin, inner.bottom - outer.bottom + margin];
        }"""
    )
    assert max(outside) <= 0


@pytest.mark.parametrize("studio", [pytest.param((1280, "dark"), id="dark")], indirect=True)
def test_a_colour_that_is_not_chosen_looks_like_none(studio: Studio) -> None:
    """The words in an empty field can be read, and the picker beside it shows no colour."""
    studio.open("site/theme/")
    colour = studio.page.locator("#theme\\.background")
    words = colour.evaluate("each => getComputedStyle(each, '::placeholder').color")
    assert words == studio.page.locator(".help").first.evaluate("each => getComputedStyle(each).color")
    picker = studio.page.locator(".color", has=colour).locator("[type=color]")
    expect(picker).not_to_have_css("background-image", "none")
    colour.fill("#2d6a4f")
    expect(picker).to_have_css("background-image", "none")


def test_bars_of_a_phone_hold_long_words(served: ServedStudio, browser: Browser) -> None:
    """In German, the state of saving stays beside two states of the entry, and the search of a list is one line."""
    with window(served, browser, (360, "light", "finger"), locale="de") as studio:
        page = studio.page
        studio.sign_in()
        studio.open("posts/1/")
        marks = "".join(f'<span class="mark">{word}</span> ' for word in ("Entwurf", "in Durchsicht"))
        page.locator(".states").evaluate("(each, marks) => { each.innerHTML = marks; }", marks)
        assert page.evaluate(FITS)
        state = page.locator(".save-state strong")
        assert state.evaluate("each => each.getBoundingClientRect().right <= innerWidth")
        assert state.evaluate("each => each.offsetWidth > 60")
        studio.open("posts/")
        tops = page.locator(".filter > :not(.sort)").evaluate_all("all => all.map(each => each.offsetTop)")
        assert max(tops) - min(tops) < 20
