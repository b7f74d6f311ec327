"""Files and folders that cannot be read, and names that cannot be stored: errors, never entries to be deleted."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from sitecms.actions.loading.load import NOT_PRUNED
from sitecms.documents.folders import Listing
from sitecms.errors import InvalidFiles
from tests.actions.conftest import SiteFolder
from tests.support.ordinary_user import ordinary_user

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")


SHOWN = ("caf\\xe9", "a\\nb", "c\\x1bd")


@pytest.mark.parametrize("way", ["loop", "dangling", "file"])
@pytest.mark.parametrize("place", ["content/posts", "content"])
def test_a_folder_that_cannot_be_read_prunes_nothing(folder: SiteFolder, place: str, way: str) -> None:
    """An error names the folder; its files are not reported as gone, and no other entry is deleted either."""
    folder.post("one")
    folder.guide("start")
    folder.load()
    folder.remove("content/pages/guide/start.yaml")
    target = folder.folder / place
    target.rename(folder.folder / "away")
    if way == "file":
        target.write_text("")
    else:
        target.symlink_to(target.name if way == "loop" else "missing")
    report = folder.load(prune=True)
    assert any(error.file.startswith(place) for error in report.errors)
    assert (report.pruned, NOT_PRUNED in report.notes) == ((), True)
    assert "content/posts/one.md" not in report.vanished
    assert folder.slugs() == ["one"]
    assert folder.page("start")


def test_a_link_in_the_place_of_a_file_is_not_a_file_that_is_gone(folder: SiteFolder) -> None:
    """Dangling links and links to folders are errors; what else changed is loaded."""
    folder.post("one")
    folder.items("team", "Ann")
    folder.load()
    for path in ("content/posts/one.md", "content/collections/team.yaml", "content/authors.yaml"):
        folder.remove(path)
        (folder.folder / path).symlink_to("missing")
    (folder.folder / "content/posts/linked").symlink_to("../pages")
    (folder.folder / "content/pages").mkdir(exist_ok=True)
    folder.post("two")
    report = folder.load(prune=True)
    assert [(error.file, error.problem.split(",")[0]) for error in report.errors] == [
        ("content/authors.yaml", "is a link to a file that does not exist"),
        ("content/posts/linked", "is a link to a folder"),
        ("content/posts/one.md", "is a link to a file that does not exist"),
        ("content/collections/team.yaml", "is a link to a file that does not exist"),
    ]
    assert (report.loaded, report.pruned, report.vanished) == (("content/posts/two.md",), (), ())
    assert folder.slugs() == ["one", "two"]
    assert folder.ids("team")


def test_folders_without_permission_are_errors() -> None:
    """The process runs as an ordinary user."""
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        Path(place, "posts").mkdir(mode=0)
        listing = Listing(f"{place}/")
        with ordinary_user():
            assert list(listing.files("posts")) == []
    assert [str(error) for error in listing.errors] == [
        "posts: cannot be read: permission denied (make the folder readable)"
    ]


def test_names_that_cannot_be_stored_are_named_in_plain_text(folder: SiteFolder) -> None:
    """Files in each folder of the site are reported; all other files are loaded."""
    folder.post("good")
    names = [b"caf\xe9", b"a\nb", b"c\x1bd"]
    places = {
        "content/posts": b".md", "content/pages/guide": b".yaml", "content/collections": b".yaml", "media": b".png",
        "assets": b".css", "templates": b".html", "translations": b".po",
    }  # fmt: skip
    for place, suffix in places.items():
        (folder.folder / place).mkdir(parents=True, exist_ok=True)
        for name in names:
            (folder.folder / place / os.fsdecode(name + suffix)).write_text("x")
    report = folder.load(prune=True)
    shown = {f"{place}/{name}{suffix.decode()}" for place, suffix in places.items() for name in SHOWN}
    assert {error.file for error in report.errors} == shown
    assert all(str(error).isprintable() for error in report.errors)
    assert {error.problem for error in report.errors} == {
        "has a name that is not UTF-8, so it is not read",
        "has a name with a line break or control character, so it is not read",
    }
    assert folder.slugs() == ["good"]
    assert NOT_PRUNED in report.notes


def test_names_in_schema_are_errors_too(folder: SiteFolder) -> None:
    """Without its schema nothing is loaded, and no page becomes one of an unknown type."""
    (folder.folder / os.fsdecode(b"schema/page_types/caf\xe9.yaml")).write_text("x")
    (folder.folder / "schema/collections/gone.yaml").symlink_to("missing")
    with pytest.raises(InvalidFiles) as error:
        folder.load()
    assert [error.file for error in error.value.errors] == [
        "schema/page_types/caf\\xe9.yaml", "schema/collections/gone.yaml",
    ]  # fmt: skip
