"""Tags, and single categories, in responses (API reference, Read shapes)."""

from collections.abc import Callable
from datetime import datetime

import pytest
from werkzeug.test import TestResponse

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.content.term import Term, TermKind
from sitecms.store.database import Database
from sitecms.store.entries.terms import save_terms
from sitecms.store.entries.trash import move_to_trash

Get = Callable[..., TestResponse]
Make = Callable[..., int]
each_kind = pytest.mark.parametrize("kind", ["categories", "tags"])


@each_kind
def test_terms_are_in_order_of_creation(get: Get, make_post: Make, kind: str) -> None:
    """Those of the other kind are not among them; a post in two locales shares its terms."""
    make_post("one", **dict.fromkeys(("categories", "tags"), ("Sea",)) | {kind: ("Old Harbour", "moon")})
    make_post("uno", locale="es", **{kind: ("moon", "luna")})
    assert get(f"/v2/{kind}/").get_json() == {
        "data": [
            {"name": "Old Harbour", "slug": "old-harbour"},
            {"name": "moon", "slug": "moon"},
            {"name": "luna", "slug": "luna"},
        ]
    }


def test_terms_of_hidden_posts_only_are_hidden(get: Get, make_post: Make, store: Database, noon: datetime) -> None:
    """A term of drafts, scheduled or deleted posts alone is missing; a term without posts is there."""
    store.write(save_terms, TermKind.TAG, [Term(TermKind.TAG, "declared", "Declared")])
    make_post("shown", tags=("moon",), categories=("Sea",))
    make_post("draft", status=Status.DRAFT, tags=("moon", "layoffs"), categories=("Secrets",))
    make_post("later", status=Status.SCHEDULED, scheduled_at=noon, tags=("merger",))
    gone = make_post("gone", tags=("gone",))
    store.write(move_to_trash, EntryKind.POST, gone, noon)
    for kind, slugs, hidden in (
        ("tags", ["declared", "moon"], ("layoffs", "merger", "gone")),
        ("categories", ["sea"], ("secrets",)),
    ):
        for query in ("", "?include=recent_posts"):
            listed = get(f"/v2/{kind}/{query}").get_json()["data"]
            assert [term["slug"] for term in listed] == slugs
            assert [get(f"/v2/{kind}/{slug}/{query}").status_code for slug in slugs] == [200] * len(slugs)
            assert [get(f"/v2/{kind}/{slug}/{query}").status_code for slug in hidden] == [404] * len(hidden)


def test_list_without_tags_is_empty(get: Get) -> None:
    """So it is with recent posts."""
    assert get("/v2/tags/").get_json() == get("/v2/tags/?include=recent_posts").get_json() == {"data": []}


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        ("/v2/tags/moon/", 200, {"data": {"name": "Moon", "slug": "moon"}}),
        ("/v2/categories/sea/", 200, {"data": {"name": "Sea", "slug": "sea"}}),
        ("/v2/tags/%E6%BD%AE/", 200, {"data": {"name": "潮", "slug": "潮"}}),
        ("/v2/tags/sea/", 404, {"detail": "Not found."}),
        ("/v2/categories/moon/", 404, {"detail": "Not found."}),
        ("/v2/tags/Moon/", 404, {"detail": "Not found."}),
        ("/v2/tags/" + "x" * 500 + "/", 404, {"detail": "Not found."}),
        ("/v2/categories/sea/?locale=es", 200, {"data": {"name": "Sea", "slug": "sea"}}),
        ("/v2/tags/moon/?include=posts", 200, {"data": {"name": "Moon", "slug": "moon"}}),
    ],
)
def test_single_tags_and_categories(get: Get, make_post: Make, path: str, status: int, body: object) -> None:
    """They are found by slug within their kind; the locale concerns recent posts only."""
    make_post("one", categories=("Sea",), tags=("Moon", "潮"))
    answered = get(path)
    assert (answered.status_code, answered.get_json()) == (status, body)


@each_kind
def test_recent_posts_of_terms(get: Get, make_post: Make, store: Database, kind: str) -> None:
    """Each term has its ten newest published posts of the locale, newest first, as full posts."""
    for number in range(12):
        make_post(f"p{number}", hours=number, **{kind: ("Sea", "Rare") if number == 0 else ("Sea",)})
    make_post("agua", locale="es", **{kind: ("Rare",)})
    make_post("draft", hours=99, status=Status.DRAFT, **{kind: ("Sea", "Rare")})
    with store.writing() as transaction:
        save_terms(transaction, TermKind.TAG, [Term(TermKind.TAG, "none", "None")])
        save_terms(transaction, TermKind.CATEGORY, [Term(TermKind.CATEGORY, "none", "None")])

    def recent(path: str) -> list[str]:
        return [post["slug"] for post in get(path).get_json()["data"]["recent_posts"]]

    newest = [f"p{number}" for number in range(11, 1, -1)]
    listed = get(f"/v2/{kind}/?include=recent_posts").get_json()["data"]
    assert [(term["slug"], [post["slug"] for post in term["recent_posts"]]) for term in listed] == [
        ("sea", newest),
        ("rare", ["p0"]),
        ("none", []),
    ]
    assert recent(f"/v2/{kind}/sea/?include=recent_posts") == newest
    assert recent(f"/v2/{kind}/rare/?include=recent_posts") == ["p0"]
    assert recent(f"/v2/{kind}/rare/?include=recent_posts&locale=es") == ["agua"]
    assert recent(f"/v2/{kind}/none/?include=recent_posts") == []
    assert listed[0] == get(f"/v2/{kind}/sea/?include=recent_posts").get_json()["data"]
    assert listed[1]["recent_posts"] == [get("/v2/posts/p0/").get_json()["data"]]
