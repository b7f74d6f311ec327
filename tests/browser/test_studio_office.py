"""A large studio in Chromium: 10,000 posts, a writer beside an admin, files that change, passwords that are wrong."""

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from sitecms.actions.accounts.users import add_user
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.clock import now
from sitecms.content.change import EntryChange, Origin, Times
from sitecms.content.status import Status
from sitecms.content.user import Role
from sitecms.runtime import open_runtime
from sitecms.store.entries.posts import find_post_id
from tests.support.changes import post_change
from tests.support.commands import CommandServer
from tests.support.studio_browser import NAME, PASSWORD, PHONE_AND_KEYS, ServedStudio, Studio, View, serving, window

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow
SITE = """name = "Tide"
url = "https://tide.example"
default_locale = "en"
owner = "ann-ray"
"""
AUTHORS = "- {slug: ann-ray, first_name: Ann, last_name: Ray}\n- {slug: bo-lind, first_name: Bo, last_name: Lind}\n"
FILE = """---
title: {title}
slug: {slug}
status: published
---
The harbour is small.
"""
COUNT = 10_000
WRITER = "wren"
FORGED = """async form => {
    const body = new URLSearchParams([...new FormData(form), ["do", "publish"]]);
    return (await fetch(form.action, { method: "POST", body })).status;
}"""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer) -> Iterator[ServedStudio]:
    """A site with 10,000 posts in the store; the admin mira, and wren, who writes as Ann Ray."""
    folder = tmp_path_factory.mktemp("office") / "site"
    (folder / "content" / "posts").mkdir(parents=True)
    (folder / "site.toml").write_text(SITE, encoding="utf-8")
    (folder / "content" / "authors.yaml").write_text(AUTHORS, encoding="utf-8")
    with serving(folder, command_server) as served:
        runtime = open_runtime(served.settings)
        at = datetime(2026, 1, 1, tzinfo=UTC)
        with closing(runtime.database), runtime.database.writing() as transaction:
            for number in range(COUNT):
                save_entry(SaveContext(transaction, Origin.API, at, owner="ann-ray"), numbered(number, at))
        add_user(runtime.database, None, WRITER, Role.WRITER, "ann-ray", PASSWORD, "Tide", now())
        runtime.database.close()
        yield served


def load_file(folder: Path, command_server: CommandServer, slug: str, title: str) -> None:
    """Write the file of a post, and load it."""
    path = folder / "content" / "posts" / f"{slug}.md"
    path.write_text(FILE.format(slug=slug, title=title), encoding="utf-8")
    assert command_server.run("load", folder=folder, variables={}).returncode == 0


def numbered(number: int, begins: datetime) -> EntryChange:
    """Return one of the posts: each twentieth is a draft, and of those every other one is of Bo Lind."""
    at, is_draft = begins + timedelta(minutes=number), number % 20 == 0
    return post_change(
        locale="en",
        title=f"{'Ebb' if is_draft else 'Flood'} {number:05}",
        slug=f"tide-{number:05}",
        status=Status.DRAFT if is_draft else Status.PUBLISHED,
        author="bo-lind" if number % 40 == 0 else "ann-ray",
        body=f"<p>Tide {number}.</p>",
        times=Times(at, at, None if is_draft else at),
    )


@pytest.fixture
def studio(office: ServedStudio, browser: "Browser", request: pytest.FixtureRequest) -> Iterator[Studio]:
    """A window of the way that the test asks for."""
    view: View = getattr(request, "param", (1280, "light", "mouse"))
    with window(office, browser, view) as made:
        yield made


@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_ten_thousand_posts_are_filtered_paged_and_published_but_for_one(studio: Studio, browser: "Browser") -> None:
    """One that somebody else deletes meanwhile is refused by name; the way back leads to the same part of the list."""
    page = studio.page
    studio.sign_in()
    studio.open("posts/")
    expect(page.get_by_role("link", name="All")).to_contain_text(re.compile(r"\d{4,}"))
    studio.follow(page.get_by_role("link", name="Draft"))
    studio.write(page.get_by_label("Search", exact=True), "ebb")
    if (filters := page.locator(".filters > summary")).is_visible():
        studio.use(filters)
    studio.choose(page.get_by_label("Author", exact=True), "Bo Lind")
    studio.press("Show")
    expect(page.get_by_text("entries found.")).to_be_visible()
    studio.follow(page.get_by_role("link", name="Older"))
    expect(page.get_by_text("Page 2 of 5")).to_be_visible()
    rows = page.get_by_role("row").filter(has=page.get_by_role("checkbox"))
    names = [rows.nth(number).get_by_role("link").inner_text() for number in range(3)]
    box = rows.first.get_by_role("checkbox").bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24  # for fingers
    for number in range(3):
        studio.use(rows.nth(number).get_by_role("checkbox"), "Space")
    with window(studio.served, browser) as other:
        other.sign_in()
        other.open(f"posts/?text={names[1].replace(' ', '+')}")
        other.follow(other.page.get_by_role("link", name=names[1]))
        other.press("Delete")
    studio.press("Publish")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 of 3 published")
    expect(page.get_by_role("alert")).to_contain_text("1 was refused")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(page.get_by_role("listitem").filter(has_text=names[0])).to_be_visible()
    studio.follow(page.get_by_role("link", name="Back to the list"))
    expect(page.get_by_text("Page 2 of 5")).to_be_visible()
    expect(page.get_by_label("Search", exact=True)).to_have_value("ebb")
    expect(page.get_by_role("link", name=names[0])).to_have_count(0)


@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_writer_cannot_publish_by_form_or_request(studio: Studio, browser: "Browser") -> None:
    """The form has no button for it, a request that the form did not make is refused, and an editor publishes it."""
    page, title = studio.page, f"Wrack {token_hex(4)}"
    sign_in(studio, WRITER, PASSWORD)
    studio.follow(page.get_by_role("link", name="New post"))
    studio.press("Markdown")
    studio.write(page.get_by_label("Title", exact=True), title)
    expect(page.get_by_text("An editor publishes it.")).to_have_count(1)
    expect(page.get_by_role("button", name="Publish", exact=True)).to_have_count(0)
    expect(page.get_by_label("Day and time")).to_have_count(0)
    assert page.locator("form.editor").evaluate(FORGED) == 403
    studio.press("Save draft")
    expect(page.locator("[data-said]")).to_have_text("The draft is created.")
    assert page.locator("form.editor").evaluate(FORGED) == 403
    page.reload()
    expect(page.locator(".mark.draft")).to_be_visible()
    address = page.url.partition("?")[0]
    with window(studio.served, browser) as editor:
        editor.sign_in()
        editor.page.goto(address)
        editor.press("Publish")
        expect(editor.page.locator("[data-said]")).to_contain_text("Published.")
    page.reload()
    studio.write(page.get_by_label("Title", exact=True), f"{title} proposed")
    studio.press("Save draft")
    expect(page.locator("[data-said]")).to_contain_text("Readers still see the published version.")


@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_file_that_changes_meanwhile_is_told(studio: Studio, command_server: CommandServer) -> None:
    """A load changes the title while the excerpt is typed: nothing is stored until both were seen, then both are."""
    page, folder, word = studio.page, studio.served.settings.folder, token_hex(4)
    slug = f"harbour-{word}"
    load_file(folder, command_server, slug, "Harbour")
    runtime = open_runtime(studio.served.settings)
    with closing(runtime.database), runtime.database.reading() as session:
        path = f"posts/{find_post_id(session, slug)}/"
    studio.sign_in()
    studio.open(path)
    expect(page.get_by_text("Also in the file content/posts/harbour-")).to_have_count(1)
    excerpt = page.get_by_label("Excerpt")
    studio.write(excerpt, f"Excerpt {word}")
    load_file(folder, command_server, slug, f"Harbour {word}")
    studio.press("Save draft")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(f"A load of content/posts/{slug}.md changed this meanwhile")
    expect(alert).to_be_focused()
    expect(page.get_by_label("Title", exact=True)).to_have_value(f"Harbour {word}")
    expect(excerpt).to_have_value(f"Excerpt {word}")
    assert studio.violations() == []
    studio.press("Save draft")
    expect(page.locator("[data-said]")).to_contain_text("Draft saved.")
    expect(excerpt).to_have_value(f"Excerpt {word}")
    studio.press("Publish changes")
    expect(page.locator("[data-said]")).to_contain_text("Published.")
    expect(page.get_by_text("It was changed here since.")).to_have_count(1)


def sign_in(studio: Studio, name: str, password: str) -> None:
    """Send the form of the sign-in."""
    studio.open("sign-in/")
    studio.write(studio.page.get_by_label("Name"), name)
    studio.write(studio.page.get_by_label("Password"), password)
    studio.press("Sign in")


@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_wrong_password_then_right_then_out(studio: Studio) -> None:
    """The name stays, the reason is told; after signing out, the way back shows nothing."""
    page = studio.page
    sign_in(studio, NAME, "not the password")
    expect(page.get_by_role("alert")).to_have_text("The name or the password is wrong.")
    expect(page.get_by_label("Name")).to_have_value(NAME)
    expect(page.get_by_label("Password")).to_be_focused()
    studio.write(page.get_by_label("Password"), PASSWORD)
    studio.press("Sign in")
    expect(page.get_by_role("heading", name="Posts")).to_be_visible()
    studio.press("Sign out")
    expect(page.get_by_role("heading", name="Studio")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Password")).to_be_visible()


def test_after_five_wrong_passwords_the_next_one_waits(studio: Studio) -> None:
    """How long is told; the right password is not tried meanwhile."""
    for _ in range(5):
        sign_in(studio, "nobody", "not the password")
        expect(studio.page.get_by_role("alert")).to_have_text("The name or the password is wrong.")
    sign_in(studio, "nobody", "not the password")
    expect(studio.page.get_by_role("alert")).to_contain_text("Too many attempts. Try again in")
    assert studio.violations() == []
