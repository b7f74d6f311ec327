"""The media library in Chromium: ten files at once, the focal point by pointer and keyboard, replacement."""

import io
from typing import TYPE_CHECKING, Literal

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.support.studio_browser import Studio

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def payload(name: str, color: tuple[int, int, int]) -> "FilePayload":
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
def test_ten_files_one_faulty_then_focal_point_and_replacement(studio: Studio) -> None:
    """The faulty one is named, the others are kept; the point is set by a click and by keys, and crops the tile."""
    page = studio.page
    studio.sign_in()
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
    with page.expect_navigation():
        page.get_by_role("link", name="wave-3.jpg").click()
    page.get_by_label("Another file in its place").set_input_files([payload("other.jpg", (200, 10, 10))])
    studio.press("Upload and continue")
    expect(page.get_by_role("heading", name="Replace the file?")).to_be_visible()
    check_views(studio)
    assert [line for line in studio.said if "Content Security Policy" in line] == []
    assert [url for url in studio.asked if not url.startswith(studio.url)] == []


def test_uploaded_picture_is_chosen_and_its_description_suggested(studio: Studio) -> None:
    """In the form of a post: the library's description comes along, and the one that is typed stays."""
    page = studio.page
    studio.sign_in()
    studio.open("posts/new/")
    studio.press("Choose a picture")
    page.get_by_label("Upload a picture").set_input_files([payload("chosen.jpg", (1, 2, 3))])
    expect(page.get_by_role("radio", name="chosen.jpg")).to_be_checked()
    page.get_by_label("Description of the picture").fill("A dark one")
    studio.press("Use the picture")
    expect(page.get_by_label("Description of the picture")).to_have_value("A dark one")
