"""The writing screen in Chromium: new posts in rich text, blocks by `/`, the palette, merged texts, refused writes."""

from secrets import token_hex
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from sitecms.studio.rendering import Assets
from tests.support.studio_browser import PHONE_AND_KEYS, Studio

from .test_rich_text import PASTE
from .test_studio_together import other_window
from .test_studio_unsaved import new_post

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FROM_WORD = """<html xmlns:o="urn:schemas-microsoft-com:office:office"><body lang=EN-GB><!--StartFragment-->
<h2 style='margin-top:12.0pt;mso-pagination:widow-orphan'><span lang=EN-GB>Low water<o:p></o:p></span></h2>
<p class=MsoNormal>See <a href="https://tide.example/"><span style='color:#0563C1'>the tables</span></a>.<o:p></o:p></p>
<table class=MsoTableGrid border=1 style='border-collapse:collapse'><tr><td width=300><p class=MsoNormal>Day</p></td>
<td width=300><p class=MsoNormal><b>Hour</b></p></td></tr></table><!--EndFragment--></body></html>"""
FROM_DOCS = """<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-7f"><h2 dir="ltr"><span
style="font-size:16pt;font-weight:400;">High water</span></h2><ol><li dir="ltr" style="list-style-type:decimal"><p
dir="ltr"><span style="font-style:italic;">wait</span></p></li></ol></b>"""


def rich_text(studio: Studio) -> "Page":
    """Open the form of a new post in rich text."""
    if "vendor/prosemirror.js" not in Assets():
        pytest.skip("the package was built without npm, which bundles the editor")
    studio.sign_in()
    studio.open("posts/new/?format=html")
    studio.page.locator("rich-text .ProseMirror").wait_for()
    return studio.page


def expect_body(page: "Page", text: str) -> None:
    """Wait until the text area has a text."""
    expect(page.locator("#body")).to_have_value(text)


@pytest.mark.slow
def test_new_post_in_rich_text_by_keyboard(studio: Studio) -> None:
    """The title has the focus; `/` makes blocks; the state is said in one line; the choice is remembered."""
    page = rich_text(studio)
    keys = page.keyboard
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
    expect_body(page, "<p>First.</p>\n<blockquote>\n<p>said</p>\n</blockquote>")
    expect(page.locator(".save-state")).to_have_count(1)
    expect(page.locator(".save-state")).to_contain_text("Unsaved changes")
    keys.press("Control+s")
    expect(page.locator("[data-said]")).to_have_text("The draft is created.")
    expect(page.locator(".save-state")).to_contain_text("Saved at ")
    expect_body(page, "<p>First.</p>\n<blockquote>\n<p>said</p>\n</blockquote>")
    studio.open("posts/new/")
    expect(page.get_by_role("button", name="Rich text")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Markdown").click()
    expect(page.get_by_label("Text in Markdown")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param(
            FROM_WORD,
            '<h2>Low water</h2>\n<p>See <a href="https://tide.example/">the tables</a>.</p>\n<table>\n<tbody>\n<tr>\n'
            "<td>Day</td>\n<td><strong>Hour</strong></td>\n</tr>\n</tbody>\n</table>",
            id="word",
        ),
        pytest.param(FROM_DOCS, "<h2>High water</h2>\n<ol>\n<li><em>wait</em></li>\n</ol>", id="docs"),
    ],
)
def test_pasted_into_a_new_post_and_saved(studio: Studio, html: str, expected: str) -> None:
    """Tables, links and lists of other programs are stored as they are shown."""
    page = rich_text(studio)
    page.get_by_label("Title", exact=True).fill("Pasted")
    page.locator("rich-text .ProseMirror").focus()
    page.evaluate(PASTE, ["text/html", html])
    expect_body(page, expected)
    studio.press("Save draft")
    expect(page.locator("[data-said]")).to_have_text("The draft is created.")
    expect_body(page, expected)


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_palette_by_keyboard_and_by_button(studio: Studio) -> None:
    """It finds entries and does what buttons do; in a text, Ctrl K makes a link and Ctrl Alt K opens it."""
    studio.sign_in()
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


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_blocks_of_two_people_are_merged(studio: Studio, browser: "Browser") -> None:
    """A block each is put together and marked; of a block that both changed, one version is chosen."""
    studio.sign_in()
    path = new_post(studio, "Blocks", "One.\n\nTwo.\n\nThree.")
    other, page = other_window(studio, browser), studio.page
    other.open(path)
    studio.open(path)
    other.page.get_by_label("Text in Markdown").fill("One, theirs.\n\nTwo.\n\nThree.\n\nFour, theirs.")
    other.press("Save draft")
    expect(other.page.locator("[data-said]")).to_have_text("Saved.")
    text = page.get_by_label("Text in Markdown")
    studio.write(text, "One.\n\nTwo, mine.\n\nThree.")
    studio.press("Save draft")
    expect(page.get_by_text("both changes are in the form now")).to_be_visible()
    expect(page.locator(".conflict ins").first).to_have_text(", theirs")
    expect(text).to_have_value("One, theirs.\n\nTwo, mine.\n\nThree.\n\nFour, theirs.")
    assert studio.violations() == []
    studio.press("Save draft")
    expect(page.locator("[data-said]")).to_have_text("Saved.")
    other.open(path)
    for window, words in ((other, "Three, theirs."), (studio, "Three, mine.")):
        area = window.page.get_by_label("Text in Markdown")
        area.fill(area.input_value().replace("Three.", words).replace("One, theirs.", "One."))
        window.press("Save draft")
    choice = page.get_by_role("group", name="Text", exact=True).first
    expect(choice).to_contain_text("theirs")
    assert studio.violations() == []
    expect(text).to_have_value("One.\n\nTwo, mine.\n\nThree, mine.\n\nFour, theirs.")
    studio.use(choice.get_by_label("Take the stored one"), "Space")
    studio.press("Save draft")
    expect(page.locator("[data-said]")).to_be_visible()
    expect(text).to_have_value("One.\n\nTwo, mine.\n\nThree, theirs.\n\nFour, theirs.")
    other.page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_write_that_is_refused_is_seen_and_mended(studio: Studio) -> None:
    """The reason stands in the form with what was typed; the next save succeeds."""
    studio.sign_in()
    studio.open("collections/team/2/")
    page = studio.page
    address, summary = (
        page.get_by_label("Address of the picture, here or on the web").first,
        page.get_by_label("Summary").first,
    )
    before = address.input_value()
    studio.write(address, "http://127.0.0.1/x.jpg")
    studio.write(summary, "Typed with a picture of a private host.")
    studio.press("Save draft")
    expect(page.locator(".problems").first).to_contain_text("not on the public internet")
    expect(summary).to_have_value("Typed with a picture of a private host.")
    assert studio.violations() == []
    studio.write(address, before)
    studio.write(summary, "Typed with a picture that is there.")
    studio.press("Save draft")
    expect(page.locator("[data-said]")).to_be_visible()
    expect(summary).to_have_value("Typed with a picture that is there.")


@pytest.mark.slow
def test_new_post_without_any_editor_script(studio: Studio) -> None:
    """Where the bundle is absent, text areas do all: HTML is typed, kept, brought back, saved and published."""
    page = studio.page
    page.route("**/vendor/*", lambda route: route.abort())
    studio.sign_in()
    studio.open("posts/new/?format=html")
    area = page.locator("#body")
    expect(area).to_be_visible()
    page.get_by_label("Title", exact=True).fill("Without a bundle")
    with page.expect_response(lambda answer: answer.url.endswith("/studio/unsaved/")):
        area.fill("<p>Typed as <em>HTML</em>.</p>")
    studio.press("Publish")
    expect(page.locator("[data-said]")).to_contain_text("Published.")
    expect(area).to_have_value("<p>Typed as <em>HTML</em>.</p>")
    expect(page.get_by_text("that was not saved")).to_have_count(0)
