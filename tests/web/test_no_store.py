"""Previews are never stored: every route answers preview=1 with no-store, whatever the status."""

from collections.abc import Callable, Iterator

import pytest
from flask.testing import FlaskClient

from sitecms.runtime import Runtime
from sitecms.web.service import create_app

NAMES = {"name": "rss", "slug": "one", "page_type": "*", "page_slug": "one", "keys": "team", "key": "team"}


def addresses(runtime: Runtime) -> Iterator[str]:
    """Yield two addresses of every route that answers GET: one that may exist, and one without its trailing slash."""
    for rule in create_app(runtime).url_map.iter_rules():
        if "GET" in (rule.methods or ()):
            path = rule.rule
            for name in rule.arguments:
                path = path.replace(f"<{name}>", NAMES.get(name, "1"))
            yield path
            yield path.rstrip("/") or "/"


@pytest.mark.parametrize("query", ["preview=1", "test=1", "preview=true&locale=xx", "preview=0&test=1", "%70review=1"])
def test_previews_of_all_routes_are_no_store(
    runtime: Runtime, client: FlaskClient, make_post: Callable[..., int], make_token: Callable[..., str], query: str
) -> None:
    """Token, method, missing entries, redirects and 304 make no difference."""
    make_post("one", categories=("Sea",), tags=("moon",))
    known = {"Authorization": f"Token {make_token('reader')}"}
    seen: set[int] = set()
    for path in addresses(runtime):
        for headers in ({}, known, {**known, "If-None-Match": "*"}):
            for method in ("GET", "HEAD"):
                answered = client.open(f"{path}?{query}", method=method, headers=headers, buffered=True)
                assert answered.headers.getlist("Cache-Control") == ["no-store"], (method, path, answered.status)
                seen.add(answered.status_code)
    assert {200, 301, 401, 404} <= seen or "locale=xx" in query
    assert 304 in seen


@pytest.mark.parametrize("query", ["", "?preview=0", "?test=false", "?query=preview", "?preview=1&preview=0"])
def test_other_responses_may_be_stored(
    client: FlaskClient, make_post: Callable[..., int], make_token: Callable[..., str], query: str
) -> None:
    """The last value of a repeated parameter counts, and the word alone asks for no preview."""
    make_post("one")
    headers = {"Authorization": f"Token {make_token('reader')}"}
    assert client.get(f"/v2/posts/{query}", headers=headers).headers["Cache-Control"] == "private, no-cache"
