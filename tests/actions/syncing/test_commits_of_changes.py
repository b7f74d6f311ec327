"""A change in studio or API becomes a commit: from the store to the file, and from the file to Git."""

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from sitecms.actions.syncing.git.changes import commit_due, waiting_changes
from sitecms.content.kinds import EntryKind
from tests.support.git import GIT, WITHOUT_CONFIGURATION, changed_files, commit_all, git, log

if TYPE_CHECKING:
    from tests.support.newsroom import Newsroom

pytestmark = GIT
POST = "content/posts/calm.md"


@pytest.fixture
def committed(newsroom: "Newsroom", monkeypatch: pytest.MonkeyPatch) -> "Newsroom":
    """A newsroom whose changes are committed, with all its files in the first commit."""
    for name, value in WITHOUT_CONFIGURATION.items():
        monkeypatch.setenv(name, value)
    settings = newsroom.site.folder / "site.toml"
    settings.write_text(f'{settings.read_text("utf-8")}\n[files]\ngit = "commit"\n', "utf-8")
    newsroom.site.write(".gitignore", ".sitecms\npublic\n")
    git(newsroom.folder, "init", "--quiet")
    commit_all(newsroom.folder, "Begin")
    return newsroom


def commit(newsroom: "Newsroom") -> None:
    """Write back and commit, a minute later."""
    newsroom.sync()
    report = commit_due(newsroom.site.settings, newsroom.clock() + timedelta(minutes=1))
    assert report.problems == ()
    assert waiting_changes(newsroom.site.settings) == ()


def test_a_save_a_creation_and_a_deletion_are_commits_by_their_editor(committed: "Newsroom") -> None:
    """The user writes as an author, whose name and e-mail the commits have; each has its file alone."""
    committed.update(EntryKind.POST, "calm", {"title": "Spring tide"})
    commit(committed)
    assert changed_files(committed.folder) == [POST]
    committed.create(EntryKind.POST, {"title": "Neap tide", "status": "published"})
    commit(committed)
    committed.delete(EntryKind.POST, "calm")
    commit(committed)
    assert changed_files(committed.folder) == [POST]
    assert [line.partition("> ")[2] for line in log(committed.folder)[1:]] == [
        "Update post Spring tide", "Add post Neap tide", "Delete post Spring tide",
    ]  # fmt: skip
    assert {line.partition(" <")[0] for line in log(committed.folder)[1:]} == {"Ann Ray"}
    assert git(committed.folder, "status", "--porcelain") == ""


def test_other_work_in_the_folder_stays(committed: "Newsroom") -> None:
    """The owner's work in another file is in no commit."""
    committed.site.write("content/posts/mine.md", "---\ntitle: Mine\n---\n")
    committed.update(EntryKind.POST, "ebb", {"summary": "Out."})
    commit(committed)
    assert changed_files(committed.folder) == ["content/posts/ebb.md"]
    assert git(committed.folder, "status", "--porcelain") == "?? content/posts/mine.md"


def test_items_are_added_and_deleted_though_their_file_stays(committed: "Newsroom") -> None:
    """What happened to an item is not what happened to the file that lists it."""
    committed.create(EntryKind.ITEM, {"key": "menu", "fields": [{"label": "Tides", "url": "/tides/"}]})
    commit(committed)
    new = committed.item_ids("menu")[-1]
    committed.update(EntryKind.ITEM, str(new), {"fields": {"label": "Ebb"}}, type_="menu")
    commit(committed)
    committed.delete(EntryKind.ITEM, str(new), "menu")
    commit(committed)
    committed.restore(EntryKind.ITEM, new)
    commit(committed)
    assert [line.partition("> ")[2] for line in log(committed.folder)[1:]] == [
        "Add item Tides", "Update item Ebb", "Delete item Ebb", "Add item Ebb",
    ]  # fmt: skip
