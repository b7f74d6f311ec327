"""The format of new posts, names of authors, the live version in histories, and texts that two people changed."""

import re

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.entries.bodies import find_markdown
from sitecms.store.entries.versions import VERSIONS
from tests.support.entries import MakeItem, MakePost

from .conftest import Browser, SignedIn
from .forms import carried, form_of, press

THREE = "<p>one</p>\n<p>two</p>\n<p>three</p>"


def body_of(runtime: Runtime, post_id: int) -> str:
    """Return the stored body of a post."""
    return runtime.database.read(VERSIONS[EntryKind.POST].get, post_id).body


def test_new_post_in_rich_text(writer: Browser, runtime: Runtime) -> None:
    """Its body is stored as HTML, cleaned; the choice holds for the next one; a text in HTML is not made Markdown."""
    writer.get("/studio/posts/new/?format=html")
    assert "Author: Ann Ray" in writer.text
    answered = press(writer, "format:markdown", title="Kept", body="<p>x</p>")
    assert (answered.status_code, form_of(writer)["format"], form_of(writer)["title"]) == (400, "html", "Kept")
    assert "Only an empty text" in writer.text
    answered = press(writer, "save", body='<p onclick="x()">A <em>b</em></p>')
    post_id = int(answered.request.path.split("/")[-2])
    assert body_of(runtime, post_id) == "<p>A <em>b</em></p>"
    assert runtime.database.read(find_markdown, post_id) is None
    writer.get("/studio/posts/new/")
    assert form_of(writer)["format"] == "html"
    press(writer, "format:markdown")
    writer.get("/studio/posts/new/")
    assert form_of(writer)["format"] == "markdown"


def test_post_begun_in_markdown_without_a_text_stays_in_markdown(editor: Browser) -> None:
    """A title alone is saved, and the text is typed later."""
    editor.get("/studio/posts/new/")
    press(editor, "save", title="Only a title")
    assert form_of(editor)["format"] == "markdown"
    press(editor, "save", body="*slack* water")
    assert (form_of(editor)["format"], form_of(editor)["body"]) == ("markdown", "*slack* water")


def test_history_marks_the_version_that_readers_see(editor: Browser, make_post: MakePost) -> None:
    """A draft over a published post is the one that is edited; the author stands there by name."""
    post_id = make_post("calm", body="<p>old</p>")
    for title in ("First", "Second"):
        editor.get(f"/studio/posts/{post_id}/")
        press(editor, "save", title=title)
    editor.get(f"/studio/posts/{post_id}/history/")
    rows = editor.page.split("<li>")[1:]
    rows = [row for row in rows if "/history/" in row]
    assert ["the one you edit" in row for row in rows] == [True, False, False]
    assert ["the one readers see" in row for row in rows] == [False, False, True]
    editor.get(f"/studio/posts/{post_id}/history/0/")
    assert '<dt>Author</dt><dd tabindex="0"><pre class="words">Ann Ray</pre>' in editor.page


@pytest.mark.parametrize("choice", ["mine", "theirs"])
def test_blocks_of_one_text_are_merged_or_chosen(
    signed_in: SignedIn, make_post: MakePost, runtime: Runtime, choice: str
) -> None:
    """A block each is merged; the same block is chosen, and without a choice nothing is stored or lost."""
    post_id = make_post("calm", status=Status.DRAFT, body=THREE)
    mine, theirs = signed_in(Role.EDITOR), signed_in(Role.ADMIN)
    for browser in (mine, theirs):
        browser.get(f"/studio/posts/{post_id}/")
    press(theirs, "save", body="<p>one</p>\n<p>TWO</p>\n<p>THREE</p>")
    assert press(mine, "save", body="<p>ONE</p>\n<p>two, mine</p>\n<p>three</p>").status_code == 412
    assert form_of(mine)["body"] == "<p>ONE</p>\r\n<p>two, mine</p>\r\n<p>THREE</p>"
    assert press(mine, "save").status_code == 400
    assert body_of(runtime, post_id) == "<p>one</p>\n<p>TWO</p>\n<p>THREE</p>"
    typed = form_of(mine)["body"] + "\r\n<p>four</p>"
    press(mine, "save", **{"body": typed, "choose.body:0": choice})
    middle = {"mine": "two, mine", "theirs": "TWO"}[choice]
    assert body_of(runtime, post_id) == f"<p>ONE</p>\n<p>{middle}</p>\n<p>THREE</p>\n<p>four</p>"


def test_entries_are_found_by_title(
    editor: Browser, writer: Browser, make_post: MakePost, page_id: int, make_item: MakeItem
) -> None:
    """Writers find what they may open: no drafts of others, no pages and no items."""
    make_item(9, {"name": "Calm Ann"})
    make_post("calm", title="Calm water")
    make_post("calm-draft", title="Calm draft", status=Status.DRAFT, author="bo-lind")
    found = editor.get("/studio/find/?text=calm").get_json()["found"]
    assert sorted(each["title"] for each in found) == ["Calm Ann", "Calm draft", "Calm water"]
    assert found[-1]["address"] == "/studio/collections/team/9/"
    assert [each["kind"] for each in editor.get("/studio/find/").get_json()["found"]].count("Page") == 1
    found = writer.get("/studio/find/?text=calm").get_json()["found"]
    assert [each["title"] for each in found] == ["Calm water"]


SOURCE = "Some *words*.\n\n- one\n- two\n"
AS_HTML = "<p>Some <em>words</em>.</p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"


def markdown_of(runtime: Runtime, post_id: int) -> str | None:
    """Return the stored Markdown of a post."""
    return runtime.database.read(find_markdown, post_id)


def new_markdown_post(browser: Browser, button: str) -> int:
    """Create a post from Markdown in the studio; return its id, with its form open."""
    browser.get("/studio/posts/new/?format=markdown")
    answered = press(browser, button, title="Knots", body=SOURCE)
    return int(answered.request.path.split("/")[-2])


@pytest.mark.parametrize("button", ["save", "publish"])
def test_markdown_becomes_rich_text_and_comes_back(editor: Browser, runtime: Runtime, button: str) -> None:
    """It is asked first, saved when the form is, of the same HTML, and a former version brings the Markdown back."""
    post_id = new_markdown_post(editor, button)
    path, html = f"/studio/posts/{post_id}/", body_of(runtime, post_id)
    assert html.split() == AS_HTML.split()
    press(editor, "ask-rich-text", summary="typed")
    assert "Edit as rich text?" in editor.text
    kept = carried(editor.page)
    editor.send(path, **{**kept, "do": "bring-back"})
    assert (form_of(editor)["format"], form_of(editor)["summary"]) == ("markdown", "typed")
    editor.send(path, **{**kept, "do": "to-rich-text"})
    assert (form_of(editor)["format"], form_of(editor)["summary"]) == ("html", "typed")
    assert form_of(editor)["body"].replace("\r\n", "\n") == html
    assert "Saving stores it instead of the Markdown" in editor.text
    assert markdown_of(runtime, post_id) == SOURCE
    press(editor, button, summary="")  # the body that is stored stays the same
    editor.get(path)
    assert form_of(editor)["format"] == "html"
    assert (body_of(runtime, post_id), markdown_of(runtime, post_id)) == (html, None)
    editor.get(f"{path}history/")
    newest = max(int(each) for each in re.findall(rf"{path}history/(\d+)/", editor.page))
    editor.get(f"{path}history/{newest}/")
    editor.send(f"{path}history/{newest}/", revision=editor.value_of("revision"))
    editor.get(path)
    assert (form_of(editor)["format"], form_of(editor)["body"].replace("\r\n", "\n")) == ("markdown", SOURCE)
    press(editor, button)
    assert markdown_of(runtime, post_id) == SOURCE


def test_new_markdown_becomes_rich_text_as_it_looks(writer: Browser) -> None:
    """The other choice above a new post takes what is typed along; so far nothing is stored."""
    writer.get("/studio/posts/new/?format=markdown")
    press(writer, "format:html", title="Knots", body=SOURCE)
    assert (form_of(writer)["format"], form_of(writer)["body"].split()) == ("html", AS_HTML.split())


def test_only_who_may_change_a_post_turns_it_into_rich_text(signed_in: SignedIn, runtime: Runtime) -> None:
    """Neither the button nor a form of its own does it for others, and nothing is rendered for them."""
    post_id = new_markdown_post(signed_in(Role.EDITOR), "publish")
    writer = signed_in(Role.WRITER, author="bo-lind")
    path = f"/studio/posts/{post_id}/"
    assert "Edit as rich text" not in writer.get(path).get_data(as_text=True)
    form = {"complete": "1", "title": "Knots", "body": "*x*", "format": "markdown"}
    answered = writer.send(path, **form, do="to-rich-text")
    assert (answered.status_code, "<em>x</em>" in writer.page) == (403, False)
    assert markdown_of(runtime, post_id) == SOURCE
