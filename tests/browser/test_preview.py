"""`sitecms preview` seen by Chromium: reloads by itself, keeps its place, shows errors and marks."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.commands import CommandServer

PATIENCE_MS = 60_000
SETTINGS = 'name = "Tide"\nurl = "https://tide.example"\nowner = "ann-ray"\n'
LONG = "\n\n".join(f"Paragraph {number}." for number in range(200))
POST = "---\ntitle: Fog\nslug: fog\nstatus: published\npublished: 2026-03-01T08:00:00Z\n---\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small site."""
    files = {
        "site.toml": SETTINGS,
        "content/authors.yaml": "- {slug: ann-ray, first_name: Ann}\n",
        "content/posts/fog.md": f"{POST}White.\n\n{LONG}\n",
        "content/posts/storm.md": "---\ntitle: Storm\nstatus: draft\n---\nGrey.\n",
        "assets/extra.css": "h1 { color: rgb(255, 0, 0) }\n",
        "templates/parts/extra.html": "",
    }
    for name, text in files.items():
        path = tmp_path / "tide" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "tide"


@pytest.fixture
def address(folder: Path, command_server: CommandServer) -> Iterator[str]:
    """Where the site is previewed."""
    process = command_server.start("preview", folder)
    line = process.stdout.readline()
    assert line.startswith("sitecms previews"), process.communicate(20)
    yield line.split()[-1]
    process.terminate()
    process.communicate(20)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that must not complain, of scripts and styles that its policy forbids among others."""
    context = browser.new_context()
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE_MS)
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    assert complaints == []


def edit(path: Path, old: str, new: str) -> None:
    """Change a file."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_open_page_reloads_by_itself_and_keeps_its_place(folder: Path, address: str, page: Page) -> None:
    """After each time a file was saved."""
    page.goto(f"{address}blog/fog/")
    page.get_by_text("White.", exact=True).wait_for()
    page.evaluate("scrollTo(0, 2000)")
    for number in range(3):
        edit(folder / "content/posts/fog.md", "White" if number == 0 else f"White{number}", f"White{number + 1}")
        page.get_by_text(f"White{number + 1}.", exact=True).wait_for(state="attached")
        page.wait_for_function("() => scrollY > 1500")


def test_drafts_are_marked_on_their_page_and_in_lists(address: str, page: Page) -> None:
    """A ribbon on the page of the draft, a badge on each link to it; a published post has neither."""
    page.goto(f"{address}blog/storm/")
    expect(page.locator(".sitecms-ribbon")).to_have_text("Draft")
    page.goto(f"{address}blog/")
    page.locator(".sitecms-badge").first.wait_for()
    texts = page.locator("a:has(.sitecms-badge)").all_inner_texts()
    assert texts
    assert all(re.search("Storm", text) for text in texts)
    page.goto(f"{address}blog/fog/")
    page.wait_for_function("() => performance.getEntriesByName(location.origin + '/.preview/preview.css').length > 0")
    expect(page.locator(".sitecms-ribbon")).to_have_count(0)


def test_problems_cover_the_page_until_they_are_fixed(folder: Path, address: str, page: Page) -> None:
    """With file and line, over the last sound version of the page; mended, the page is fresh without a click."""
    page.goto(f"{address}blog/fog/")
    edit(folder / "content/posts/fog.md", "title: Fog", "title: [Fog")
    overlay = page.locator(".sitecms-overlay")
    overlay.wait_for()
    expect(overlay.locator("code").first).to_have_text(re.compile(r"^content/posts/fog\.md:\d+"))
    expect(page.get_by_text("White.", exact=True)).to_have_count(1)
    edit(folder / "content/posts/fog.md", "title: [Fog", "titel: Fog")
    expect(overlay.locator(".sitecms-remedy").first).to_have_text('did you mean "title"?')
    edit(folder / "content/posts/fog.md", "titel: Fog", "title: Mist")
    page.get_by_role("heading", name="Mist").wait_for()
    expect(overlay).to_have_count(0)


def test_fault_of_a_template(folder: Path, address: str, page: Page) -> None:
    """File and line of the template; closing it leaves the page to be read."""
    page.goto(f"{address}blog/fog/")
    (folder / "templates/post.html").write_text("<main>\n{{ nothing.more }}\n</main>", encoding="utf-8")
    overlay = page.locator(".sitecms-overlay")
    overlay.wait_for()
    expect(overlay.locator("code").first).to_have_text("templates/post.html:2")
    overlay.get_by_role("button", name="Close").click()
    overlay.wait_for(state="detached")
    (folder / "templates/post.html").write_text("<main>\n<h1>Mine</h1>\n</main>", encoding="utf-8")
    page.get_by_role("heading", name="Mine").wait_for()


def test_style_changes_without_a_reload(folder: Path, address: str, page: Page) -> None:
    """What was typed into the page is still there."""
    (folder / "templates/post.html").write_text(
        '{% extends "base.html" %}{% block head %}'
        '<link rel="stylesheet" href="{{ site.assets["extra.css"] }}">{% endblock %}'
        "{% block content %}<h1>Plain</h1><input>{% endblock %}",
        encoding="utf-8",
    )
    page.goto(f"{address}blog/fog/")
    page.get_by_role("heading", name="Plain").wait_for()
    page.locator("input").fill("typed")
    edit(folder / "assets/extra.css", "255, 0, 0", "0, 128, 0")
    expect(page.locator("h1")).to_have_css("color", "rgb(0, 128, 0)")
    expect(page.locator("input")).to_have_value("typed")
