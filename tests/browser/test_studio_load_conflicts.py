"""A file that replaced what was written in the studio, in Chromium: told, taken back and kept, and accessible."""

from itertools import count

import pytest
from playwright.sync_api import expect

from tests.support.commands import CommandServer
from tests.support.studio_browser import PHONE_AND_KEYS, Studio

NOTE = "A file replaced what was written here"
SIZES = ((360, "dark"), (768, "light"), (1280, "dark"), (1280, "light"))
_numbers = count(1)
LONG = "Unbreakable" * 20


@pytest.fixture
def path(studio: Studio, command_server: CommandServer) -> str:
    """The path of a post whose title and text both its file and mira have changed."""
    settings = studio.served.settings
    name = f"conflict-{next(_numbers)}"
    file = settings.folder / f"content/posts/{name}.md"
    text = "---\ntitle: {}\npublished: 2026-03-01\n---\nOne.\n\nTwo{}.\n\nThree.\n"
    file.write_text(text.format("Calm", ""), "utf-8")
    assert command_server.run("load", folder=settings.folder, variables={}).returncode == 0
    file.write_text(text.format("Of the file", f", of the file: {LONG}"), "utf-8")
    studio.open(f"posts/?text={name}")
    studio.page.get_by_role("link", name="Calm", exact=True).click()
    path = studio.page.url.partition("?")[0].partition("/studio/")[2]
    studio.page.get_by_label("Title", exact=True).fill("Mine")
    studio.page.get_by_label("Text in Markdown").fill("One.\n\nTwo, mine.\n\nThree.")
    studio.press("Publish changes")
    expect(studio.page.locator("[data-said]")).to_be_visible()
    assert command_server.run("load", folder=settings.folder, variables={}).returncode == 0
    return path


@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_replaced_text_is_taken_back(studio: Studio, path: str) -> None:
    """The first page leads to it; one value comes into the form, the other one stays; saving ends the note."""
    page = studio.page
    studio.open("posts/")
    note = page.get_by_role("region", name=NOTE)
    assert studio.violations() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    studio.follow(note.get_by_role("link", name="Of the file"))
    assert path in page.url
    expect(note).to_contain_text("Published by mira")
    for width, scheme in SIZES:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert studio.violations() == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    studio.follow(page.get_by_role("button", name="Take back : Text"))
    expect(page.get_by_label("Text in Markdown")).to_have_value("One.\n\nTwo, mine.\n\nThree.\n")
    expect(page.get_by_label("Title", exact=True)).to_have_value("Of the file")
    expect(note).to_contain_text("It is in the form now.")
    assert studio.violations() == []
    studio.follow(page.get_by_role("button", name="Keep : Title"))
    expect(page.get_by_label("Text in Markdown")).to_have_value("One.\n\nTwo, mine.\n\nThree.\n")
    studio.press("Publish changes")
    expect(page.locator("[data-said]")).to_be_visible()
    expect(note).to_have_count(0)
    studio.open("posts/")
    expect(note).to_have_count(0)
