"""Posts in responses (API reference, Read shapes)."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis.strategies import datetimes, just
from werkzeug.test import TestResponse

from sitecms.api.responses import json_bytes
from sitecms.clock import format_timestamp
from sitecms.content.status import Status
from tests.api.conftest import slugs

Get = Callable[..., TestResponse]
Make = Callable[..., int]
MEDIA = "/media/" + "0123456789abcdef" * 2 + ".jpg"
HERE = "http://127.0.0.1:8000"


def test_posts_have_exactly_the_specified_shape(get: Get, make_post: Make) -> None:
    """Keys are in the documented order."""
    make_post(
        "slack-water",
        title="Slack water",
        categories=("Tides",),
        tags=("moon", "Old Harbour"),
        featured_image=MEDIA,
        featured_image_alt="A harbour",
        body=f'<p><img src="{MEDIA}" alt=""></p>',
        summary="Twenty minutes.",
        seo_title="Slack",
        meta_description="When nothing moves",
    )
    answered = get("/v2/posts/slack-water/")
    expected = {
        "url": "https://tide.example/blog/slack-water/",
        "created": "2026-03-01T12:00:00Z",
        "updated": "2026-03-01T12:00:00Z",
        "published": "2026-03-01T12:00:00Z",
        "author": {
            "slug": "ann-ray",
            "first_name": "Ann",
            "last_name": "Ray",
            "email": "",
            "bio": "",
            "title": "",
            "linkedin_url": "",
            "facebook_url": "",
            "twitter_handle": "",
            "profile_image": "",
        },
        "categories": [{"name": "Tides", "slug": "tides"}],
        "tags": [{"name": "moon", "slug": "moon"}, {"name": "Old Harbour", "slug": "old-harbour"}],
        "featured_image": HERE + MEDIA,
        "featured_image_alt": "A harbour",
        "slug": "slack-water",
        "title": "Slack water",
        "body": f'<p><img src="{HERE}{MEDIA}" alt=""></p>',
        "summary": "Twenty minutes.",
        "seo_title": "Slack",
        "meta_description": "When nothing moves",
        "status": "published",
    }
    assert answered.status_code == 200
    assert answered.content_type == "application/json"
    assert answered.get_json() == {"meta": {"next_post": None, "previous_post": None}, "data": expected}
    assert list(answered.get_json()["data"]) == list(expected)
    assert list(answered.get_json()["data"]["author"]) == list(expected["author"])


def test_list_has_full_posts_newest_first(get: Get, make_post: Make) -> None:
    """Posts of the same time are ordered by slug; entries equal the single post."""
    for slug, hours in (("old", 0), ("twin-a", 1), ("twin-b", 1), ("new", 2)):
        make_post(slug, hours=hours)
    answered = get("/v2/posts/")
    assert slugs(answered) == ["new", "twin-a", "twin-b", "old"]
    assert answered.get_json()["meta"] == {"count": 4, "next_page": None, "previous_page": None}
    assert answered.get_json()["data"][0] == get("/v2/posts/new/").get_json()["data"]


def test_exclude_body_removes_the_key(get: Get, make_post: Make) -> None:
    """0 and false keep it."""
    make_post("one", body="<p>Text</p>")
    for value, present in (("true", False), ("True", False), ("1", False), ("false", True), ("0", True), ("", True)):
        post = get(f"/v2/posts/?exclude_body={value}").get_json()["data"][0]
        assert ("body" in post) is present, value


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("author_slug=ann-ray", ["c", "a"]),
        ("author_slug=bo", ["b"]),
        ("author_slug=nobody", []),
        ("category_slug=tides", ["b", "a"]),
        ("tag_slug=moon", ["c", "b"]),
        ("category_slug=tides&tag_slug=moon", ["b"]),
        ("category_slug=moon", []),
        ("tag_slug=moon&author_slug=ann-ray", ["c"]),
    ],
)
def test_filters_of_a_list(
    get: Get, make_post: Make, make_author: Callable[..., str], query: str, expected: list[str]
) -> None:
    """Filters combine by AND; an unknown slug gives an empty list."""
    make_author("bo")
    make_post("a", hours=1, categories=("Tides",))
    make_post("b", hours=2, categories=("Tides",), tags=("moon",), author="bo")
    make_post("c", hours=3, tags=("moon",))
    answered = get(f"/v2/posts/?{query}")
    assert slugs(answered) == expected
    assert answered.get_json()["meta"]["count"] == len(expected)


def test_lists_have_one_locale(get: Get, make_post: Make) -> None:
    """The URL of a post in another than the default locale begins with the locale."""
    make_post("water")
    make_post("agua", locale="es", translation_of="water")
    assert slugs(get("/v2/posts/")) == slugs(get("/v2/posts/?locale=en")) == ["water"]
    spanish = get("/v2/posts/?locale=es").get_json()["data"]
    assert [post["url"] for post in spanish] == ["https://tide.example/es/blog/agua/"]


@pytest.mark.parametrize("query", ["", "?preview=1", "?locale=en"])
def test_posts_of_removed_locales_are_404(get: Get, make_post: Make, query: str) -> None:
    """No slug finds a post of a locale that is no longer configured."""
    make_post("vieux", locale="fr")
    answered = get(f"/v2/posts/vieux/{query}")
    assert (answered.status_code, answered.get_json()) == (404, {"detail": "Not found."})


def test_slugs_are_percent_encoded_in_urls(get: Get, make_post: Make) -> None:
    """Slugs keep letters of any script, and encoded paths find them."""
    make_post("潮")
    assert get("/v2/posts/潮/").get_json()["data"]["url"] == "https://tide.example/blog/%E6%BD%AE/"


def test_locale_selects_the_variant_of_the_group(get: Get, make_post: Make) -> None:
    """Without a variant or without a group the post is 404."""
    make_post("water")
    make_post("agua", locale="es", translation_of="water")
    make_post("alone")

    def found(path: str) -> Any:
        return get(path).get_json().get("data", {}).get("slug")

    assert found("/v2/posts/water/") == "water"
    assert found("/v2/posts/agua/") == "agua"
    assert found("/v2/posts/water/?locale=es") == "agua"
    assert found("/v2/posts/agua/?locale=en") == "water"
    assert found("/v2/posts/agua/?locale=es") == "agua"
    missing = get("/v2/posts/alone/?locale=es")
    assert (missing.status_code, missing.get_json()) == (404, {"detail": "Not found."})


def test_drafts_show_in_previews_only(get: Get, make_post: Make) -> None:
    """Neither list, count, post nor neighbours show a draft, unless `preview` (or its old name) is 1."""
    make_post("shown", hours=1)
    make_post("hidden", hours=2, status=Status.DRAFT)
    make_post("later", hours=3, status=Status.SCHEDULED, scheduled_at=datetime(2099, 1, 1, tzinfo=UTC))
    for query in ("", "?preview=0", "?test=0", "?preview=yes"):
        answered = get(f"/v2/posts/{query}")
        assert (slugs(answered), answered.get_json()["meta"]["count"]) == (["shown"], 1)
        assert get(f"/v2/posts/hidden/{query}").status_code == 404
    for query in ("?preview=1", "?test=1", "?preview=true", "?preview=0&test=1"):
        answered = get(f"/v2/posts/{query}")
        assert slugs(answered) == ["later", "hidden", "shown"]
        assert [post["status"] for post in answered.get_json()["data"]] == ["scheduled", "draft", "published"]
        assert answered.headers["Cache-Control"] == "no-store"
    draft = get("/v2/posts/hidden/?preview=1").get_json()
    assert draft["data"]["published"] == draft["data"]["created"]
    assert draft["meta"] == {"next_post": None, "previous_post": None}
    assert get("/v2/posts/shown/").get_json()["meta"]["next_post"] is None


def test_next_and_previous_post_have_the_same_locale(get: Get, make_post: Make) -> None:
    """The next post is the newer one; posts of the same time are ordered by slug."""
    make_post("first", hours=1, featured_image=MEDIA)
    make_post("second", hours=2, title="Two")
    make_post("a-twin", hours=2, title="Twin", featured_image="https://images.example/a.jpg")
    make_post("otro", hours=2, locale="es")
    meta = get("/v2/posts/second/").get_json()["meta"]
    assert meta == {
        "next_post": {"slug": "a-twin", "title": "Twin", "featured_image": "https://images.example/a.jpg"},
        "previous_post": {"slug": "first", "title": "First", "featured_image": HERE + MEDIA},
    }
    assert get("/v2/posts/a-twin/").get_json()["meta"]["previous_post"] == {
        "slug": "second",
        "title": "Two",
        "featured_image": None,
    }


def test_missing_image_is_null(get: Get, make_post: Make) -> None:
    """Typed clients tell null from ""."""
    make_post("plain")
    assert get("/v2/posts/plain/").get_json()["data"]["featured_image"] is None


@given(datetimes(timezones=just(UTC)))
def test_times_have_one_form(moment: datetime) -> None:
    """JSON of a datetime is what `format_timestamp` returns, to the microsecond and in any year."""
    assert orjson.loads(json_bytes({"at": moment})) == {"at": format_timestamp(moment)}
