"""Text kept on the server while it is typed, and two people at one entry: merged, chosen, and told of each other."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.conftest import until
from tests.support.studio_browser import PHONE_AND_KEYS, Studio

from .test_studio_unsaved import new_post, reopened

KEPT = "There is text of yours from"


def other_window(studio: Studio, browser: Browser) -> Studio:
    """Return a window on another device, in which the same user is signed in."""
    state = studio.page.context.storage_state()
    return Studio(
        browser.new_context(storage_state={"cookies": state["cookies"]}, locale="en").new_page(), studio.served
    )


@pytest.mark.slow
def test_text_is_offered_on_another_device(studio: Studio, browser: Browser) -> None:
    """Kept on the server after two seconds, brought back by a click, gone once it is saved; presence is shown."""
    path = new_post(studio, "Kept there", "one")
    title = studio.page.get_by_label("Title", exact=True)
    with studio.page.expect_response(lambda answer: answer.url.endswith("/studio/unsaved/")) as kept:
        title.fill("Typed here")
    assert kept.value.status == 200
    expect(studio.page.locator(".save-state").get_by_text(re.compile(r"^Kept \d"))).to_be_visible()
    phone = other_window(studio, browser)
    phone.open(path)
    expect(phone.page.get_by_text(KEPT)).to_be_visible()
    expect(phone.page.get_by_text("You have this open in another window with unsaved changes.")).to_be_visible()
    assert phone.violations() == []
    expect(phone.page.get_by_label("Title", exact=True)).to_have_value("Kept there")
    phone.page.get_by_role("button", name="Bring it back").click()
    expect(phone.page.get_by_label("Title", exact=True)).to_have_value("Typed here")
    phone.page.get_by_role("button", name="Save draft").last.click()
    expect(phone.page.locator("[data-said]")).to_have_text("Saved.")
    phone.open(path)
    expect(phone.page.get_by_label("Title", exact=True)).to_have_value("Typed here")
    expect(phone.page.get_by_text(KEPT)).to_have_count(0)
    assert [line for line in phone.said + studio.said if "Content Security Policy" in line] == []
    phone.page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_offline_for_a_while_then_back(studio: Studio) -> None:
    """The failure is said, the request is tried again, and what was typed meanwhile is kept."""
    new_post(studio, "Train", "one")
    page = studio.page
    page.context.set_offline(True)
    studio.write(page.get_by_label("Title", exact=True), "Tunnel")
    expect(page.get_by_text("Not saved: no connection.")).to_be_visible()
    studio.write(page.get_by_label("Title", exact=True), "Long tunnel")
    with page.expect_response(lambda answer: answer.url.endswith("/studio/unsaved/")) as kept:
        page.context.set_offline(False)
    assert "Long+tunnel" in (kept.value.request.post_data or "")
    expect(page.get_by_text("Not saved: no connection.")).to_have_count(0)


@pytest.mark.slow
def test_an_answer_writes_into_no_field(studio: Studio) -> None:
    """What is typed while a request is on its way stays, and is sent with the next one; one at a time."""
    new_post(studio, "Slow", "one")
    page, open_now, most = studio.page, [], []

    def slowly(route: Route) -> None:
        open_now.append(route)
        most.append(len(open_now))
        page.wait_for_timeout(300)
        open_now.remove(route)
        route.continue_()

    page.route("**/studio/unsaved/", slowly)
    with page.expect_response(lambda answer: "Slower" in (answer.request.post_data or "")):
        page.get_by_label("Title", exact=True).fill("Slow 1")
        page.wait_for_timeout(2100)
        page.get_by_label("Title", exact=True).fill("Slower")
    expect(page.get_by_label("Title", exact=True)).to_have_value("Slower")
    assert max(most) == 1


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_two_people_at_one_entry(studio: Studio, browser: Browser, tmp_path: Path) -> None:
    """One field each is merged; of the same field one text is chosen; screens have no violations."""
    path = new_post(studio, "Together", "The tide comes in.\n\nIt goes.")
    other = other_window(studio, browser)
    other.open(path)
    studio.open(path)
    other.page.get_by_label("Title", exact=True).fill("Their title")
    other.page.get_by_label("Text in Markdown").fill("The big tide comes in.\n\nIt goes.")
    other.page.get_by_role("button", name="Save draft").last.click()
    expect(other.page.locator("[data-said]")).to_have_text("Saved.")
    page = studio.page
    studio.write(page.get_by_label("Excerpt"), "My excerpt")
    studio.write(page.get_by_label("Text in Markdown"), "The small tide comes in.\n\nIt goes.")
    studio.press("Save draft")
    expect(page.get_by_role("heading", name="You changed this in another place meanwhile")).to_be_visible()
    assert studio.violations() == []
    page.screenshot(path=str(tmp_path / "conflict.png"), full_page=True)
    expect(page.get_by_label("Title", exact=True)).to_have_value("Their title")
    expect(page.get_by_label("Excerpt")).to_have_value("My excerpt")
    studio.use(page.get_by_role("group", name="Text", exact=True).first.get_by_label("Keep mine"), "Space")
    studio.press("Save draft")
    expect(page.locator("[data-said]")).to_have_text("Saved.")
    expect(page.get_by_label("Text in Markdown")).to_have_value("The small tide comes in.\n\nIt goes.")
    expect(page.get_by_label("Title", exact=True)).to_have_value("Their title")
    studio.follow(page.locator("#panel").get_by_role("link", name="History", include_hidden=True))
    expect(page.get_by_role("heading", name="History")).to_be_visible()
    assert studio.violations() == []
    page.screenshot(path=str(tmp_path / "history.png"), full_page=True)
    studio.follow(page.locator(".versions a").nth(1))
    expect(page.get_by_role("button", name="Bring this version back")).to_be_visible()
    expect(page.locator("ins").first).to_be_visible()
    assert studio.violations() == []
    page.screenshot(path=str(tmp_path / "version.png"), full_page=True)
    studio.press("Bring this version back")
    expect(page.locator("[data-said]")).to_have_text("The version is brought back as a draft.")
    assert studio.violations() == []
    other.page.context.close()


@pytest.mark.slow
def test_presence_ends_when_the_page_is_left(studio: Studio, browser: Browser) -> None:
    """Nothing is said of a window that was closed."""
    path = new_post(studio, "Present", "one")
    other = other_window(studio, browser)
    other.open(path)
    expect(other.page.get_by_text("You have this open in another window.")).to_be_visible()
    studio.open("posts/")

    def others() -> object:
        with other.page.expect_response(lambda answer: answer.url.endswith("/studio/presence/")) as answered:
            other.page.reload()
        return answered.value.json()

    until(other.page, lambda: others() == {"others": []})  # the page that was left says so a moment later
    other.page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_browser_killed_loses_two_seconds_at_most(studio: Studio, browser: Browser) -> None:
    """This device has the text at once, the server two seconds later, with no warning before the end."""
    path = new_post(studio, "Crash", "one")
    with studio.page.expect_response(lambda answer: answer.url.endswith("/studio/unsaved/")):
        studio.write(studio.page.get_by_label("Title", exact=True), "Before the crash")
    after = reopened(studio, browser)
    after.open(path)
    expect(after.page.locator(".kept:visible")).to_have_count(1)
    after.follow(after.page.get_by_role("button", name="Bring it back").first)
    expect(after.page.get_by_label("Title", exact=True)).to_have_value("Before the crash")
    after.page.context.close()
