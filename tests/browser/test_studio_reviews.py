"""Two people at a review, each by keys alone or by phone: submitted, noted, sent back, published."""

from contextlib import suppress

import pytest
from playwright.sync_api import Browser, Locator, expect

from sitecms.actions.accounts.signing_in import sign_in
from sitecms.actions.accounts.users import add_user
from sitecms.clock import now
from sitecms.content.user import Role
from sitecms.errors import Conflict
from sitecms.runtime import open_runtime
from sitecms.store.entries.authors import find_authors
from sitecms.studio.access import LOCAL_COOKIE
from sitecms.studio.text_format import COOKIE as FORMAT_COOKIE
from tests.support.studio_browser import PASSWORD, PHONE_AND_KEYS, Studio, window

WRITER = "wren"


def sign_in_writer(studio: Studio) -> None:
    """Sign in a writer, who is added the first time, and writes rich text."""
    runtime = open_runtime(studio.served.settings)
    author = runtime.database.read(find_authors)[0].slug
    with suppress(Conflict):  # the test before has added the writer
        add_user(runtime.database, None, WRITER, Role.WRITER, author, PASSWORD, "Hedgerow", now())
    secret = sign_in(runtime.database, WRITER, PASSWORD, now(), "127.0.0.1", "Chromium").secret
    runtime.database.close()
    cookies = {LOCAL_COOKIE: secret, FORMAT_COOKIE: "html"}
    studio.page.context.add_cookies(
        [{"name": name, "value": value, "url": studio.url} for name, value in cookies.items()]
    )


def in_panel(studio: Studio, target: Locator) -> Locator:
    """Open the panel if it is a sheet that is closed, and return the control in it."""
    if not target.is_visible():
        studio.use(studio.page.get_by_role("button", name="Details"))
    return target


def select_words(studio: Studio, words: int) -> None:
    """Select the first words of the text, with the keys of a keyboard."""
    studio.page.locator(".ProseMirror").focus()
    studio.page.keyboard.press("Control+Home")
    for _ in range(words):
        studio.page.keyboard.press("Control+Shift+ArrowRight")


@pytest.mark.slow
@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_two_people_review_a_post(studio: Studio, browser: Browser) -> None:
    """A new post is submitted and sent back with a note on its words, changed, answered, submitted and published."""
    view = (360, "dark", studio.way) if studio.way == "finger" else (1280, "light", studio.way)
    with window(studio.served, browser, view) as other:  # type: ignore[arg-type]
        sign_in_writer(other)
        writer, editor = other.page, studio.page
        title = f"Neap tide by {studio.way}"
        other.open("posts/new/")
        other.write(writer.get_by_label("Title", exact=True), title)
        other.write(writer.locator(".ProseMirror"), "The tide comes twice a day.")
        other.follow(writer.get_by_role("button", name="Submit for review").first)
        expect(writer.locator("[data-said]")).to_have_text("Submitted for review.")
        assert other.violations() == []

        studio.open("posts/")
        waiting = editor.get_by_role("region", name="Waiting for your review")
        assert studio.violations() == []
        studio.follow(waiting.get_by_role("link", name=title))
        select_words(studio, 3)
        editor.keyboard.press("Control+Alt+m")
        expect(editor.get_by_label("Note", exact=True)).to_be_focused()
        expect(editor.get_by_label("Words of the text that it is about")).to_have_value("The tide comes")
        editor.keyboard.insert_text("Which coast?")
        studio.press("Add the note")
        note = in_panel(studio, editor.get_by_role("article", name="Note by mira"))
        expect(note.get_by_text("Which coast?")).to_be_visible()
        assert studio.violations() == []
        studio.write(editor.get_by_label(f"Message to {WRITER}"), "Name the source.")
        studio.press("Send back")
        expect(editor.locator("[data-said]")).to_have_text("Sent back, and saved as a draft.")

        other.open("posts/")
        sent_back = writer.get_by_role("region", name="Sent back to you")
        other.follow(sent_back.get_by_role("link", name=title))
        words = in_panel(other, writer.get_by_role("button", name="The tide comes"))
        other.use(words)
        expect(writer.locator(".ProseMirror")).to_be_focused()
        assert writer.evaluate("getSelection().toString()") == "The tide comes"
        writer.keyboard.insert_text("On the northern coast the sea rises")
        first = in_panel(other, writer.get_by_role("article", name="Note by mira").first)
        other.use(first.locator("summary"))
        other.write(first.get_by_label("Answer to mira"), "The northern one.")
        other.press("Answer")
        expect(first.get_by_text("The northern one.")).to_be_visible()
        expect(first.get_by_text("not in the text any more")).to_be_visible()
        other.follow(first.get_by_role("button", name="Done", exact=True))
        expect(writer.get_by_text(f"Done: {WRITER}")).to_be_visible()
        assert other.violations() == []
        writer.keyboard.press("Escape")
        other.follow(writer.get_by_role("button", name="Submit for review").first)
        expect(writer.locator("[data-said]")).to_have_text("Submitted for review.")

        studio.open("reviews/")
        assert studio.violations() == []
        studio.follow(editor.get_by_role("link", name=title))
        studio.follow(editor.get_by_role("button", name="Approve and publish").first)
        expect(editor.locator("[data-said]")).to_contain_text("Published.")
        studio.open("reviews/")
        expect(editor.get_by_role("link", name=title)).to_have_count(0)
        assert [line for line in studio.said + other.said if "Content Security Policy" in line] == []
