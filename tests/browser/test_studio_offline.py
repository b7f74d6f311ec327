"""Saving in Chromium while the server cannot be reached: the page stays, says so, and saves once it can."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.test_studio_unsaved import new_post
from tests.support.studio_browser import Studio

NOT_SAVED = "No connection."
QUEUED = "What you wrote is kept here, and sent when it is back."


@pytest.fixture
def page(studio: Studio) -> Page:
    """The form of a draft, with an unsaved title, and the network cut."""
    new_post(studio, "Ferry", "one")
    studio.page.context.set_offline(True)
    studio.page.get_by_label("Title", exact=True).fill("Night ferry")
    return studio.page


@pytest.mark.parametrize(("button", "said"), [("Save draft", "saved"), ("Publish", "published"), ("Delete", "deleted")])
def test_each_button_waits_for_the_server(studio: Studio, page: Page, button: str, said: str) -> None:
    """The page and the text stay; when the network is back, the button has its effect by itself, once."""
    address = page.url
    if button == "Publish":
        page.get_by_role("button", name=button, exact=True).evaluate("each => each.form.requestSubmit(each)")
    else:
        page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_text(NOT_SAVED)).to_be_visible()
    expect(page.get_by_text(QUEUED)).to_be_visible()
    assert page.url == address
    expect(page.get_by_label("Title", exact=True)).to_have_value("Night ferry")
    assert studio.violations() == []
    sent: list[tuple[str, str]] = []
    page.on("request", lambda request: sent.append((request.method, request.url.split("?")[0])))
    page.context.set_offline(False)
    expect(page.locator(f"[data-said={said}]")).to_be_visible()
    assert sent.count(("POST", address.split("?")[0])) == 1
    if button != "Delete":
        expect(page.get_by_label("Title", exact=True)).to_have_value("Night ferry")
        expect(page.get_by_text("that was not saved")).to_have_count(0)


def test_nothing_half_written_is_published(page: Page) -> None:
    """Who goes on writing after Publish is asked to press it again; a draft is saved as it is then."""
    title = page.get_by_label("Title", exact=True)
    page.get_by_role("button", name="Publish", exact=True).evaluate("each => each.form.requestSubmit(each)")
    expect(page.get_by_text(QUEUED)).to_be_visible()
    title.fill("Night ferry to")
    expect(page.get_by_text("press the button again")).to_be_visible()
    page.get_by_role("button", name="Save draft", exact=True).click()
    expect(page.get_by_text(QUEUED)).to_be_visible()
    title.fill("Night ferry to Bergen")
    page.context.set_offline(False)
    expect(page.locator("[data-said=saved]")).to_be_visible()
    expect(title).to_have_value("Night ferry to Bergen")


def test_buttons_that_save_nothing_wait_too(page: Page) -> None:
    """The choice of a picture is another page: it opens when the server answers, with the text of the form."""
    page.get_by_role("button", name="Choose a picture").click()
    expect(page.get_by_text(QUEUED)).to_be_visible()
    with page.expect_navigation():
        page.context.set_offline(False)
    with page.expect_navigation():
        page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_label("Title", exact=True)).to_have_value("Night ferry")


@pytest.mark.parametrize("status", [502, 503])
def test_a_proxy_without_a_server_is_no_answer(page: Page, status: int) -> None:
    """Its error page does not replace the form, whose text is saved by itself once the server is there."""
    address = page.url.split("?")[0]
    page.context.set_offline(False)

    def refuse(route: Route) -> None:
        if route.request.method == "POST":
            route.fulfill(status=status, body="Bad Gateway")
        else:
            route.fallback()

    page.route(address, refuse)
    page.get_by_role("button", name="Save draft", exact=True).click()
    expect(page.get_by_text("Not saved: the server is not available.")).to_be_visible()
    page.unroute(address)
    expect(page.locator("[data-said=saved]")).to_be_visible()
    expect(page.get_by_label("Title", exact=True)).to_have_value("Night ferry")


def test_a_new_entry_whose_answer_is_lost_is_not_sent_twice(studio: Studio) -> None:
    """It may be there already: the page says so, and keeps the text."""
    page = studio.page
    studio.open("posts/new/")
    page.get_by_label("Title", exact=True).fill("Once")
    sent = []

    def lose(route: Route) -> None:
        if route.request.method == "POST":
            sent.append(route.request.url)
            route.abort()
        else:
            route.fallback()

    page.route("**/studio/posts/new/", lose)
    page.get_by_role("button", name="Save draft", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Look whether it is in the list")
    expect(page.get_by_label("Title", exact=True)).to_have_value("Once")
    page.evaluate("dispatchEvent(new Event('online'))")
    assert len(sent) == 1
    assert studio.violations() == []


def test_errors_of_a_form_are_shown(studio: Studio) -> None:
    """As without the script: beside their fields, with what was typed."""
    page = studio.page
    studio.open("posts/new/")
    page.get_by_label("Text in Markdown").fill("No title")
    studio.press("Save draft")
    expect(page.get_by_text("This field").first).to_be_visible()
    expect(page.get_by_label("Text in Markdown")).to_have_value("No title")


def test_an_entry_deleted_meanwhile_comes_back_with_the_text(studio: Studio) -> None:
    """The page says where it is and shows the text; restoring it leads back to the form."""
    address = new_post(studio, "Gone", "one")
    page, other = studio.page, studio.page.context.new_page()
    other.goto(f"{studio.url}/studio/{address}")
    with other.expect_navigation():
        other.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_label("Title", exact=True).fill("Gone and back")
    studio.press("Save draft")
    expect(page.get_by_role("heading", name="The post was deleted")).to_be_visible()
    expect(page.get_by_label("Title", exact=True)).to_have_value("Gone and back")
    assert studio.violations() == []
    studio.press("Restore it, and go on with my text")
    expect(page.get_by_label("Title", exact=True)).to_have_value("Gone and back")
    studio.press("Save draft")
    expect(page.locator("[data-said=saved]")).to_be_visible()
