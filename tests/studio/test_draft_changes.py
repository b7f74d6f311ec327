"""Comparison of what readers see with a saved draft."""

from sitecms.content.user import Role
from tests.support.entries import MakePage, MakePost

from .conftest import Browser, SignedIn
from .forms import press


def test_post_and_its_draft_are_compared_by_words(signed_in: SignedIn, editor: Browser, make_post: MakePost) -> None:
    """Only fields that differ, with the words that were removed and added; nothing without a draft, or for others."""
    post_id = make_post("calm", title="Calm <sea>", body="<p>The tide comes in.</p>", author="bo-lind")
    path = f"/studio/posts/{post_id}/"
    assert editor.get(f"{path}changes/").status_code == 404
    editor.get(path)
    press(editor, "save", body="<p>The big tide comes in.</p>", tags="moon")
    assert "Compare live and draft" in editor.text
    assert editor.get(f"{path}changes/").status_code == 200
    assert "2 fields differ" in editor.text
    assert "<ins>big </ins>" in editor.page
    assert "<ins>moon</ins>" in editor.page
    assert "Excerpt" not in editor.text
    assert signed_in(Role.WRITER, "ann-ray").get(f"{path}changes/").status_code == 404


def test_page_and_its_draft_are_compared_in_a_locale(editor: Browser, make_page: MakePage) -> None:
    """Fields inside rows have their path in the label; another locale has no draft."""
    live = {"summary": "one two", "steps": [{"title": "first", "who": None}]}
    draft = {"summary": "one three", "steps": [{"title": "other", "who": None}]}
    page_id = make_page("caves", live, draft=draft, es={"summary": "uno"})
    editor.get(f"/studio/pages/{page_id}/")
    assert f"/studio/pages/{page_id}/changes/?locale=en" in editor.page
    editor.get(f"/studio/pages/{page_id}/changes/?locale=en")
    assert "2 fields differ" in editor.text
    assert "steps 1: title" in editor.text.casefold()
    assert ("<del>two</del>" in editor.page, "<ins>three</ins>" in editor.page) == (True, True)
    assert editor.get(f"/studio/pages/{page_id}/changes/?locale=es").status_code == 404
