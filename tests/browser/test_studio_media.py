"""The media library in Chromium: ten files at once, the focal point by pointer and keyboard, replacement."""

import io
from secrets import token_bytes, token_hex
from typing import Literal

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, expect

from tests.support.studio_browser import PHONE_AND_KEYS, Studio

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def payload(name: str, color: tuple[int, int, int]) -> FilePayload:
    """A picture as a file field takes it; each colour is another file."""
    buffer = io.BytesIO()
    Image.new("RGB", (600, 400), color).save(buffer, "JPEG")
    return {"name": name, "mimeType": "image/jpeg", "buffer": buffer.getvalue()}


def check_views(studio: Studio) -> None:
    """Let axe look at the page in both widths and schemes, in which nothing is too wide."""
    for width in (360, 1280):
        studio.page.set_viewport_size({"width": width, "height": 800})
        for scheme in SCHEMES:
            studio.page.emulate_media(color_scheme=scheme)
            assert studio.violations() == [], (width, scheme)
            assert studio.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, scheme)


@pytest.mark.slow
def test_ten_files_one_faulty_then_focal_point(studio: Studio) -> None:
    """The faulty one is named, the others are kept; the point is set by a click and by keys, and crops the tile."""
    page = studio.page
    studio.open("media/?text=wave")
    files = [payload(f"wave-{number}.jpg", (10, 20 * number, 200)) for number in range(9)]
    faulty: FilePayload = {"name": "torn.jpg", "mimeType": "image/jpeg", "buffer": b"no picture"}
    page.get_by_label("Upload files").set_input_files([*files[:4], faulty, *files[4:]])
    expect(page.get_by_role("status")).to_have_text("9 files uploaded. 1 file not taken.", timeout=60_000)
    expect(page.get_by_role("alert")).to_contain_text("torn.jpg: not a JPEG")
    expect(page.locator("#files li")).to_have_count(9)
    check_views(studio)
    with page.expect_navigation():
        page.get_by_role("link", name="wave-3.jpg").click()
    picture, left, top = page.locator("#picture"), page.get_by_label("From the left"), page.get_by_label("From the top")
    box = picture.bounding_box()
    assert box is not None
    picture.click(position={"x": box["width"] * 0.25, "y": box["height"] * 0.75})
    expect(left).to_have_value("25")
    expect(top).to_have_value("75")
    left.press("ArrowLeft")
    expect(left).to_have_value("24")
    expect(page.locator("output[for=focus_x]")).to_have_text("24 %")
    page.get_by_label("Description of the picture").fill("A blue wave")
    check_views(studio)
    studio.press("Save")
    expect(page.locator("[data-said]")).to_contain_text("Saved.")
    studio.open("media/?text=blue+wave")
    expect(page.locator("#files img")).to_have_class("focus x25 y75")
    assert studio.complaints() == []


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_file_is_uploaded_pointed_at_and_replaced(studio: Studio) -> None:
    """The post that shows it names the other file then."""
    page, name, (red, green, blue) = studio.page, f"reed-{token_hex(4)}", token_bytes(3)
    studio.open(f"media/?text={name}")
    studio.upload(page.get_by_label("Upload files"), payload(f"{name}.jpg", (red, green, blue)))
    expect(page.get_by_role("status")).to_have_text("1 file uploaded.")
    studio.follow(page.get_by_role("link", name=name))
    left, picture = page.get_by_label("From the left"), page.locator("#picture")
    if studio.way == "keys":
        studio.reach(left)
        page.keyboard.press("Home")
    else:
        picture.tap(position={"x": 5, "y": 5})
    point = left.input_value()
    assert int(point) < 10
    studio.write(page.get_by_label("Description of the picture"), f"Reed by {studio.way}")
    studio.press("Save")
    expect(page.locator("[data-said]")).to_contain_text("Saved.")
    expect(left).to_have_value(point)
    address, line = page.url, page.get_by_label("To put it into a text in Markdown").input_value()
    studio.open("posts/new/")
    studio.write(page.get_by_label("Title", exact=True), name)
    studio.write(page.get_by_label("Text in Markdown"), line)
    studio.press("Publish")
    post = page.url
    page.goto(address)
    studio.upload(
        page.get_by_label("Another file in its place"), payload(f"other-{name}.jpg", (blue, red, 255 - green))
    )
    studio.press("Upload and continue")
    expect(page.get_by_role("heading", name="Replace the file?")).to_be_visible()
    assert studio.violations() == []
    studio.press("Replace it in 1 entry")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"other-{name}.jpg")
    studio.follow(page.get_by_role("link", name=name, exact=True))
    assert page.url.partition("?")[0] == post.partition("?")[0]
    expect(page.get_by_label("Text in Markdown")).not_to_have_value(line)
