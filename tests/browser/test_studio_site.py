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


@pytest.mark.slow
def test_the_theme_is_previewed_while_it_is_changed(studio: Studio) -> None:
    """The page in the frame gets the colour; a value that is none is named, and the page stays."""
    page = studio.page
    studio.open("site/theme/")
    page.get_by_role("button", name="Preview", exact=True).click()
    frame = page.frame_locator(".preview iframe:not(.coming)")
    link = frame.locator("main a").first
    expect(link).to_be_visible()
    page.get_by_label("Colour of links and buttons", exact=True).fill("#aa0011")
    expect(page.locator(".preview")).to_have_attribute("data-shown", "2")
    expect(frame.locator("html")).to_be_visible()
    colour = frame.locator("html").evaluate("html => getComputedStyle(html).getPropertyValue('--accent').trim()")
    assert colour.lower() == "#aa0011"
    page.get_by_label("Colour of links and buttons", exact=True).fill("red")
    expect(page.locator(".faults")).to_contain_text('It is "red"')
    expect(link).to_be_visible()
    assert studio.complaints() == []


@pytest.mark.slow
def test_an_entry_is_dragged_by_its_handle(studio: Studio) -> None:
    """To the side below the entry above, and down behind the next one with those below it; nothing is saved by it."""
    page = studio.page
    studio.open("site/menu/")
    before = menu_rows(studio)
    last, first, second = before[-1][1:], before[0][1:], next(each for each in before[1:] if each[0] == "0")[1:]
    drag(studio, last, 60, 3)
    expect(page.locator(".menu-row").last).to_have_attribute("data-level", "1")
    expect(page.locator(".menu-row [name=id]").last).to_have_value("")
    drag(studio, first, 0, 120)
    tops = [each[1:] for each in menu_rows(studio) if each[0] == "0"]
    assert tops[:2] == [second, first]
    number = menu_rows(studio).index(f"0{first}")
    below = before[1 : before.index(f"0{second}")]
    assert menu_rows(studio)[number + 1 : number + 1 + len(below)] == below
    page.reload()
    assert menu_rows(studio) == before


def menu_rows(studio: Studio) -> list[str]:
    """Level and text of each row."""
    script = "rows => rows.map(row => row.dataset.level + row.querySelector('[name=label]').value)"
    rows: list[str] = studio.page.locator(".menu-row").evaluate_all(script)
    return rows


def drag(studio: Studio, name: str, right: float, down: float) -> None:
    """Drag an entry by its handle, which is brought to the middle of the window."""
    handle = studio.page.get_by_role("button", name=f"Move: {name}", exact=True)
    handle.evaluate("handle => handle.scrollIntoView({ block: 'center' })")
    box = handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.page.mouse.move(x + right, y + down, steps=6)
    studio.page.mouse.up()
