"""Full-text search over the API (API reference, Search)."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from werkzeug.test import TestResponse

from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.content.change import EntryChange, Origin, VersionChange
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import Collection, ContentSchema, FieldSpec, PageType
from sitecms.content.status import Status, Version
from sitecms.store.database import Database
from sitecms.store.site_state.documents import save_content_schema
from tests.api.conftest import slugs

pytestmark = pytest.mark.both_engines

Get = Callable[..., TestResponse]
Make = Callable[..., int]
NAUGHTY = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "naughty_strings.txt").read_text(encoding="utf-8").splitlines()
]
NONE = {"meta": {"count": 0, "next_page": None, "previous_page": None}, "data": []}
TEAM = Collection("team", "Team", "name", (FieldSpec("name", "short_text", searchable=True),))
GUIDE = PageType(
    "guide",
    "Guide",
    (
        FieldSpec("text", "long_text", searchable=True),
        FieldSpec("by", "reference", targets=("team",), searchable=True),
        FieldSpec("image", "media"),
    ),
)
SCHEMA = ContentSchema({"guide": GUIDE}, {"team": TEAM})


@pytest.mark.parametrize("path", ["/v2/posts/search/", "/v2/search/"])
def test_found_posts_have_a_rank(get: Get, make_post: Make, path: str) -> None:
    """All keys of a post, then `rank`; a greater rank is better."""
    make_post("moon", title="Moon", body="<p>tide</p>", tags=("sea",))
    make_post("other", body="<p>moon</p>")
    answered = get(f"{path}?query=moon").get_json()
    assert answered["meta"] == {"count": 2, "next_page": None, "previous_page": None}
    best, second = answered["data"]
    assert isinstance(best["rank"], float)
    assert best["rank"] > second["rank"] > 0
    assert list(best)[-1] == "rank"
    del best["rank"]
    assert best == get("/v2/posts/moon/").get_json()["data"]


@pytest.mark.parametrize("path", ["/v2/posts/search/", "/v2/search/", "/v2/pages/search/"])
@pytest.mark.parametrize("query", ["", "?query=", "?query=%20", "?query=%22", "?query=nothing", "?q=moon"])
def test_empty_query_finds_nothing(get: Get, make_post: Make, path: str, query: str) -> None:
    """A missing query, or one without words, is no error."""
    make_post("moon")
    answered = get(path + query)
    assert (answered.status_code, answered.get_json()) == (200, NONE)


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("/v2/posts/search/?query=", "query query parameter should be at most 100 characters"),
        ("/v2/search/?query=", "query query parameter should be at most 100 characters"),
        ("/v2/pages/search/?query=", "query query parameter should be at most 100 characters"),
        ("/v2/pages/search/?page_type=", "page_type query parameter should be at most 100 characters"),
    ],
)
def test_queries_have_at_most_100_characters(get: Get, path: str, detail: str) -> None:
    """Characters count, not bytes."""
    assert get(path + quote("é" * 100)).status_code == 200
    answered = get(path + quote("é" * 101))
    assert (answered.status_code, answered.get_json()) == (400, {"detail": detail})


@pytest.mark.parametrize("path", ["/v2/posts/search/", "/v2/search/", "/v2/pages/search/"])
def test_searches_refuse_mixed_pagination(get: Get, path: str) -> None:
    """The errors are those of other lists."""
    both = get(f"{path}?query=a&page=1&limit=2")
    assert (both.status_code, both.get_json()) == (
        400,
        {"detail": "page and page_size cannot be used together with limit and offset"},
    )
    assert get(f"{path}?query=a&offset=10000000000000000000").status_code == 400


def test_both_kinds_of_pagination_give_the_same_order(get: Get, make_post: Make) -> None:
    """All results come once."""
    for number in range(5):
        make_post(f"p{number}", hours=number, title="Moon")
    whole = ["p4", "p3", "p2", "p1", "p0"]
    second = get("/v2/posts/search/?query=moon&page=2&page_size=2")
    assert second.get_json()["meta"] == {"count": 5, "next_page": 3, "previous_page": 1}
    assert slugs(second) == whole[2:4]
    third = get("/v2/posts/search/?query=moon&limit=2&offset=3")
    assert third.get_json()["meta"] == {"count": 5, "next_offset": None, "previous_offset": 1}
    assert slugs(third) == whole[3:]
    past = get("/v2/posts/search/?query=moon&page=9").get_json()
    assert (past["meta"]["count"], past["data"]) == (5, [])


def test_exclude_body_removes_the_key(get: Get, make_post: Make) -> None:
    """The body is searched all the same."""
    make_post("p", body="<p>moon</p>")
    assert "body" in get("/v2/search/?query=moon").get_json()["data"][0]
    found = get("/v2/search/?query=moon&exclude_body=true").get_json()["data"]
    assert [(post["slug"], "body" in post) for post in found] == [("p", False)]


def test_searches_never_find_drafts(get: Get, make_post: Make) -> None:
    """`preview` has no effect; each locale has its own posts."""
    make_post("shown", title="Moon")
    make_post("luna", locale="es", title="Moon", translation_of="shown")
    make_post("draft", title="Moon", status=Status.DRAFT)
    make_post("later", title="Moon", status=Status.SCHEDULED, scheduled_at=datetime(2099, 1, 1, tzinfo=UTC))
    for query in ("", "&preview=1", "&test=1"):
        answered = get(f"/v2/search/?query=moon{query}")
        assert (slugs(answered), answered.get_json()["meta"]["count"]) == (["shown"], 1)
        assert answered.headers["Cache-Control"] == ("no-store" if query else "private, no-cache")
    assert slugs(get("/v2/search/?query=moon&locale=es")) == ["luna"]


@pytest.fixture
def make_guide(store: Database, noon: datetime) -> Callable[..., int]:
    """Make a page of the type guide: its slug, then fields; `page_type` "" for a Single Page."""
    with store.writing() as transaction:
        save_content_schema(transaction, SCHEMA)
        name = VersionChange("en", Version.LIVE, Status.PUBLISHED, {"name": "Zora"})
        save_entry(SaveContext(transaction, Origin.API, noon), EntryChange(EntryKind.ITEM, 0, "team", (name,)))

    def make(slug: str, page_type: str = "guide", locale: str = "en", **fields: Any) -> int:
        version = VersionChange(locale, Version.LIVE, Status.PUBLISHED, fields)
        with store.writing() as transaction:
            page = EntryChange(EntryKind.PAGE, 0, page_type, (version,), slug, slug.title())
            return save_entry(SaveContext(transaction, Origin.API, noon, schema=SCHEMA), page).id

    return make


def test_found_pages_show_references_but_are_not_found_by_them(get: Get, make_guide: Make) -> None:
    """They equal the single page, with `levels` and `alt_media_text`, and have no rank."""
    uri = "/v2/content/?keys=team[_id=1]"
    make_guide("moon", text="tide", by=uri, image={"url": "https://x.example/a.jpg", "alt": "A"})
    answered = get("/v2/pages/search/?query=tide").get_json()
    assert answered == {
        "meta": {"count": 1, "next_page": None, "previous_page": None},
        "data": [get("/v2/pages/guide/moon/").get_json()["data"]],
    }
    assert answered["data"][0]["fields"]["by"]["name"] == "Zora"
    assert get("/v2/pages/search/?query=zora").get_json() == NONE
    asked = "levels=1&alt_media_text=1"
    shallow = get(f"/v2/pages/search/?query=tide&{asked}").get_json()["data"]
    assert shallow == [get(f"/v2/pages/guide/moon/?{asked}").get_json()["data"]]
    assert shallow[0]["fields"]["by"] == uri
    levels = get("/v2/pages/search/?query=tide&levels=x")
    assert (levels.status_code, list(levels.get_json())) == (400, ["detail"])


def test_page_search_by_type_and_locale(get: Get, make_guide: Make) -> None:
    """`*` stands for Single Pages only; an unknown type has no pages."""
    make_guide("moon", text="tide")
    make_guide("about", "", body="<p>tide</p>")
    make_guide("luna", locale="es", text="tide")
    assert sorted(slugs(get("/v2/pages/search/?query=tide"))) == ["about", "moon"]
    assert slugs(get("/v2/pages/search/?query=tide&page_type=guide")) == ["moon"]
    assert slugs(get("/v2/pages/search/?query=tide&page_type=*")) == ["about"]
    assert slugs(get("/v2/pages/search/?query=tide&page_type=%2A")) == ["about"]
    assert get("/v2/pages/search/?query=tide&page_type=nothing").get_json() == NONE
    assert slugs(get("/v2/pages/search/guide/?query=tide")) == ["moon"]
    assert slugs(get("/v2/pages/search/*/?query=tide&page_type=guide")) == ["about"]
    assert get("/v2/pages/search/nothing/?query=tide").get_json() == NONE
    assert get("/v2/pages/search/guide?query=tide").headers["Location"].endswith("/v2/pages/search/guide/?query=tide")
    assert slugs(get("/v2/pages/search/?query=tide&locale=es")) == ["luna"]


TEXT_PARAMETERS = (
    "/v2/posts/search/?query={}",
    "/v2/search/?query=moon%20{}",
    "/v2/posts/search/?query=moon&locale={}",
    "/v2/posts/search/?query=moon&exclude_body={}",
    "/v2/posts/search/?query=moon&page={}",
    "/v2/posts/search/?query=moon&limit={}",
    "/v2/pages/search/?query={}",
    "/v2/pages/search/?query=moon&page_type={}",
    "/v2/pages/search/?query=moon&levels={}",
    "/v2/tags/?include={}",
    "/v2/tags/{}/",
    "/v2/tags/moon/?locale={}",
    "/v2/categories/{}/",
    "/v2/categories/moon/?include={}",
    "/v2/feeds/{}/",
    "/v2/feeds/rss/?category_slug={}",
    "/v2/feeds/atom/?tag_slug={}",
    "/v2/feeds/sitemap/?tag_slug={}",
    "/v2/feeds/rss/?locale={}",
)


@pytest.mark.parametrize("address", TEXT_PARAMETERS)
def test_hostile_texts_cause_no_server_error(get: Get, make_post: Make, make_guide: Make, address: str) -> None:
    """More than 200 hostile strings in every text parameter get JSON or a redirect, never 500."""
    make_post("moon", title="Moon", body="<p>tide</p>", tags=("moon",), categories=("moon",))
    make_guide("moon", text="tide")
    assert len(NAUGHTY) >= 200
    for text in NAUGHTY:
        path = address.format(quote(text, safe="", errors="surrogatepass"))
        answered = get(path)
        assert answered.status_code in (200, 301, 400, 404), (text, answered.data)
        if answered.status_code == 301:
            continue
        body = answered.get_json()
        assert "data" in body if answered.status_code == 200 else isinstance(body["detail"], str), text
