"""Pictures in texts, in Chromium: their place, link and caption, and cropped copies of them."""

import io
import re

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.support.studio_browser import PHONE_AND_KEYS, Studio

SIZE = """async src => {
    const image = new Image();
    image.src = src;
    await image.decode();
    return [image.width, image.height];
}"""


def new_post(studio: Studio, text_format: str) -> Page:
    """Return the form of a new post with the cursor in its text."""
    studio.open(f"posts/new/?format={text_format}")
    studio.page.get_by_role("button", name="Bold (Ctrl B)").wait_for()
    studio.page.locator("rich-text .ProseMirror, markdown-source textarea").first.click()
    return studio.page


def open_dialog(page: Page) -> Locator:
    """Open the dialog of pictures, and return it."""
    page.get_by_role("button", name="Picture", exact=True).click()
    dialog = page.get_by_role("dialog", name="Picture", exact=True)
    dialog.wait_for()
    return dialog


def upload(dialog: Locator, color: str) -> None:
    """Upload a picture of 80 by 40 that no other test has."""
    buffer = io.BytesIO()
    Image.new("RGB", (80, 40), color).save(buffer, "PNG")
    field = dialog.get_by_label("Upload a picture, 100 MB at most")
    field.set_input_files({"name": f"{color}.png", "mimeType": "image/png", "buffer": buffer.getvalue()})
    dialog.locator("img[src*=thumbnail]").first.wait_for()
    dialog.get_by_text("Uploaded.").wait_for()


@pytest.mark.usefixtures("bundle")
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_a_picture_has_a_place_a_link_and_a_crop(studio: Studio) -> None:
    """In rich text; the cropped copy is a new file, and each change is undone."""
    page = new_post(studio, "html")
    dialog, body = open_dialog(page), page.locator("#body")
    color = "olive" if studio.way == "keys" else "maroon"
    upload(dialog, color)
    dialog.get_by_label("Description of the picture").fill("A plain")
    dialog.get_by_label("Size and place").select_option("align-right")
    dialog.get_by_label("Link of the picture").fill("/about/")
    dialog.get_by_label("Caption").fill("Seen")
    assert studio.violations() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    dialog.get_by_role("button", name="Insert the picture").click()
    linked = r'<a href="/about/"><img src="/media/\w+.png" alt="A plain"></a><figcaption>Seen</figcaption></figure>'
    expect(body).to_have_value(re.compile(f'<figure class="align-right">{linked}'))
    first = body.input_value()
    studio.use(page.get_by_role("button", name="Picture settings"))
    expect(dialog.get_by_label("Size and place")).to_have_value("align-right")
    expect(dialog.get_by_label("Link of the picture")).to_have_value("/about/")
    dialog.get_by_label("Size and place").select_option("wide")
    dialog.get_by_role("button", name="Crop a copy…").click()
    crop = page.get_by_role("dialog", name="Crop a copy of the picture")
    crop.get_by_label("Shape").select_option("1:1")
    crop.get_by_label("Left edge").fill("50")
    assert studio.violations() == []
    crop.get_by_role("button", name="Use this part").click()
    expect(crop).to_be_hidden()
    dialog.get_by_role("button", name="Change the picture").click()
    expect(body).to_have_value(re.compile(f'<figure class="wide">{linked}'))
    address = re.findall(r"/media/\w+\.png", body.input_value())
    assert address not in ([], re.findall(r"/media/\w+\.png", first))
    assert page.evaluate(SIZE, address[0]) == [40, 40]
    page.keyboard.press("Control+z")
    expect(body).to_have_value(first)


def test_a_picture_of_markdown_is_changed_where_the_cursor_is(studio: Studio) -> None:
    """Its place is a class; one with a link is a directive; what else stands in its braces stays."""
    page = new_post(studio, "markdown")
    text = page.locator("#body")
    text.fill('A\n\n![Old \\[x\\]](/media/a.jpg "Cap"){.frame .wide #i}\n\nB')
    text.evaluate("area => area.setSelectionRange(8, 8)")
    dialog = open_dialog(page)
    expect(dialog.get_by_label("Description of the picture")).to_have_value("Old [x]")
    expect(dialog.get_by_label("Size and place")).to_have_value("wide")
    dialog.get_by_label("Size and place").select_option("align-left")
    dialog.get_by_role("button", name="Change the picture").click()
    expect(text).to_have_value('A\n\n![Old \\[x\\]](/media/a.jpg "Cap"){.frame .align-left #i}\n\nB')
    text.evaluate("area => area.setSelectionRange(8, 8)")
    open_dialog(page).get_by_label("Link of the picture").fill("/x/")
    dialog.get_by_role("button", name="Change the picture").click()
    directive = '::: figure {src="/media/a.jpg" alt="Old [x]" link="/x/" class="frame align-left"}\nCap\n:::'
    expect(text).to_have_value(f"A\n\n{directive}\n\nB")
