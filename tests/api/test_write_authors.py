"""The author of a written post is settled when the write is accepted."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from sitecms.content.token import Scope, TokenLimits
from sitecms.runtime import Runtime
from sitecms.web.service import create_app
from tests.api.conftest import Writing

POST = {"title": "Ebb", "status": "published"}
NOBODY = "No author is named, and site.toml names {}. Authors there are: {} (content/authors.yaml)."


@pytest.fixture
def owned_by(runtime: Runtime, make_token: Callable[..., str], apply_all: Callable[[], int]) -> Callable[..., Writing]:
    """Make a client of the site with this owner in site.toml."""

    def make(owner: str, **limits: Any) -> Writing:
        settings = replace(runtime.settings, owner=owner)
        app = create_app(replace(runtime, settings=settings), probe=lambda _url: True, hint=lambda _id: None)
        client: FlaskClient = app.test_client()
        return Writing(client, make_token(f"{owner} {limits}", Scope.WRITE, limits=TokenLimits(**limits)), apply_all)

    return make


def test_a_post_without_an_author_to_belong_to(
    owned_by: Callable[..., Writing], make_author: Callable[..., str]
) -> None:
    """400 under `author`, and nothing is kept: without authors, without an owner among several, with a lost owner."""
    writer, lost = owned_by(""), owned_by("zoe")
    assert writer.refused("POST", "/v2/posts/", POST) == {"author": [NOBODY.format("no owner", "none")]}
    for slug in ("ann-ray", "bo-lind"):
        make_author(slug)
    said = NOBODY.format("no owner", "ann-ray, bo-lind")
    assert writer.refused("POST", "/v2/posts/", POST) == {"author": [said]}
    said = NOBODY.format('the owner "zoe", who is not an author', "ann-ray, bo-lind")
    assert lost.refused("POST", "/v2/posts/", {**POST, "status": 1}) == {
        "author": [said], "status": ['"1" is not a valid choice. Valid choices: draft, published.']
    }  # fmt: skip
    assert writer.apply() == 0


def test_the_default_author(owned_by: Callable[..., Writing], make_author: Callable[..., str]) -> None:
    """The only author, where site.toml names no owner; the owner by slug or email; the author of a limited token."""
    make_author("ann-ray", email="ann@tide.example")
    first, limited = owned_by(""), owned_by("zoe", author="ann-ray")
    for writer in (first, limited):
        assert writer.outcome(writer.post("/v2/posts/", POST))["status"] == "applied"
    make_author("bo-lind")
    writer = owned_by("ANN@tide.example")
    assert writer.outcome(writer.post("/v2/posts/", POST))["status"] == "applied"
    assert [post["author"]["slug"] for post in writer.data("/v2/posts/")] == ["ann-ray"] * 3
