"""Saved filters: named links above a list, each user's own."""

import re
from html import unescape

import pytest

from sitecms.actions.accounts.users import remove_user
from sitecms.content.status import Status
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from tests.support.entries import MakeItem, MakePost
from tests.support.reading import select

from .conftest import Browser, SignedIn

pytestmark = pytest.mark.both_engines

POSTS = "/studio/posts/"


def links(browser: Browser) -> list[tuple[str, str, bool]]:
    """Return address, name and state of the saved filters that are shown."""
    pattern = (
        r'<li><a href="(\?[^"]+)"( aria-current="true")?>([^<]+)</a><form method="post" action="/studio/filters/">'
    )
    return [(unescape(query), name, bool(mark)) for query, mark, name in re.findall(pattern, browser.page)]


def save(browser: Browser, path: str, query: str, name: str) -> None:
    """Save the filter of a list."""
    browser.get(f"{path}?{query}")
    browser.send("/studio/filters/", place=path, query=unescape(browser.value_of("query")), name=name)


def test_filter_is_saved_used_and_deleted(admin: Browser, editor: Browser, make_post: MakePost) -> None:
    """Under its name, for its list and its user alone; what is no filter, as the page, is left out."""
    make_post("plan", status=Status.DRAFT)
    editor.get(POSTS)
    assert "Save this filter" not in editor.text
    save(editor, POSTS, "status=draft&text=+plan&page=1&said=saved&x=1", " My   drafts ")
    assert "The filter is saved." in editor.text
    assert links(editor) == [("?status=draft&text=plan", "My drafts", True)]
    assert "Save this filter" not in editor.text
    editor.get(f"{POSTS}?text=plan&status=draft&locale=")
    assert links(editor)[0][2]
    editor.get("/studio/pages/")
    assert links(editor) == []
    admin.get(POSTS)
    assert links(admin) == []
    editor.get(f"{POSTS}?status=published")
    (number,) = re.findall(r'name="delete" value="(\d+)"', editor.page)
    admin.send("/studio/filters/", place=POSTS, delete=number)
    editor.get(POSTS)
    assert links(editor) == [("?status=draft&text=plan", "My drafts", False)]
    editor.send("/studio/filters/", place=POSTS, query="status=published", delete=number)
    assert "The filter is deleted." in editor.text
    assert links(editor) == []


def test_saved_name_stands_for_the_last_filter(editor: Browser, make_item: MakeItem) -> None:
    """A name that is used already gets the new filter; lists have filters of their own."""
    make_item(1, {"name": "Ann"})
    save(editor, POSTS, "status=draft", "Open")
    save(editor, POSTS, "status=scheduled", "Open")
    save(editor, "/studio/collections/team/", "sort=title", "By name")
    assert links(editor) == [("?sort=title", "By name", True)]
    editor.get(POSTS)
    assert links(editor) == [("?status=scheduled", "Open", False)]


@pytest.mark.parametrize(
    ("form", "status", "message"),
    [
        ({"place": POSTS, "query": "status=draft", "name": " "}, 400, "Give the filter a name"),
        ({"place": POSTS, "query": "status=draft", "name": "x" * 61}, 400, "Give the filter a name"),
        ({"place": POSTS, "query": "page=2", "name": "x"}, 400, "Choose a filter"),
        ({"place": "https://evil.example/", "query": "status=draft", "name": "x"}, 404, ""),
        ({"place": "/studio/people/", "query": "status=draft", "name": "x"}, 404, ""),
        ({"place": "/studio/collections/a\nb/", "query": "status=draft", "name": "x"}, 404, ""),
        ({"place": POSTS, "delete": "x"}, 404, ""),
    ],
)
def test_senseless_filters_are_refused(editor: Browser, form: dict[str, str], status: int, message: str) -> None:
    """The reason is told, and nothing is saved."""
    editor.get(POSTS)
    assert editor.send("/studio/filters/", **form).status_code == status
    assert message in editor.text
    editor.get(POSTS)
    assert links(editor) == []


def test_list_has_thirty_filters_at_most(editor: Browser) -> None:
    """One more is refused; one of them can still be changed."""
    for number in range(31):
        save(editor, POSTS, f"text={number}", f"N{number}")
    assert "You have 30 filters for this list. Delete one first." in editor.text
    save(editor, POSTS, "text=x", "N0")
    assert links(editor)[0][:2] == ("?text=x", "N0")


def test_filters_of_a_removed_user_are_gone(signed_in: SignedIn, runtime: Runtime) -> None:
    """They belong to nobody else."""
    save(signed_in(Role.EDITOR), POSTS, "status=draft", "Open")
    remove_user(runtime.database, None, "editor", runtime.clock())
    assert select(runtime.database, "SELECT count(*) FROM saved_filter") == [(0,)]
