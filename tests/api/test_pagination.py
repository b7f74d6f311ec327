"""Pagination by page and by offset (API reference, Parameters)."""

from collections.abc import Callable
from typing import Any

import pytest
from werkzeug.test import TestResponse

Get = Callable[..., TestResponse]
HUGE = str(10**19)
BOTH_WAYS = "page and page_size cannot be used together with limit and offset"


def by_page(following: int | None, previous: int | None) -> dict[str, Any]:
    """Meta of a list of twelve, by page."""
    return {"count": 12, "next_page": following, "previous_page": previous}


def by_offset(following: int | None, previous: int | None) -> dict[str, Any]:
    """Meta of a list of twelve, by offset."""
    return {"count": 12, "next_offset": following, "previous_offset": previous}


@pytest.mark.parametrize(
    ("query", "first", "length", "meta"),
    [
        ("", 12, 10, by_page(2, None)),
        ("page=2", 2, 2, by_page(None, 1)),
        ("page=3", None, 0, by_page(None, 2)),
        ("page=900", None, 0, by_page(None, 2)),
        ("page=0", 12, 10, by_page(2, None)),
        ("page=-1", 12, 10, by_page(2, None)),
        ("page=x", 12, 10, by_page(2, None)),
        ("page=1.5", 12, 10, by_page(2, None)),
        ("page=", 12, 10, by_page(2, None)),
        ("page=%202%20", 2, 2, by_page(None, 1)),
        ("page=%D9%A2", 12, 10, by_page(2, None)),  # an Arabic two is no number here
        ("page=1&page=2", 2, 2, by_page(None, 1)),
        (f"page={2**31}", None, 0, by_page(None, 2)),
        ("page_size=5", 12, 5, by_page(2, None)),
        ("page_size=5&page=2", 7, 5, by_page(3, 1)),
        ("page_size=5&page=3", 2, 2, by_page(None, 2)),
        ("page_size=12", 12, 12, by_page(None, None)),
        ("page_size=101", 12, 12, by_page(None, None)),
        (f"page_size={HUGE}", 12, 12, by_page(None, None)),
        ("page_size=0", 12, 10, by_page(2, None)),
        ("page_size=-3", 12, 10, by_page(2, None)),
        ("page_size=all", 12, 10, by_page(2, None)),
        (f"page_size={'9' * 5000}", 12, 12, by_page(None, None)),
        ("limit=5", 12, 5, by_offset(5, None)),
        ("limit=5&offset=5", 7, 5, by_offset(10, 0)),
        ("limit=5&offset=10", 2, 2, by_offset(None, 5)),
        ("limit=5&offset=3", 9, 5, by_offset(8, 0)),
        ("offset=2", 10, 10, by_offset(None, 0)),
        ("offset=900", None, 0, by_offset(None, 2)),
        ("offset=-1", 12, 10, by_offset(10, None)),
        ("offset=x", 12, 10, by_offset(10, None)),
        ("limit=101", 12, 12, by_offset(None, None)),
        (f"limit={HUGE}", 12, 12, by_offset(None, None)),
        ("limit=0", 12, 10, by_offset(10, None)),
        ("limit=ten", 12, 10, by_offset(10, None)),
        ("unknown=1&levels=x", 12, 10, by_page(2, None)),
    ],
)
def test_pagination_selects_posts_and_meta(
    get: Get, make_post: Callable[..., int], query: str, first: int | None, length: int, meta: dict[str, Any]
) -> None:
    """Twelve posts, of which p12 is the newest, with lenient values of the parameters."""
    for number in range(1, 13):
        make_post(f"p{number}", hours=number)
    answered = get(f"/v2/posts/?{query}").get_json()
    found = [post["slug"] for post in answered["data"]]
    assert found == ([] if first is None else [f"p{first - step}" for step in range(length)])
    assert answered["meta"] == meta
    assert list(answered["meta"]) == list(meta)


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("page=1&limit=5", BOTH_WAYS),
        ("page_size=5&offset=0", BOTH_WAYS),
        ("page=x&limit=x", BOTH_WAYS),
        (f"page={2**31 + 1}", "page query parameter should be at most 2147483648"),
        (f"page={HUGE}", "page query parameter should be at most 2147483648"),
        (f"offset={HUGE}", "offset query parameter should be at most 2147483648"),
        (f"offset={'9' * 5000}", "offset query parameter should be at most 2147483648"),
    ],
)
def test_invalid_pagination_is_400(get: Get, query: str, detail: str) -> None:
    """Page and offset together, and numbers above the limit, are refused."""
    answered = get(f"/v2/posts/?{query}")
    assert (answered.status_code, answered.get_json()) == (400, {"detail": detail})


def test_empty_list_is_no_error(get: Get) -> None:
    """Both kinds of pagination answer an empty list."""
    assert get("/v2/posts/").get_json() == {"meta": {"count": 0, "next_page": None, "previous_page": None}, "data": []}
    assert get("/v2/posts/?offset=50").get_json()["meta"] == {"count": 0, "next_offset": None, "previous_offset": None}
    assert get("/v2/posts/?page=7").get_json()["meta"]["previous_page"] is None
