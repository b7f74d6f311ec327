"""What clients in Java, C#, Go, Swift and Kotlin are promised, whose types allow no exception.

That every answer has the types of the document, at any depth, is a test of `test_schemathesis.py`.
"""

from typing import Any

import pytest
import requests


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
