"""Front matter of posts as other generators write it: TOML, and other names of keys."""

from datetime import UTC, datetime

import pytest

from sitecms.content.status import Status
from tests.actions.conftest import SiteFolder

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")


def test_toml_front_matter_is_read(folder: SiteFolder) -> None:
    """Keys, lists and times between two lines of plus signs; the body follows."""
    folder.write(
        "content/posts/tides.md",
        '+++\ntitle = "Tides"\npublished = 2026-02-01T10:00:00+02:00\ntags = ["Moon", "Sea"]\n+++\nThe *sea*.\n',
    )
    assert folder.load().errors == ()
    post = folder.find("tides")
    assert post.title == "Tides"
    assert post.published_at == datetime(2026, 2, 1, 8, tzinfo=UTC)
    assert [term.name for term in post.tags] == ["Moon", "Sea"]
    assert "<em>sea</em>" in post.body


def test_toml_front_matter_names_an_id(folder: SiteFolder) -> None:
    """An id in TOML is kept, also when another post comes first."""
    folder.post("a")
    folder.write("content/posts/b.md", '+++\ntitle = "B"\nid = 1\nstatus = "published"\n+++\nText.\n')
    assert folder.load().errors == ()
    assert folder.find("b").id == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('+++\ntitle = "A"\nsumary = "x"\n+++\n', "content/posts/a.md:3 sumary: is not a known key (did you mean"),
        ("+++\ntitle = A\n+++\n", "content/posts/a.md:2: is not valid TOML: invalid value"),
        ('+++\ntitle = "A"\n', "content/posts/a.md:1: has front matter that does not end (close it with a line +++)"),
        ("+++\ntitle = 3\n+++\n", "content/posts/a.md:2 title: is 3 (expected text"),
    ],
)
def test_errors_of_toml_front_matter_name_their_line(folder: SiteFolder, text: str, said: str) -> None:
    """Lines are those of the file."""
    folder.write("content/posts/a.md", text)
    (error,) = folder.load().errors
    assert str(error).startswith(said)


def test_keys_of_other_generators_are_understood(folder: SiteFolder) -> None:
    """`date`, `lastmod`, `description` and `draft: false` stand for the keys of sitecms."""
    folder.post(
        "a", status=None, date="2026-02-01 10:00:00 +0200", lastmod="2026-02-03", description="Of tides.", draft=False
    )
    assert folder.load().errors == ()
    post = folder.find("a")
    assert post.published_at == datetime(2026, 2, 1, 8, tzinfo=UTC)
    assert post.updated_at == datetime(2026, 2, 3, tzinfo=UTC)
    assert post.meta_description == "Of tides."
    assert post.status is Status.PUBLISHED


@pytest.mark.parametrize("key", ["image", "cover"])
def test_image_and_cover_are_the_featured_image(folder: SiteFolder, key: str) -> None:
    """Either names the picture of the post."""
    folder.post("a", **{key: "https://pictures.example/a.jpg"})
    assert folder.load().errors == ()
    assert folder.find("a").featured_image == "https://pictures.example/a.jpg"


def test_draft_hides_a_dated_post(folder: SiteFolder) -> None:
    """`draft: true` comes before the date; `draft: false` with a time to come is scheduled."""
    folder.post("a", status=None, date="2026-02-01", draft=True)
    folder.post("b", status=None, scheduled="2027-01-01", draft=False)
    assert folder.load().errors == ()
    assert folder.find("a").status is Status.DRAFT
    assert folder.find("b").status is Status.SCHEDULED


def test_two_keys_of_one_meaning_are_an_error(folder: SiteFolder) -> None:
    """Neither is chosen silently."""
    folder.post("a", published="2026-02-01", date="2026-02-02")
    (error,) = folder.load().errors
    assert str(error) == 'content/posts/a.md:5 date: is also given as "published" (keep one of them)'
