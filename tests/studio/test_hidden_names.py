"""Names, texts and numbers of drafts: no route shows a writer more of them than the lists do."""

from typing import Any

import pytest

from sitecms.content.status import Status
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from tests.support.entries import MakeItem, MakePage, MakePost, declare

from .conftest import Browser, SignedIn
from .forms import form_of, press
from .test_lists import titles

pytestmark = pytest.mark.both_engines

LIVE, DRAFT, HIDDEN = "/v2/content/?keys=team[_id=1]", "/v2/content/?keys=team[_id=2]", "/v2/pages/guide/hidden/"
FIELDS: list[dict[str, Any]] = [
    {"slug": "who", "type": "reference", "targets": ["team"]},
    {
        "slug": "steps",
        "type": "repeater",
        "fields": [{"slug": "guide", "type": "reference", "targets": ["page:guide"]}],
    },
]
ALL_ROLES = pytest.mark.parametrize("role", [Role.WRITER, Role.EDITOR, Role.ADMIN])


@pytest.fixture
def drafts(runtime: Runtime, make_page: MakePage, make_item: MakeItem, make_post: MakePost) -> None:
    """Drafts beside published entries, and fields of posts that name items and guides, but no news."""
    make_item(1, {"name": "LiveName"}, draft={"name": "DraftName"})
    make_item(2, {"name": "QQITEMDRAFT"}, status=Status.DRAFT)
    make_page("known", {})
    make_page("hidden", {}, status=Status.DRAFT)
    make_page("today", {}, page_type="news")
    make_post("calm", categories=("Tides",))
    make_post("secret", author="bo-lind", categories=("Tides",), status=Status.DRAFT)
    declare(runtime.database, lambda data: data.update(post_fields=FIELDS))


def found_labels(browser: Browser, targets: str, text: str = "") -> list[str]:
    """The labels that the search of references finds."""
    answer = browser.get(f"/studio/find/references/?targets={targets}&text={text}")
    return [each["label"] for each in answer.get_json()["found"]]


@pytest.mark.parametrize(
    ("targets", "text", "shown", "hidden"),
    [
        ("team", "", ["LiveName"], ["DraftName", "QQITEMDRAFT"]),
        ("team", "QQ", [], ["QQITEMDRAFT"]),
        ("team", "DraftName", [], ["DraftName"]),
        ("page:guide", "", ["Known"], ["Hidden", "Known"]),
        ("page:news", "", [], ["Today"]),
        ("page:*", "", [], []),
    ],
)
def test_writers_find_what_is_published(
    signed_in: SignedIn, drafts: None, targets: str, text: str, shown: list[str], hidden: list[str]
) -> None:
    """By its live name, and of targets that a field of posts names; others find everything."""
    assert found_labels(signed_in(Role.WRITER), targets, text) == shown
    assert found_labels(signed_in(Role.EDITOR), targets, text) == hidden
    assert found_labels(signed_in(Role.ADMIN), targets, text) == hidden


@ALL_ROLES
def test_forms_name_drafts_to_those_who_may_see_them(signed_in: SignedIn, drafts: None, role: Role) -> None:
    """In lists of references, and beside a reference that the form itself sends."""
    browser = signed_in(role, "ann-ray")
    browser.get("/studio/posts/new/")
    press(browser, "add:fields.steps", title="T")
    press(browser, "refresh:fields.who", **{"fields.who": DRAFT, "fields.steps.0.guide": HIDDEN})
    assert form_of(browser)["fields.who"] == DRAFT
    names = ("DraftName", "QQITEMDRAFT", "Hidden")
    if role is Role.WRITER:
        assert not [name for name in names if name in browser.page]
        assert ">LiveName</option>" in browser.page
        assert f"missing or not published: {DRAFT}" in browser.page
    else:
        assert [name for name in names if f">{name}</option>" in browser.page] == list(names)


@ALL_ROLES
def test_lists_count_and_search_drafts_for_those_who_may_see_them(
    signed_in: SignedIn, drafts: None, role: Role
) -> None:
    """Numbers of items and posts, and words of texts that are not published."""
    browser, is_writer = signed_in(role), role is Role.WRITER
    browser.get("/studio/collections/")
    assert ("Team 1 item" if is_writer else "Team 2 items") in browser.text
    browser.get("/studio/collections/team/?text=DraftName")
    assert len(titles(browser)) == (0 if is_writer else 1)
    browser.get("/studio/authors/")
    assert f"bo-lind · {'0 posts' if is_writer else '1 post'}" in browser.text
    browser.get("/studio/terms/")
    assert f"Tides {1 if is_writer else 2}" in browser.text


@ALL_ROLES
def test_checks_name_drafts_to_those_who_may_see_them(signed_in: SignedIn, drafts: None, role: Role) -> None:
    """A link to a draft of somebody else leads nowhere, a reference to it is not said to be of a draft."""
    browser = signed_in(role, "ann-ray")
    browser.get("/studio/posts/new/")
    fields = {"title": "T", "body": "[a](/blog/secret/)", "fields.who": DRAFT}
    form = {**form_of(browser), **fields}
    browser.send("/studio/posts/new/check/", **form)
    assert ("which is not published" in browser.text) is (role is not Role.WRITER)
    assert ("leads nowhere" in browser.text) is (role is Role.WRITER)
