"""The text area for Markdown in Chromium: toolbar, lists that go on, pictures, undo, and the count of words."""

import base64
import re
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Locator, expect

from tests.browser.test_rich_text import COUNT_WORK_OF_KEYS, PASTE, PASTE_FILE
from tests.support.pictures import image_bytes
from tests.support.studio_browser import Studio

PUT = """(area, text) => {
    area.value = text;
    area.dispatchEvent(new Event("input", {bubbles: true}));
}"""
"""Puts in a text at once: Chromium types a long one for a quarter of a minute."""


def new_text(studio: Studio) -> Locator:
    """Return the text area of a new post, with the cursor in it."""
    studio.open("posts/new/")
    studio.page.get_by_role("button", name="Bold (Ctrl B)").wait_for()
    text = studio.page.get_by_label("Text in Markdown")
    text.focus()
    return text


@pytest.mark.slow
def test_toolbar_lists_and_undo(studio: Studio) -> None:
    """Signs are put around words and taken away; a list goes on with Enter and ends with it; all can be undone."""
    text, keys = new_text(studio), studio.page.keyboard
    keys.type("words")
    keys.press("Control+a")
    keys.press("Control+b")
    expect(text).to_have_value("**words**")
    keys.press("Control+i")
    expect(text).to_have_value("***words***")
    keys.press("Control+i")
    keys.press("Control+b")
    expect(text).to_have_value("words")
    keys.press("Control+z")
    expect(text).to_have_value("**words**")
    keys.press("End")
    keys.type("\n\n- [x] one\ntwo\n\n9. nine\nten\n\n> said\non")
    expect(text).to_have_value("**words**\n\n- [x] one\n- [ ] two\n\n9. nine\n10. ten\n\n> said\n> on")
    expect(studio.page.get_by_text("words · 1 minute")).to_be_visible()
    keys.press("Tab")
    expect(studio.page.get_by_text("How to write Markdown")).to_be_focused()
    text.focus()
    for _ in range(80):
        keys.press("Control+z")
    expect(text).to_have_value("")


@pytest.mark.slow
def test_a_key_in_a_long_text_waits_for_nothing_that_grows(studio: Studio) -> None:
    """No key reads, counts or keeps the text of 5,000 words."""
    text = new_text(studio)
    text.evaluate(PUT, "Some words, and more of them.\n\n" * 800)
    studio.page.evaluate(COUNT_WORK_OF_KEYS)
    studio.page.keyboard.type("some words with spaces")
    work = studio.page.evaluate("window.workOfKeys")
    assert work == {"key": 22, "text": 0, "fields": 0, "kept": 0, "visits": 0}


@pytest.mark.slow
@pytest.mark.parametrize("studio", [pytest.param((360, "light"), id="360-light")], indirect=True)
def test_picture_is_pasted_and_published(studio: Studio, repo: Path) -> None:
    """Uploaded, put into the text with its description selected, and shown by the API once it is published."""
    text, keys = new_text(studio), studio.page.keyboard
    keys.type("Before")
    picture = base64.b64encode((repo / "sample_site" / "media" / "notebook-page.jpg").read_bytes()).decode()
    studio.page.evaluate(PASTE_FILE, ["my garden.jpg", picture])
    expect(studio.page.get_by_text("The picture is inserted.")).to_be_visible()
    keys.type("A drawing")
    value = text.input_value()
    assert value.startswith("Before\n\n![A drawing](/media/")
    assert studio.violations() == []
    assert studio.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    studio.page.get_by_label("Title", exact=True).fill("With a picture")
    studio.page.get_by_role("button", name="Publish", exact=True).click()
    expect(studio.page.locator("[data-said]")).to_contain_text("Published.")
    expect(text).to_have_value(value)
    assert [line for line in studio.said if "Content Security Policy" in line] == []


@pytest.mark.slow
def test_pictures_of_pasted_html_are_taken_or_named(studio: Studio) -> None:
    """In their place among the words: those with bytes from the library, others where they stay; the rest is named."""
    text, page = new_text(studio), studio.page
    dot = base64.b64encode(image_bytes(Image.new("RGB", (29, 19), "olive"), "PNG")).decode()
    state = page.locator("markdown-source .below [role=status]")
    text.fill("Before  after")
    text.evaluate("area => area.setSelectionRange(7, 7)")
    html = f'<h2>One</h2><p>a <b>b</b> <img src="data:image/png;base64,{dot}" alt="a [dot]"> c</p><script>x</script>'
    page.evaluate(PASTE, ["text/html", html])
    expect(state).to_contain_text("The pasted picture is in the media library now.")
    value = text.input_value()
    address = re.search(r"/media/\w+\.png", value)
    assert address is not None
    assert value == f"Before One\n\na b ![a \\[dot\\]]({address[0]}) c after"
    text.fill("")
    html = '<ul><li>x</li><li>y <img src="https://pictures.invalid/a b(1).png" alt=""></li></ul><p>z</p>'
    page.evaluate(PASTE, ["text/html", html])
    expect(page.get_by_text("One picture stays at pictures.invalid, and may vanish from there.")).to_be_visible()
    expect(text).to_have_value("x\n\ny ![](<https://pictures.invalid/a b(1).png>)\n\nz")
    text.press("Control+z")
    expect(text).to_have_value("")
    html = '<p>c <img src="file:///C:/Users/me/image001.png"> d <img src="data:image/png;base64,AAAA"><img src="http://[x"></p>'
    page.evaluate(PASTE, ["text/html", html])
    expect(state).to_contain_text("picture.png")
    expect(state).to_contain_text("Not pasted, since browsers give only the address and not the picture: image001.png")
    expect(text).to_have_value("c  d ")
    assert studio.violations() == []


@pytest.mark.slow
def test_link_and_blocks_of_the_toolbar(studio: Studio) -> None:
    """Words become the text of a link; lines become headings, quotations and code, and lines again."""
    text, keys, page = new_text(studio), studio.page.keyboard, studio.page
    keys.type("see [this]")
    keys.press("Control+a")
    keys.press("Control+k")
    page.get_by_role("dialog").get_by_label("Search, or type an address").fill("mira@example.org")
    keys.press("Enter")
    expect(text).to_have_value("[see \\[this\\]](mailto:mira@example.org)")
    text.fill("one\ntwo")
    for name, expected in (
        ("Numbered list", "1. one\n2. two"),
        ("List", "- one\n- two"),
        ("Quotation", "> one\n> two"),
    ):
        text.press("Control+a")
        page.get_by_role("button", name=name, exact=True).click()
        expect(text).to_have_value(expected)
        text.press("Control+a")
        page.get_by_role("button", name=name, exact=True).click()
        expect(text).to_have_value("one\ntwo")
    text.press("Control+a")
    page.get_by_role("button", name="Code", exact=True).click()
    expect(text).to_have_value("```\none\ntwo\n```\n")
