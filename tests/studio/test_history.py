"""Pages of histories: lists, comparison by words, and bringing a version back."""

import re

import pytest

from sitecms.content.status import Status
from sitecms.studio.text_diff import PieceKind, compare_texts
from tests.support.entries import MakePage, MakePost

from .conftest import Browser, EntryForm
from .forms import press

pytestmark = pytest.mark.both_engines


def change(browser: Browser, path: str, button: str = "save", **fields: str) -> None:
    """Open a form, and send it with these fields."""
    browser.get(path)
    revision = browser.value_of("revision")
    answered = browser.send(path, revision=revision, do=button, complete="1", **fields)
    assert answered.status_code == 200, browser.text


def test_post_is_compared(editor: Browser, make_post: MakePost) -> None:
    """The list names person, time and kind; the version shows what changed by words."""
    post_id = make_post("calm", status=Status.DRAFT, body="<p>The tide comes in.</p>")
    path = f"/studio/posts/{post_id}/"
    change(editor, path, body="<p>The big tide comes in.</p>")
    editor.get(f"{path}history/")
    assert "Saved by editor" in editor.text
    assert "First saved" in editor.text
    editor.get(f"{path}history/0/")
    assert re.search(r"<p>The ?<span[^>]*>added: </span><ins> ?big ?</ins>", editor.page)
    editor.get(f"{path}history/1/")
    assert "The oldest version that is kept" in editor.text
    assert '<div class="formatted words"><p>The tide comes in.</p></div>' in editor.page


def test_version_is_brought_back_unless_the_entry_was_changed(editor: Browser, entry: EntryForm) -> None:
    """As a draft, so that nothing is overwritten that readers see, or that the person has not seen."""
    before = entry.stored()
    editor.get(entry.address)
    press(editor, "save", **{entry.text: "two"})
    editor.get(f"{entry.address}history/1/")
    revision = editor.value_of("revision")
    editor.get(entry.address)
    press(editor, "save", **{entry.text: "three"})
    assert editor.send(f"{entry.address}history/1/", revision=revision).status_code == 412
    assert "was changed since you opened this page" in editor.text
    assert entry.stored()["text"] == "three"
    editor.get(f"{entry.address}history/")
    assert "Saved by editor" in editor.text
    editor.get(f"{entry.address}history/1/")
    assert editor.send(f"{entry.address}history/1/", revision=editor.value_of("revision")).status_code == 200
    assert "brought back as a draft" in editor.text
    assert entry.stored() == before
    editor.get(f"{entry.address}history/")
    assert "Brought back by editor" in editor.text


def test_page_is_compared(editor: Browser, make_page: MakePage) -> None:
    """With the labels of its fields, also those in rows; in its locale alone."""
    page_id = make_page("knots", {"summary": "Knots", "steps": [{"title": "Loop"}]}, es={"summary": "Nudos"})
    path = f"/studio/pages/{page_id}/"
    editor.get(path)
    fields = {"revision": editor.value_of("revision"), "schema": editor.value_of("schema"), "complete": "1"}
    rows = {"fields.steps.count": "1", "fields.steps.0.title": "Double loop"}
    editor.send(path, do="publish", **fields, **rows)
    editor.get(f"{path}history/0/?locale=en")
    assert "Steps 1: Title" in editor.text
    assert "<ins>Double" in editor.page
    assert editor.get(f"{path}history/1/?locale=es").status_code == 404
    assert editor.get(f"{path}history/?locale=es").status_code == 200


def test_history_of_others_is_not_found(writer: Browser, make_post: MakePost) -> None:
    """A writer reads no drafts of others, so no former ones either."""
    own, other = make_post("own"), make_post("other", author="bo-lind")
    assert writer.get(f"/studio/posts/{own}/history/").status_code == 200
    for path in ("history/", "history/0/"):
        assert writer.get(f"/studio/posts/{other}/{path}").status_code == 404
    assert writer.get("/studio/pages/1/history/").status_code == 403


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "", ""),
        ("a", "a", "a"),
        ("one two", "one three", "one [-two][+three]"),
        ("<p>a</p><p>b</p>", "<p>a</p><p>c</p>", "<p>a</p><p>[-b][+c]</p>"),
        ("same\n" * 200 + "x", "same\n" * 200 + "y", "..." + ("same\n" * 40) + "[-x][+y]"),
        ("a\n" * 5000, "b", "[-" + "a\n" * 5000 + "][+b]"),
    ],
)
def test_texts_are_compared_by_words(before: str, after: str, expected: str) -> None:
    """What stayed far from a change is left out; very long texts are not compared word by word."""
    signs = {PieceKind.SAME: "{}", PieceKind.REMOVED: "[-{}]", PieceKind.ADDED: "[+{}]", PieceKind.SKIPPED: "..."}
    assert "".join(signs[each.kind].format(each.text) for each in compare_texts(before, after)) == expected
