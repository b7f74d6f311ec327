"""Slugs of files under which nobody could read the post or page."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.actions.conftest import SiteFolder

RESERVED = 'slug: is "search", which is an address of the API itself (choose another slug)'


@pytest.mark.parametrize(
    ("slug", "said"),
    [
        ("search", RESERVED),
        ("Search!", RESERVED),
        ("*", 'slug: is "*", from which no address can be made (give it letters or digits)'),
    ],
)
def test_a_slug_that_cannot_be_read(folder: "SiteFolder", slug: str, said: str) -> None:
    """An error with the line of the slug, in posts and pages; the other files are loaded."""
    folder.post("a", title="Fine", slug=slug)
    folder.post("b", title="Other")
    folder.guide("c", slug=slug)
    errors = [(error.file, error.line, str(error).partition(" ")[2]) for error in folder.load().errors]
    assert errors == [("content/pages/guide/c.yaml", 7, said), ("content/posts/a.md", 4, said)]
    assert folder.slugs() == ["other"] or folder.slugs() == ["b"]


def test_a_slug_made_from_a_title_or_a_file_name(folder: "SiteFolder") -> None:
    """Reserved slugs are the same error; a text of which no slug can be made is an error too."""
    folder.post("search", title="Search")
    folder.guide("search")
    folder.post("!!", title="!?")
    found = {error.file: error.problem for error in folder.load().errors}
    assert found == {
        "content/posts/search.md": 'is "search", which is an address of the API itself',
        "content/pages/guide/search.yaml": 'is "search", which is an address of the API itself',
        "content/posts/!!.md": 'is "!?", from which no address can be made',
    }
