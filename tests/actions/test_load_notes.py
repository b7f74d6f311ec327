"""What a load notes, though it is no fault."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import SiteWorks


@pytest.mark.parametrize(
    ("front", "note"),
    [
        ({}, "is a draft, so it is not shown"),
        ({"published": "2031-01-01T00:00:00Z"}, "its time lies ahead"),
    ],
)
def test_what_an_author_may_not_have_meant(works: "SiteWorks", front: dict[str, str], note: str) -> None:
    """A draft by default and a time to come are told once, when the file is loaded."""
    works.post("odd", **front)
    assert [note in text and text.startswith("content/posts/odd.md: ") for text in works.load().notes] == [True]
    assert works.load().notes == ()


@pytest.mark.parametrize("front", [{"status": "draft"}, {"published": "2026-01-01T00:00:00Z"}])
def test_what_was_said_is_not_noted(works: "SiteWorks", front: dict[str, str]) -> None:
    """A draft that says so, and a post of the past, are as meant."""
    works.post("plain", **front)
    assert works.load().notes == ()


def test_a_moved_address_is_noted(works: "SiteWorks") -> None:
    """A post that takes its slug from its title moves with it, and says how to stay."""
    settings = (works.folder / "site.toml").read_text("utf-8")
    works.write("site.toml", settings + '\n[posts]\nslug_from = "title"\n')
    text = "---\ntitle: {}\npublished: 2026-01-01T00:00:00Z\n---\nThe sea.\n"
    works.write("content/posts/soon.md", text.format("Soon"))
    works.load()
    works.write("content/posts/soon.md", text.format("Sooner"))
    expected = "content/posts/soon.md: moved from soon to sooner (slug: soon keeps the old address)"
    assert works.load().notes == (expected,)


def test_a_new_title_keeps_the_address(works: "SiteWorks") -> None:
    """Without a slug, the file's name gives it, without a leading date."""
    text = "---\ntitle: {}\npublished: 2026-01-01T00:00:00Z\n---\nThe sea.\n"
    works.write("content/posts/2026-01-01-soon.md", text.format("Soon"))
    works.make()
    works.write("content/posts/2026-01-01-soon.md", text.format("Sooner"))
    assert works.load().notes == ()
    works.make()
    assert "Sooner" in works.text("blog/soon/index.html")


def test_relative_pictures(works: "SiteWorks") -> None:
    """`../../media/x.png` is what editors insert; a picture that leads nowhere on the built site is a fault."""
    works.image("media/sea.png")
    front = "---\ntitle: Sea\npublished: 2026-01-01T00:00:00Z\n---\n"
    works.write("content/posts/sea.md", front + "![The sea](../../media/sea.png)\n")
    works.make()
    assert 'src="/media/' in works.text("blog/sea/index.html")
    works.write("content/posts/sea.md", front + "![The sea](sea.png)\n")
    with pytest.raises(AssertionError, match=r"sea\.png leads nowhere on the built site"):
        works.load()
