"""Slugs of files under which nobody could read the post or page."""

import pytest

from tests.actions.conftest import SiteFolder

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")

RESERVED = 'slug: is "search", which is an address of the API itself (choose another slug)'


@pytest.mark.parametrize(
    ("slug", "said"),
    [
        ("search", RESERVED),
        ("Search!", RESERVED),
        ("*", 'slug: is "*", from which no address can be made (give it letters or digits)'),
    ],
)
def test_a_slug_that_cannot_be_read(folder: SiteFolder, slug: str, said: str) -> None:
    """An error with the line of the slug, in posts and pages; the other files are loaded."""
    folder.post("a", title="Fine", slug=slug)
    folder.post("b", title="Other")
    folder.guide("c", slug=slug)
    errors = [(error.file, error.line, str(error).partition(" ")[2]) for error in folder.load().errors]
    assert errors == [("content/pages/guide/c.yaml", 7, said), ("content/posts/a.md", 4, said)]
    assert folder.slugs() == ["other"] or folder.slugs() == ["b"]


def test_a_slug_made_from_a_title_or_a_file_name(folder: SiteFolder) -> None:
    """Reserved slugs are the same error; a text of which no slug can be made is an error too."""
    folder.post("search", title="Another title")
    folder.guide("search")
    folder.post("!!", title="Letters")
    folder.post("🎉/index", title="A draft", status="draft")
    found = {error.file: error.problem for error in folder.load().errors}
    assert found == {
        "content/posts/search.md": 'is "search", which is an address of the API itself',
        "content/pages/guide/search.yaml": 'is "search", which is an address of the API itself',
        "content/posts/!!.md": 'is "!!", from which no address can be made',
        "content/posts/🎉/index.md": 'is "🎉", from which no address can be made',
    }


def test_an_alias_that_the_site_cannot_have(folder: SiteFolder) -> None:
    """Each is an error with its line, in posts, pages, items, authors and terms; the other files are loaded."""
    folder.post("fine", title="Fine", aliases=["/releases/1.2.0", "/日本/"])
    folder.post("a", title="A", aliases=["/old/", f"/{'x' * 256}/"])
    folder.guide("b", aliases=["/_redirects/"])
    folder.write("content/tags.yaml", [{"slug": "t", "name": "T", "aliases": ["/a/../b/"]}])
    errors = {(error.file, error.place, error.problem) for error in folder.load().errors}
    assert errors == {
        ("content/posts/a.md", "aliases[1]", "has a part of more than 255 bytes"),
        ("content/pages/guide/b.yaml", "aliases[0]", "is below _redirects, which is a file of the built site itself"),
        ("content/tags.yaml", "[0].aliases[0]", "contains an empty part, . or .."),
    }
    assert folder.slugs() == ["fine"]
