"""Entries of files that would be written to one path: at most the newcomer's change is held back."""

import pytest

from sitecms.actions.loading import LoadReport
from tests.actions.conftest import SiteFolder

REMEDY = "(give one another slug or path)"


def errors_of(report: LoadReport) -> list[str]:
    return [str(error) for error in report.errors]


def test_the_change_of_a_file_that_takes_anothers_address_is_held_back(folder: SiteFolder) -> None:
    """The error names both files; its last good version stays, all else is loaded, and each load says so again."""
    folder.post("a", title="A")
    folder.post("b", title="B")
    folder.load()
    folder.post("a", title="A, edited")
    folder.post("b", title="B, moved", path="/blog/a/")
    folder.post("c", title="C")
    for _again in range(2):
        said = f"content/posts/b.md:4 path: gives the address /blog/a/, which is that of content/posts/a.md {REMEDY}"
        assert errors_of(folder.load()) == [said]
        assert (folder.find("a").title, folder.find("b").title, folder.find("b").path) == ("A, edited", "B", "")
        assert folder.slugs() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("path", "other"),
    [("/Blog/A/", "blog/a"), ("/blog/a/index.html", "index"), ("/a.html", "/A.html/b/"), ("/guide/a/", "a page")],
)
def test_of_two_new_files_with_one_address_the_first_is_loaded(folder: SiteFolder, path: str, other: str) -> None:
    """Case, an index and a file where a folder is needed count; pages come before posts."""
    if other == "a page":
        folder.guide("a")
    else:
        folder.post("a", title="A", **({"path": other} if other.startswith("/") else {}))
    folder.post("b", title="B", path=path)
    folder.post("c", title="C")
    (error,) = folder.load().errors
    assert (error.file, error.line, error.place) == ("content/posts/b.md", 4, "path")
    assert "b" not in folder.slugs()
    assert "c" in folder.slugs()


def test_pages_of_the_site_itself_keep_their_addresses(folder: SiteFolder) -> None:
    """The home pages, the list of posts, the page for unknown addresses."""
    for number, path in enumerate(("/es/", "/blog/", "/404.html", "/index.html")):
        folder.post(f"p{number}", title="P", path=path)
    found = [error.problem.partition(", which is that of ")[2] for error in folder.load().errors]
    assert found == [
        "the home page (es)", "the list of all posts (en)", "the page for unknown addresses (en)", "the home page (en)",
    ]  # fmt: skip
    assert folder.slugs() == []


def test_files_may_exchange_their_addresses(folder: SiteFolder) -> None:
    """Neither is held back, and a draft stands at no address."""
    folder.post("a", title="A", path="/one/")
    folder.post("b", title="B", path="/two/")
    folder.load()
    folder.post("a", title="A", path="/two/")
    folder.post("b", title="B", path="/one/")
    folder.post("c", title="C", path="/one/", status="draft")
    assert folder.load().errors == ()
    assert (folder.find("a").path, folder.find("b").path) == ("/two/", "/one/")


def test_an_address_of_a_deleted_file_is_free(folder: SiteFolder) -> None:
    """Its entry goes to the trash, and a note says how it comes back; the file that was held back is loaded."""
    folder.post("a", "Another text.", title="A")
    folder.load()
    folder.post("b", title="B", path="/blog/a/", published="2026-01-01")
    assert errors_of(folder.load()) != []
    lost = folder.find("a").id
    folder.remove("content/posts/a.md")
    report = folder.load()
    assert (report.errors, report.vanished) == ((), ())
    gone = "content/posts/a.md is gone, and content/posts/b.md has its address: its post is in the trash"
    assert report.notes == (f"{gone} (sitecms trash restore post {lost})",)
    assert folder.slugs() == ["b"]
    assert folder.load().notes == ()


@pytest.mark.parametrize("prune", [False, True])
@pytest.mark.parametrize(("gone", "taker"), [("a", "b"), ("b", "a")])
def test_a_slug_of_a_deleted_file_is_free_for_a_file_that_has_an_entry(
    folder: SiteFolder, gone: str, taker: str, prune: bool
) -> None:
    """At once, of posts and pages, with a note unless the load prunes; whichever file comes first."""
    for name in ("a", "b"):
        folder.post(name, title=name, slug=name)
        folder.guide(name, slug=name)
    folder.load()
    folder.remove(f"content/posts/{gone}.md")
    folder.remove(f"content/pages/guide/{gone}.yaml")
    folder.post(taker, title=taker, slug=gone)
    folder.guide(taker, slug=gone)
    report = folder.load(prune=prune)
    assert (report.errors, report.vanished, len(report.pruned)) == ((), (), 2 if prune else 0)
    for path in ("posts/{}.md", "pages/guide/{}.yaml"):
        said = f"content/{path.format(gone)} is gone, and content/{path.format(taker)} has its address: its p"
        assert any(note.startswith(said) for note in report.notes) != prune
    assert folder.slugs() == [gone]
    assert folder.find(gone).title == taker
