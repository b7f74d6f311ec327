"""Files that are moved, and slugs that files change, trade or share."""

import pytest

from tests.actions.conftest import SiteFolder


def test_a_moved_file_keeps_its_entry(folder: SiteFolder) -> None:
    """Nothing is reported as gone, even with prune, and the id is the same."""
    folder.post("one", slug="one")
    folder.guide("start")
    folder.load()
    post_id, page_id = folder.find("one").id, folder.page("start")[0].id
    folder.move("content/posts/one.md", "content/posts/2026/renamed.md")
    folder.guide("start", slug="start")
    folder.move("content/pages/guide/start.yaml", "content/pages/guide/begin.yaml")
    report = folder.load(prune=True)
    assert (report.errors, report.vanished, report.pruned) == ((), (), ())
    assert (folder.find("one").id, folder.page("start")[0].id) == (post_id, page_id)


def test_a_moved_collection_file_keeps_the_ids_of_its_items(folder: SiteFolder) -> None:
    """An item without id in the file is the one of the same label that a vanished file of the collection left."""
    folder.items("team", "Ann", "Bo")
    folder.load()
    before = folder.ids("team")
    folder.move("content/collections/team.yaml", "content/collections/team.yml")
    report = folder.load(prune=True)
    assert (report.vanished, report.pruned) == ((), ())
    assert folder.ids("team") == before


def test_a_changed_slug_keeps_the_id(folder: SiteFolder) -> None:
    """The file is the post's identity, not its slug."""
    folder.post("one", slug="first")
    folder.guide("start", slug="start")
    folder.load()
    post_id, page_id = folder.find("first").id, folder.page("start")[0].id
    folder.post("one", slug="second")
    folder.guide("start", slug="begin")
    assert folder.load().errors == ()
    assert folder.find("second").id == post_id
    assert folder.page("begin")[0].id == page_id
    assert folder.slugs() == ["second"]
    assert folder.page("start") == ()


def test_two_files_can_trade_slugs_in_one_load(folder: SiteFolder) -> None:
    """Posts and pages alike, in a circle of three too, each keeping its id."""
    names = ("a", "b", "c")
    for name in names:
        folder.post(name, slug=f"slug-{name}")
        folder.guide(name, slug=f"slug-{name}")
    folder.load()
    before = {name: (folder.find(f"slug-{name}").id, folder.page(f"slug-{name}")[0].id) for name in names}
    for name, other in zip(names, ("b", "c", "a"), strict=True):
        folder.post(name, slug=f"slug-{other}")
        folder.guide(name, slug=f"slug-{other}")
    report = folder.load()
    assert report.errors == ()
    after = {
        name: (folder.find(f"slug-{other}").id, folder.page(f"slug-{other}")[0].id)
        for name, other in zip(names, ("b", "c", "a"), strict=True)
    }
    assert after == before


def test_a_slug_given_up_is_free_for_a_new_file(folder: SiteFolder) -> None:
    """One load is enough, whichever file comes first."""
    for kind in (folder.post, folder.guide):
        kind("m", slug="wanted")
    folder.load()
    post_id, page_id = folder.find("wanted").id, folder.page("wanted")[0].id
    for kind in (folder.post, folder.guide):
        kind("m", slug="other")
        kind("a", slug="wanted")
    assert folder.load().errors == ()
    assert (folder.find("other").id, folder.page("other")[0].id) == (post_id, page_id)
    assert folder.find("wanted").id != post_id
    assert folder.page("wanted")[0].id != page_id


def test_a_trade_with_an_invalid_file_leaves_both_slugs(folder: SiteFolder) -> None:
    """The post of the invalid file keeps its slug, and the other file has an error: the slug is used."""
    folder.post("a", slug="one")
    folder.post("b", slug="two")
    folder.load()
    folder.post("a", slug="two")
    folder.post("b", slug="one", author="nobody")
    report = folder.load()
    assert {error.file for error in report.errors} == {"content/posts/a.md", "content/posts/b.md"}
    assert folder.find("one").title == "A"
    assert folder.find("two").title == "B"


@pytest.mark.parametrize("known", ["neither", "first", "second", "both"])
def test_two_files_with_one_slug_name_each_other(folder: SiteFolder, known: str) -> None:
    """New or loaded before, the error stands at the file that wants a slug which the other one has."""
    for kind in (folder.post, folder.guide):
        if known in ("first", "both"):
            kind("a", slug="one" if known == "first" else "two")
        if known in ("second", "both"):
            kind("b", slug="one")
    folder.load()
    for kind in (folder.post, folder.guide):
        kind("a", slug="one")
        kind("b", slug="one")
    report = folder.load()
    for folder_name, suffix in (("posts", "md"), ("pages/guide", "yaml")):
        mine = [error for error in report.errors if error.file.startswith(f"content/{folder_name}/")]
        assert len(mine) == 1, mine
        names = (f"content/{folder_name}/a.{suffix}", f"content/{folder_name}/b.{suffix}")
        assert all(name in str(mine[0]) for name in names)
        assert mine[0].place == "slug"
        assert mine[0].line
        assert mine[0].remedy


def test_a_slug_that_a_request_took_is_a_error(folder: SiteFolder) -> None:
    """A post made through the API is not overwritten by a file that was another post before."""
    folder.post("one", slug="one")
    folder.post("two", slug="two")
    folder.load()
    folder.edit("two", slug="taken")
    folder.post("one", slug="taken")
    report = folder.load()
    assert [error.file for error in report.errors] == ["content/posts/one.md"]
    assert folder.find("taken").title == "Two"
