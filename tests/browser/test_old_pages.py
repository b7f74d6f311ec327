"""Pages of sites that moved in, in Chromium: pictures that could not be had, texts in the boxes of another editor."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.commands import CommandServer
from tests.support.web_hosts import site_host

SITE = """name = "Moved"
url = "https://moved.example"
owner = "ann"
"""
POST = """---
title: Low water
published: 2026-01-0{number}T08:00:00Z
featured_image: /content/images/gone-{number}.jpg
format: html
---
<div><div><p>One.</p><p>Two.</p><h2>Three</h2><ul><li>Four</li></ul></div></div>
"""


@pytest.fixture(scope="module")
def moved_url(tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer) -> Iterator[str]:
    """The address of a site whose pictures stayed behind."""
    folder = tmp_path_factory.mktemp("moved")
    posts = {f"content/posts/low-{number}.md": POST.format(number=number) for number in range(1, 5)}
    for path, content in {"site.toml": SITE, "content/authors.yaml": "- slug: ann\n", **posts}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    built = command_server.run("build", folder, folder=folder, variables={})
    assert built.returncode == 0, built.stderr
    with site_host(folder / "public") as url:
        yield url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A window in which all pictures of a page are asked for."""
    made = browser.new_page(viewport={"width": 1280, "height": 3000})
    yield made
    made.close()


@pytest.mark.parametrize("path", ["/", "/blog/", "/blog/low-2/"])
def test_a_picture_that_cannot_be_had_leaves_no_box(page: Page, moved_url: str, path: str) -> None:
    """Cards, rows and posts are then as those without a picture."""
    page.goto(f"{moved_url}{path}")
    expect(page.locator(".frame, .plate")).to_have_count(0)
    expect(page.get_by_text("Low water").first).to_be_visible()
    expect(page.locator(":is(.story, .row):not(.plain)")).to_have_count(0)


def test_texts_in_boxes_have_space_between_them(page: Page, moved_url: str) -> None:
    """Editors put blocks into boxes within boxes."""
    page.goto(f"{moved_url}/blog/low-1/")
    gaps = page.eval_on_selector_all(
        ".prose div > * + *",
        "all => all.map(each => each.getBoundingClientRect().top"
        " - each.previousElementSibling.getBoundingClientRect().bottom)",
    )
    assert len(gaps) == 3
    assert min(gaps) > 8
