"""Lists of the studio in Chromium: sorting, filters that fold, selection, and what a phone shows first."""

import re

import pytest
from playwright.sync_api import expect

from sitecms.content.field_path import sort_key
from tests.support.studio_browser import PHONE_AND_KEYS, Studio

TITLES = ".titled > a"


@pytest.mark.parametrize("path", ["posts/", "pages/", "collections/team/"])
@pytest.mark.parametrize("studio", [pytest.param((360, "light", "finger"), id="phone")], indirect=True)
def test_phone_shows_entries_at_once(studio: Studio, path: str) -> None:
    """The first entry stands in the first screen, its box has room for a finger, and nothing is wider than it."""
    studio.page.set_viewport_size({"width": 360, "height": 740})
    studio.open(path)
    box = studio.page.locator("tbody tr").first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 740
    pick = studio.page.locator("tbody input.pick").first.bounding_box()
    assert pick is not None
    assert min(pick["width"], pick["height"]) >= 24
    assert studio.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert studio.violations() == []


@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_list_is_sorted_and_filtered(studio: Studio) -> None:
    """By the heads of columns, on a phone by a choice in the folded filters, which say how many are in use."""
    page = studio.page
    studio.open("posts/")
    filters = page.locator(".filters > summary")
    if studio.way == "keys":
        studio.follow(page.get_by_role("link", name="Title", exact=True))
        expect(page.get_by_role("columnheader", name="Title")).to_have_attribute("aria-sort", "ascending")
        expect(filters).to_be_hidden()
    else:
        expect(page.get_by_label("Author", exact=True)).to_be_hidden()
        studio.use(filters)
        studio.choose(page.get_by_label("Order", exact=True), "Title, A first")
        studio.press("Show")
    titles = page.locator(TITLES).all_inner_texts()
    assert titles == sorted(titles, key=sort_key)
    if filters.is_visible():
        studio.use(filters)
    studio.choose(page.get_by_label("Author", exact=True), "Mira Okafor")
    studio.press("Show")
    expect(page.get_by_text(re.compile(r"^\d+ entries found\.$"))).to_be_visible()
    own = page.locator(TITLES).all_inner_texts()
    assert 0 < len(own) < len(titles)
    assert own == [each for each in titles if each in own]
    assert studio.violations() == []


def test_several_entries_are_selected(studio: Studio) -> None:
    """The actions appear with the first box; Shift selects all between two, and the number is told."""
    page = studio.page
    studio.open("posts/")
    publish, boxes = page.get_by_role("button", name="Publish", exact=True), page.locator("input.pick")
    expect(publish).to_be_hidden()
    boxes.nth(1).check()
    expect(publish).to_be_visible()
    boxes.nth(4).click(modifiers=["Shift"])
    expect(page.get_by_role("status").filter(has_text="4 selected")).to_be_visible()
    page.get_by_label("Select all").check()
    expect(page.get_by_role("status").filter(has_text=f"{boxes.count()} selected")).to_be_visible()
    studio.use(page.get_by_text("Change…"))
    expect(page.get_by_label("Category or tag")).to_be_visible()
    assert studio.violations() == []


@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_calendar_leads_to_entries(studio: Studio) -> None:
    """Through months, by finger and by keys; on a phone it is a list of the days that have something."""
    page = studio.page
    studio.open("calendar/?month=2026-02")
    studio.follow(page.get_by_role("link", name="March 2026"))
    expect(page.get_by_role("heading", level=1)).to_have_text("March 2026")
    day = page.locator("td").filter(has=page.locator('time[datetime="2026-03-07"]'))
    expect(day.get_by_text("Saturday, 7 March 2026")).to_be_attached()
    assert page.locator("td.free").first.is_visible() == (studio.way == "keys")
    assert studio.violations() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    studio.follow(day.get_by_role("link", name="A path kept open"))
    expect(page.get_by_label("Title", exact=True)).to_have_value("A path kept open")
