"""Authors of written posts, which are decided at acceptance."""

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

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
        app = create_app(replace(runtime, settings=settings), probe=lambda _url: "", hint=lambda _id: None)
        client: FlaskClient = app.test_client()
        return Writing(client, make_token(f"{owner} {limits}", Scope.WRITE, limits=TokenLimits(**limits)), apply_all)

    return make


def test_post_without_a_possible_author_is_400(
    owned_by: Callable[..., Writing], make_author: Callable[..., str]
) -> None:
    """The error is under `author`: without authors, without an owner among several, with an unknown owner."""
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


def test_default_author(owned_by: Callable[..., Writing], make_author: Callable[..., str]) -> None:
    """It is the author of a limited token, else the site's owner by slug or email, else the only author."""
    make_author("ann-ray", email="ann@tide.example")
    first, limited = owned_by(""), owned_by("zoe", author="ann-ray")
    for writer in (first, limited):
        assert writer.outcome(writer.post("/v2/posts/", POST))["status"] == "applied"
    make_author("bo-lind")
    writer = owned_by("ANN@tide.example")
    assert writer.outcome(writer.post("/v2/posts/", POST))["status"] == "applied"
    assert [post["author"]["slug"] for post in writer.data("/v2/posts/")] == ["ann-ray"] * 3
