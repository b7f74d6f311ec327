"""What clients in Java, C#, Go, Swift and Kotlin are promised, whose types allow no exception: walked everywhere.

`created`, `updated` and `published` are times, `status` is a word, `count` is an integer, `fields` is an object, and
errors carry `detail` as text.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest
import requests

from sitecms.api.app import ENDPOINTS

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z")
FIELD_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?")
POST_TEXTS = (
    "url", "featured_image_alt", "slug", "title", "summary", "seo_title", "meta_description",
)  # fmt: skip
AUTHOR_TEXTS = (
    "slug", "first_name", "last_name", "email", "bio", "title", "linkedin_url", "facebook_url", "twitter_handle",
    "profile_image",
)  # fmt: skip
STEPS = ({"next_page", "previous_page"}, {"next_offset", "previous_offset"})
WAYS = {
    "/v2/posts/": ("posts/",),
    "/v2/posts/<slug>/": ("posts/test-post/", "posts/plain/", "posts/cold-hops/", "posts/unfinished/"),
    "/v2/authors/": ("authors/",),
    "/v2/authors/<slug>/": ("authors/adam-yala/", "authors/eva-lund/"),
    "/v2/categories/": ("categories/",),
    "/v2/categories/<slug>/": ("categories/beer/", "categories/cider/"),
    "/v2/tags/": ("tags/",),
    "/v2/tags/<slug>/": ("tags/beer/", "tags/oak/"),
    "/v2/search/": ("search/",),
    "/v2/posts/search/": ("posts/search/",),
    "/v2/pages/search/": ("pages/search/",),
    "/v2/pages/search/<page_type>/": ("pages/search/news/", "pages/search/*/"),
    "/v2/feeds/<name>/": ("feeds/rss/", "feeds/atom/", "feeds/sitemap/"),
    "/v2/pages/": ("pages/",),
    "/v2/pages/<page_type>/": ("pages/news/", "pages/landing/", "pages/*/"),
    "/v2/pages/<page_type>/<page_slug>/": (
        "pages/news/hello-world/", "pages/news/bare/", "pages/news/not-yet/", "pages/landing/front/",
        "pages/landing/bare/", "pages/*/about/", "pages/*/bare/",
    ),
    "/v2/content/": ("content/", "content/?keys=team", "content/?keys=team,homepage_title"),
    "/v2/content/<keys>/": ("content/team/", "content/team,homepage_headline/", "content/empty_shelf/"),
    "/v2/content/<key>/<item_id>/": ("content/team/10/", "content/team/12/", "content/team/13/"),
}  # fmt: skip
ASKED: tuple[dict[str, object], ...] = (
    {},
    {"levels": 1},
    {"levels": 5, "include": "recent_posts"},
    {"preview": 1, "levels": 5},
    {"locale": "es", "include": "recent_posts"},
    {"alt_media_text": 1, "exclude_body": "true"},
    {"page": 2, "page_size": 1},
    {"page": 99},
    {"limit": 1, "offset": 1},
    {"offset": 99},
)


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object in an answer, at any depth."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from objects(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner)


def check_time(value: object, where: object) -> None:
    """A time in UTC, with six digits of a second or none."""
    assert isinstance(value, str), where
    assert TIME.fullmatch(value), where
    assert not value.endswith(".000000Z"), where


def check_post(post: Mapping[str, Any], *, preview: bool) -> None:
    """A post, wherever it stands."""
    check_time(post["created"], post)
    check_time(post["updated"], post)
    assert post["status"] in (("published", "draft", "scheduled") if preview else ("published",)), post
    check_time(post["published"], post)
    assert all(isinstance(post[name], str) for name in POST_TEXTS), post
    assert all(isinstance(post["author"][name], str) for name in AUTHOR_TEXTS), post
    assert post["featured_image"] is None or post["featured_image"].startswith("http"), post
    assert isinstance(post.get("body", ""), str), post
    assert all(set(term) == {"name", "slug"} for term in (*post["categories"], *post["tags"])), post
    assert type(post.get("rank", 0.0)) is float, post


def check_page(page: Mapping[str, Any]) -> None:
    """A page, on its own or where something refers to it."""
    assert set(page) == {"slug", "name", "page_type", "published", "updated", "fields"}, page
    check_time(page["updated"], page)
    check_time(page["published"], page)
    assert isinstance(page["slug"], str), page
    assert isinstance(page["name"], str), page
    assert page["page_type"] is None or isinstance(page["page_type"], str), page


def check_meta(meta: Mapping[str, Any], *, by_offset: bool) -> None:
    """The meta of a list, of an item or of a post."""
    if "count" in meta:
        assert type(meta["count"]) is int, meta
        assert set(meta) - {"count"} == STEPS[by_offset], meta
        assert all(value is None or type(value) is int for value in meta.values()), meta
    elif "id" in meta:
        assert (set(meta), type(meta["id"])) == ({"id"}, int), meta
    else:
        assert set(meta) == {"next_post", "previous_post"}, meta


def check_answer(answer: Any, *, preview: bool, by_offset: bool) -> None:
    """All promises on one answer."""
    for each in objects(answer):
        if "created" in each:
            check_post(each, preview=preview)
        if "page_type" in each:
            check_page(each)
        if "fields" in each:
            assert isinstance(each["fields"], dict), each
        if "meta" in each:
            check_meta(each["meta"], by_offset=by_offset)
        if "status" in each:
            assert isinstance(each["status"], str), each
        for name in ("born", "day"):
            value = each.get(name)
            assert value is None or FIELD_DATE.fullmatch(value), each
        assert isinstance(each.get("hero", {}), dict), each
        for name in ("logos", "related", "recent_posts", "categories", "tags"):
            assert isinstance(each.get(name, []), list), each


def test_every_endpoint_is_walked() -> None:
    """The walk below knows all paths that the service answers."""
    assert set(WAYS) == {endpoint.path for endpoint in ENDPOINTS}, "name ways to ask the new endpoint in WAYS"


@pytest.mark.parametrize("path", WAYS)
def test_answers_have_the_promised_types(service: Any, path: str) -> None:
    """Every endpoint with every way to ask: what it answers, or refuses, has the promised types."""
    answered = 0
    for way, asked in product(WAYS[path], ASKED):
        params = {**asked, "query": "test"} if path.endswith("search/") else asked
        response = service.get(way, **params)
        answer = response.json()
        if response.status_code == 200:
            check_answer(
                answer, preview=params.get("preview") == 1, by_offset=bool({"limit", "offset"} & params.keys())
            )
            assert way == "content/" or "data" in answer
            answered += 1
        else:
            assert response.status_code in (403, 404), (way, params, answer)
            assert list(answer) == ["detail"]
            assert isinstance(answer["detail"], str)
    assert answered >= len(ASKED)


def test_lists_always_have_meta(service: Any) -> None:
    """A count stands beside every list that can be paged, also where nothing is in it."""
    for way in ("posts/", "posts/search/", "search/", "pages/search/", "pages/", "pages/news/", "content/empty_shelf/"):
        assert type(service.json(way, page=50)["meta"]["count"]) is int, way
        assert type(service.json(way, offset=50)["meta"]["count"]) is int, way
    assert service.json("posts/search/", query="")["meta"] == {"count": 0, "next_page": None, "previous_page": None}


def test_unset_fields_keep_their_type(service: Any) -> None:
    """A page of which only one field is set: objects are {}, lists [], texts "", and one reference null."""
    assert service.json("pages/landing/bare/")["data"]["fields"] == {
        "headline": "No hero here", "hero": {}, "body": [], "logos": [], "team": [], "mood": "",
    }  # fmt: skip
    assert service.json("pages/news/bare/")["data"]["fields"] == {
        "headline": "Only what must be there", "intro": "", "day": None, "cover": "", "author": None, "related": [],
    }  # fmt: skip


@pytest.mark.parametrize("header", [None, "Token x", "Bearer x", "Token", "x"])
@pytest.mark.parametrize("path", ["posts/", "posts/nothing/", "pages/news/", "content/team/", "feeds/rss/"])
def test_refusals_say_why(service: Any, header: str | None, path: str) -> None:
    """Without a right token: 401 with `detail` as text and the scheme to use, found or not."""
    headers = {} if header is None else {"Authorization": header}
    response = requests.get(f"{service.base}/{path}", headers=headers, timeout=30)
    assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Token")
    assert list(response.json()) == ["detail"]
    assert isinstance(response.json()["detail"], str)
