"""The writing screen in Chromium: new posts in rich text, blocks by `/`, the palette."""

from secrets import token_hex

import pytest
from playwright.sync_api import expect

from tests.support.studio_browser import PHONE_AND_KEYS, Studio

from .test_studio_unsaved import new_post


@pytest.mark.usefixtures("bundle")
@pytest.mark.slow
def test_new_post_in_rich_text_by_keyboard(studio: Studio) -> None:
    """The title has the focus; `/` makes blocks; the state is said in one line; the choice is remembered."""
    page, keys = studio.page, studio.page.keyboard
    body = "<p>First.</p>\n<blockquote>\n<p>said</p>\n</blockquote>"
    studio.open("posts/new/?format=html")
    page.locator("rich-text .ProseMirror").wait_for()
    expect(page.get_by_label("Title", exact=True)).to_be_focused()
    keys.type("By slash")
    page.locator("rich-text .ProseMirror").focus()
    keys.type("First.")
    keys.press("Enter")
    keys.type("/")
    menu = page.get_by_role("listbox", name="Blocks")
    expect(menu.get_by_role("option", name="Details to open")).to_be_visible()
    assert studio.violations() == []
    keys.press("Escape")
    expect(menu).to_be_hidden()
    keys.press("Backspace")
    keys.type("/quo")
    expect(menu.get_by_role("option")).to_have_text(["Quotation"])
    keys.press("Enter")
    expect(menu).to_be_hidden()
    keys.type("said")
    expect(page.locator("#body")).to_have_value(body)
    expect(page.locator(".save-state")).to_have_count(1)
    expect(page.locator(".save-state")).to_contain_text("Unsaved changes")
    keys.press("Control+s")
    expect(page.locator("[data-said]")).to_have_text("The draft is created.")
    expect(page.locator(".save-state")).to_contain_text("Saved at ")
    expect(page.locator("#body")).to_have_value(body)
    studio.open("posts/new/")
    expect(page.get_by_role("button", name="Rich text")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Markdown").click()
    expect(page.get_by_label("Text in Markdown")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_palette_by_keyboard_and_by_button(studio: Studio) -> None:
    """It finds entries and does what buttons do; in a text, Ctrl K makes a link and Ctrl Alt K opens it."""
    page, keys = studio.page, studio.page.keyboard
    name = f"Zostera {token_hex(4)}"
    path = new_post(studio, name, "one")
    studio.open("posts/")
    studio.use(page.get_by_role("button", name="Go to…"))
    field = page.get_by_role("combobox", name="Go to an entry or do something")
    found = page.get_by_role("listbox", name="Results").get_by_role("option")
    expect(field).to_be_focused()
    assert studio.violations() == []
    keys.type(name.lower())
    expect(found.first).to_have_text(f"{name}Post")
    assert studio.violations() == []
    with page.expect_navigation():
        found.first.tap() if studio.way == "finger" else keys.press("Enter")
    expect(page).to_have_url(f"{studio.url}/studio/{path}")
    page.get_by_label("Text in Markdown").focus()
    keys.press("Control+Alt+k")
    expect(field).to_be_focused()
    keys.type("preview")
    expect(found.first).to_contain_text("Preview")
    keys.press("Enter")
    expect(page.get_by_role("button", name="Preview", exact=True)).to_have_attribute("aria-pressed", "true")
    keys.press("Control+Alt+k")
    expect(field).to_be_focused()
    keys.type("xqzwv")
    expect(page.get_by_text("Nothing matches.")).to_be_visible()
    assert studio.violations() == []
    keys.press("Escape")
    expect(field).to_be_hidden()
