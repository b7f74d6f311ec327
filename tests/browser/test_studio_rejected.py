"""Changes that a worker rejects while the form waits for it, in Chromium."""

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from playwright.sync_api import Browser, expect

from tests.support.commands import CommandServer
from tests.support.studio_browser import Studio, serving, window
from tests.support.web_hosts import Reply, web_host

ALLOWED = 'allow_hosts = ["127.0.0.1"]'


@pytest.fixture
def broken_picture() -> Iterator[str]:
    """The address of a picture that cannot be decoded, which only who downloads it sees."""
    data = b"\x89PNG\r\n\x1a\n" + b"no picture" * 9
    with web_host(lambda _request: Reply(data, headers={"Content-Type": "image/png"})) as address:
        yield f"{address}/broken.png"


@pytest.fixture
def studio(repo: Path, tmp_path: Path, command_server: CommandServer, browser: Browser) -> Iterator[Studio]:
    """A window of a studio that takes pictures of this machine."""
    folder = tmp_path / "site"
    copytree(repo / "sample_site", folder, ignore=ignore_patterns(".sitecms", "public"))
    text = (folder / "site.toml").read_text(encoding="utf-8")
    assert "allow_hosts = []" in text
    (folder / "site.toml").write_text(text.replace("allow_hosts = []", ALLOWED, 1), encoding="utf-8")
    with serving(folder, command_server) as served, window(served, browser, (1280, "light")) as made:
        made.sign_in()
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
