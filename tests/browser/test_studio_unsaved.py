"""Text that is not saved yet, kept by the script of the studio: never lost, never written into fields by itself."""

import pytest
from playwright.sync_api import Browser, Dialog, Page, Route, expect

from tests.browser.conftest import until
from tests.support.studio_browser import Studio

KEPT = "There is text from"
KEEPS = "() => Object.values(localStorage).some(text => text.includes('three'))"
TYPE_LATE = """document.addEventListener('sitecms:sent', () => setTimeout(() => {
    document.querySelector('#title').value += ' typed late';
    document.querySelector('#title').dispatchEvent(new Event('input', {bubbles: true}));
    console.log('typed late');
}, 100), { once: true })"""


def expect_kept(page: Page, count: int) -> None:
    """Wait until the browser keeps text of so many forms."""
    counted = "Object.keys(localStorage).filter(key => key.includes('sitecms:kept')).length"
    until(page, lambda: page.evaluate(counted) == count)


def new_post(studio: Studio, title: str, text: str) -> str:
    """Save a draft, and return its path in the studio."""
    studio.open("posts/new/")
    studio.page.get_by_label("Title", exact=True).fill(title)
    studio.page.get_by_label("Text in Markdown").fill(text)
    studio.press("Save draft")
    expect(studio.page.locator("[data-said]")).to_be_visible()
    return studio.page.url.partition("?")[0].partition("/studio/")[2]


def reopened(studio: Studio, browser: Browser) -> Studio:
    """Close the browser without asking the page, and return another one with what the first has stored."""
    state, is_phone = studio.page.context.storage_state(), studio.way == "finger"
    size = studio.page.viewport_size
    studio.page.close(run_before_unload=False)
    context = browser.new_context(
        storage_state=state, locale="en", viewport=size, has_touch=is_phone, is_mobile=is_phone
    )
    return Studio(context.new_page(), studio.served, studio.way)


@pytest.mark.slow
def test_text_survives_the_end_of_the_browser(studio: Studio, browser: Browser) -> None:
    """Kept within a second, offered and not written into fields, brought back by a click, dropped once it is saved."""
    path = new_post(studio, "Kept", "one")
    expect_kept(studio.page, 0)
    studio.page.get_by_label("Text in Markdown").press_sequentially(" two\nthree")
    studio.page.wait_for_function(KEEPS)
    expect(studio.page.get_by_text("Kept on this device")).to_be_visible()
    after = reopened(studio, browser)
    after.open(path)
    page = after.page
    text = page.get_by_label("Text in Markdown")
    page.get_by_text(KEPT).wait_for()
    untouched = text.input_value()
    assert "two" not in untouched
    assert after.violations() == []
    after.press("Bring it back")
    expect(page.get_by_text("Kept on this device")).to_be_visible()
    assert sorted(text.input_value()) == sorted(f"{untouched} two\nthree")
    brought = text.input_value()
    assert after.violations() == []
    page.keyboard.press("Control+s")
    expect(page.locator("[data-said]")).to_have_text("Saved.")
    expect_kept(page, 0)
    after.open(path)
    expect(text).to_have_value(brought)
    expect(page.get_by_text(KEPT)).to_be_hidden()
    assert [line for line in after.said if "Content Security Policy" in line] == []
    page.context.close()


@pytest.mark.slow
def test_rows_and_discarding(studio: Studio, browser: Browser) -> None:
    """Text of a row that only the form has comes back with the row; text that is discarded is offered no more."""
    studio.open("collections/team/1/")
    field = studio.page.locator("#fields input:not([type=hidden]):not([type=checkbox])").first
    field.fill("Somebody Else")
    studio.page.get_by_text("Kept on this device").wait_for()
    after = reopened(studio, browser)
    for expected in ("Somebody Else", ""):
        after.open("collections/team/1/")
        after.page.get_by_text(KEPT).wait_for()
        if not expected:
            after.page.get_by_role("button", name="Discard it").click()
            continue
        after.press("Bring it back")
        expect(after.page.get_by_text("Kept on this device")).to_be_visible()
        brought = after.page.locator("#fields input:not([type=hidden]):not([type=checkbox])").first
        expect(brought).to_have_value(expected)
    expect_kept(after.page, 0)
    after.page.reload()
    expect(after.page.get_by_text(KEPT)).to_be_hidden()
    after.page.context.close()


def test_nothing_is_kept_or_sent_without_an_edit(studio: Studio) -> None:
    """Ctrl S on an untouched form sends nothing; a picture that is not chosen is no change; undoing leaves none."""
    path = new_post(studio, "Untouched", "x")
    studio.open(path)
    studio.page.wait_for_timeout(600)  # longer than the script waits before it keeps text
    studio.asked.clear()
    studio.page.keyboard.press("Control+s")
    expect(studio.page.get_by_text("Nothing to save")).to_be_visible()
    assert [url for url in studio.asked if path in url] == []
    studio.press("Choose a picture")
    studio.press("Cancel")
    title = studio.page.get_by_label("Title", exact=True)
    expect_kept(studio.page, 0)
    title.fill("Touched")
    studio.page.get_by_text("Kept on this device").wait_for()
    title.fill("Untouched")
    expect(studio.page.get_by_text("Kept on this device")).to_be_hidden()
    expect_kept(studio.page, 0)


@pytest.mark.slow
def test_leaving_and_signing_out_ask_first(studio: Studio) -> None:
    """The browser warns of unsaved changes; signing out says that text stays, and it is there at the next sign-in."""
    page, asked = studio.page, []

    def answer(dialog: Dialog) -> None:
        asked.append((dialog.type, dialog.message))
        if len(asked) < 3:
            dialog.dismiss()
        else:
            dialog.accept()

    path = new_post(studio, "Leaving", "x")
    page.on("dialog", answer)
    page.get_by_label("Title", exact=True).press_sequentially("!")
    page.get_by_text("Kept on this device").wait_for()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Media").click(no_wait_after=True)
    until(page, lambda: len(asked) == 1)
    page.get_by_role("button", name="Sign out").click(no_wait_after=True)
    until(page, lambda: len(asked) == 2)
    assert [kind for kind, _message in asked] == ["beforeunload", "confirm"]
    expect(page.get_by_label("Title", exact=True)).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in/")
    assert len(asked) == 3
    expect(page.locator("script")).to_have_count(0)
    expect_kept(page, 1)
    studio.sign_in_by_form()
    studio.open(path)
    page.get_by_text(KEPT).wait_for()


def test_text_typed_while_saving_is_kept(studio: Studio) -> None:
    """What is typed between pressing Save and the answer stays, and is not saved yet."""
    page = studio.page
    path = new_post(studio, "Slow", "x")
    studio.open(path)
    page.get_by_label("Title", exact=True).fill("Slow answer")

    def answer_late(route: Route) -> None:
        until(page, lambda: "typed late" in studio.said)
        route.continue_()

    page.route(f"**/{path}", answer_late)
    page.evaluate(TYPE_LATE)
    page.keyboard.press("Control+s")
    page.locator("[data-said]").wait_for()
    expect(page.get_by_label("Title", exact=True)).to_have_value("Slow answer typed late")
    expect(page.locator(".save-state")).to_contain_text("Unsaved changes")
    expect_kept(page, 1)
    page.unroute(f"**/{path}")
    studio.press("Save draft")
    expect_kept(page, 0)
    studio.open(path)
    expect(page.get_by_label("Title", exact=True)).to_have_value("Slow answer typed late")


@pytest.mark.parametrize("is_new", [True, False])
def test_window_that_is_closed_while_it_publishes_keeps_nothing(studio: Studio, *, is_new: bool) -> None:
    """The server has saved the text, whose window never learns of it; what is typed after that is offered."""
    context, path = studio.page.context, "posts/new/"
    if is_new:
        studio.open(path)
    else:
        path = new_post(studio, "Closed", "one")
    studio.page.get_by_label("Title", exact=True).fill(f"Closed at once {is_new}")
    studio.page.get_by_label("Text in Markdown").press_sequentially(" two\nthree")
    expect_kept(studio.page, 1)
    studio.page.route(
        "**/posts/**", lambda route: route.fetch(max_redirects=0) if is_post(route) else route.continue_()
    )
    with studio.page.expect_request(lambda request: request.method == "POST" and f"/studio/{path}" in request.url):
        studio.page.get_by_role("button", name="Publish", exact=True).last.click()
    other = Studio(context.new_page(), studio.served)
    other.open("posts/")
    until(other.page, lambda: published(other, f"Closed at once {is_new}"))
    expect_kept(other.page, 1)
    studio.page.close(run_before_unload=False)
    other.open(path)
    expect_kept(other.page, 0)
    expect(other.page.get_by_text(KEPT)).to_have_count(0)


def is_post(route: Route) -> bool:
    """Return whether a request is one that saves."""
    return route.request.method == "POST" and "unsaved" not in route.request.url


def published(studio: Studio, title: str) -> bool:
    """Return whether the list of posts has a published post of this title."""
    studio.open("posts/?status=published")
    return studio.page.get_by_role("link", name=title, exact=True).count() > 0
