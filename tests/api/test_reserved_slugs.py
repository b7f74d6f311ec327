"""Slugs that the API's paths reserve."""

from typing import Any

import pytest

from sitecms.api.views.blog import ENDPOINTS as POSTS
from sitecms.api.views.content import ENDPOINTS as PAGES
from sitecms.content.text.slug import RESERVED_SLUGS

Writer = Any
REFUSED = {"slug": ['The slug "search" is an address of the API itself; choose another one.']}
NO_LETTERS = {"slug": ["Enter a slug that holds letters or digits."]}


@pytest.mark.parametrize("path", ["/v2/posts/", "/v2/pages/"])
@pytest.mark.parametrize(("slug", "said"), [("search", REFUSED), (" SEARCH!", REFUSED), ("*", NO_LETTERS)])
def test_reserved_slugs_are_refused(writer: Writer, path: str, slug: str, said: object) -> None:
    """Creation, in any spelling that gives the slug, and update of a post are refused."""
    assert writer.refused("POST", path, {"title": "Mine", "slug": slug}) == said
    writer.post("/v2/posts/", {"title": "Ebb"})
    assert writer.refused("PATCH", "/v2/posts/ebb/", {"slug": slug}) == said
    assert writer.refused("PATCH", "/v2/posts/ebb/?locale=es", {"slug": slug}) == said


def test_title_with_a_reserved_slug_gets_the_next_free_one(writer: Writer) -> None:
    """A variant gets the slug of its original with the locale."""
    assert writer.outcome(writer.post("/v2/posts/", {"title": "Search"}))["slug"] == "search-2"
    assert writer.outcome(writer.post("/v2/posts/", {"title": "search!"}))["slug"] == "search-3"
    assert writer.outcome(writer.patch("/v2/posts/search-2/?locale=es", {"title": "SEARCH"}))["slug"] == "search-2-es"


def test_all_fixed_words_of_paths_are_reserved() -> None:
    """Every word that a path has where a slug of a post or page could be is reserved."""
    paths = [endpoint.path for endpoint in (*POSTS, *PAGES)]
    words = {path.split("/")[3] for path in paths if path.startswith(("/v2/posts/", "/v2/pages/"))}
    assert {word for word in words if word and not word.startswith("<")} == RESERVED_SLUGS
