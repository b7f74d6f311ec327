"""Changes that a worker rejects while the form waits for it, in Chromium."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.studio_browser import ServedStudio, ServeSample, Studio, allow_loopback
from tests.support.web_hosts import Reply, web_host


@pytest.fixture
def broken_picture() -> Iterator[str]:
    """The address of a picture that cannot be decoded, which only who downloads it sees."""
    data = b"\x89PNG\r\n\x1a\n" + b"no picture" * 9
    with web_host(lambda _request: Reply(data, headers={"Content-Type": "image/png"})) as address:
        yield f"{address}/broken.png"


@pytest.fixture
def served(serve_sample: ServeSample) -> Iterator[ServedStudio]:
    """The sample site, which takes pictures of this machine."""
    with serve_sample({"site.toml": allow_loopback}) as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("path", ["collections/team/2/", "collections/team/new/"])
def test_a_rejected_change_is_one_change(studio: Studio, broken_picture: str, path: str) -> None:
    """The form shows the reason with what was typed; the list has one row, with when it was accepted and rejected."""
    studio.open(path)
    page = studio.page
    page.get_by_label("Name", exact=True).first.fill("Rejected")
    page.get_by_label("Address of the picture, here or on the web").first.fill(broken_picture)
    studio.press("Save draft")
    expect(page.locator(".problems").first).to_contain_text("remote file")
    expect(page.get_by_label("Name", exact=True).first).to_have_value("Rejected")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Changes", exact=True).click()
    rows = page.locator("table.stacked tbody tr")
    expect(rows).to_have_count(1)
    expect(rows.locator(".mark.rejected")).to_have_count(1)
    expect(rows.locator("time")).to_have_count(2)
    studio.open(path)
    page.get_by_label("Name", exact=True).first.fill("Accepted")
    studio.press("Save draft")
    expect(page.locator("[data-said]")).to_be_visible()
    expect(page.get_by_label("Name", exact=True).first).to_have_value("Accepted")
    assert studio.violations() == []
