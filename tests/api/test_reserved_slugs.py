"""Slugs under which a post or page could not be read."""

from typing import Any

import pytest

from sitecms.api.views.pages import ENDPOINTS as PAGES
from sitecms.api.views.posts import ENDPOINTS as POSTS
from sitecms.api.views.search import ENDPOINTS as SEARCHES
from sitecms.content.text.slug import RESERVED_SLUGS

Writer = Any
REFUSED = {"slug": ['The slug "search" is an address of the API itself; choose another one.']}
NO_LETTERS = {"slug": ["Enter a slug that holds letters or digits."]}


@pytest.mark.parametrize("path", ["/v2/posts/", "/v2/pages/"])
@pytest.mark.parametrize(("slug", "said"), [("search", REFUSED), (" SEARCH!", REFUSED), ("*", NO_LETTERS)])
def test_a_reserved_slug_is_refused(writer: Writer, path: str, slug: str, said: object) -> None:
    """On create, in any spelling that makes it, and on update of a post."""
    assert writer.refused("POST", path, {"title": "Mine", "slug": slug}) == said
    writer.post("/v2/posts/", {"title": "Ebb"})
    assert writer.refused("PATCH", "/v2/posts/ebb/", {"slug": slug}) == said
    assert writer.refused("PATCH", "/v2/posts/ebb/?locale=es", {"slug": slug}) == said


def test_a_title_that_makes_a_reserved_slug(writer: Writer) -> None:
    """The post takes the next free one; a variant is told from its original by the locale."""
    assert writer.outcome(writer.post("/v2/posts/", {"title": "Search"}))["slug"] == "search-2"
    assert writer.outcome(writer.post("/v2/posts/", {"title": "search!"}))["slug"] == "search-3"
    assert writer.outcome(writer.patch("/v2/posts/search-2/?locale=es", {"title": "SEARCH"}))["slug"] == "search-2-es"


def test_all_words_of_the_paths_are_reserved() -> None:
    """Every fixed word that stands in a path where a slug of a post or page could."""
    paths = [endpoint.path for endpoint in (*POSTS, *PAGES, *SEARCHES)]
    words = {path.split("/")[3] for path in paths if path.startswith(("/v2/posts/", "/v2/pages/"))}
    assert {word for word in words if word and not word.startswith("<")} == RESERVED_SLUGS
