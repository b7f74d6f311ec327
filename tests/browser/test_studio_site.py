"""The section *Site* in Chromium: an owner changes the look of a site without seeing a file."""

import re
import tomllib

import pytest
from playwright.sync_api import expect

from tests.support.studio_browser import PHONE_AND_KEYS, Studio

PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle cx="32" cy="32" r="30"/></svg>'


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_an_owner_changes_menu_and_logo(studio: Studio) -> None:
    """By finger on a phone and by keyboard alone; all of it is taken back by a button."""
    page = studio.page
    studio.sign_in()
    studio.open("site/")
    assert studio.violations() == []
    settings = tomllib.loads((studio.served.settings.folder / "site.toml").read_text(encoding="utf-8"))
    studio.follow(page.get_by_role("button", name="Choose or upload: Logo", exact=True))
    studio.upload(
        page.get_by_label("Upload a picture"), {"name": "seal.svg", "mimeType": "image/svg+xml", "buffer": PICTURE}
    )
    expect(page.get_by_role("radio", name="seal.svg")).to_be_checked()
    studio.press("Use the picture")
    expect(page.get_by_label("Logo", exact=True)).to_have_value(re.compile("^/media/"))
    studio.press("Save")
    expect(page.get_by_role("status").first).to_contain_text("“media/seal.svg”")
    assert studio.violations() == []
    written = tomllib.loads((studio.served.settings.folder / "site.toml").read_text(encoding="utf-8"))
    assert written == {**settings, "theme": {**settings["theme"], "logo": "media/seal.svg"}}
    studio.press("Undo")
    add_and_move_an_entry(studio)


def add_and_move_an_entry(studio: Studio) -> None:
    """Add a page by its name, put it first, below it the next one, save it, and take all of it back."""
    page = studio.page
    studio.open("site/menu/")
    assert studio.violations() == []
    labels = page.locator(".menu-row [name=label]")
    before = [labels.nth(number).input_value() for number in range(labels.count())]
    studio.write(page.get_by_label("Add an entry"), "orchard")
    first = page.get_by_role("option").first
    expect(first).to_contain_text("orchard")
    page.keyboard.press("Enter")
    added = labels.last.input_value()
    assert "rchard" in added
    handle = page.get_by_role("button", name=f"Move: {added}", exact=True)
    studio.reach(handle) if studio.way == "keys" else handle.focus()
    for _ in range(len(before)):
        page.keyboard.press("ArrowUp")
    expect(labels.first).to_have_value(added)
    expect(handle).to_be_focused()
    assert studio.violations() == []
    studio.press("Save the menu")
    expect(page.get_by_role("status").first).to_contain_text(added)
    expect(page.locator(".menu-row [name=label]").first).to_have_value(added)
    studio.press("Undo")
    studio.open("site/menu/")
    assert [labels.nth(number).input_value() for number in range(labels.count())] == before
