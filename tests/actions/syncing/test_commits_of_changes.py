"""A change in studio or API becomes a commit: from the store to the file, and from the file to Git."""

from datetime import timedelta
from functools import partial

import pytest

from sitecms.actions.syncing.git.changes import commit_due, waiting_changes
from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Caller
from sitecms.actions.writing.accept.planning import StudioValues
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.content.kinds import EntryKind
from tests.support.git import GIT, WITHOUT_CONFIGURATION, changed_files, commit_all, git, log
from tests.support.newsroom import Newsroom

pytestmark = GIT
POST = "content/posts/calm.md"


@pytest.fixture
def committed(newsroom: Newsroom, monkeypatch: pytest.MonkeyPatch) -> Newsroom:
    """A newsroom whose changes are committed, with all its files in the first commit."""
    for name, value in WITHOUT_CONFIGURATION.items():
        monkeypatch.setenv(name, value)
    newsroom.site.add_settings('[files]\ngit = "commit"')
    newsroom.site.write(".gitignore", ".sitecms\npublic\n")
    git(newsroom.folder, "init", "--quiet")
    commit_all(newsroom.folder, "Begin")
    return newsroom


def commit(newsroom: Newsroom) -> None:
    """Write back and commit, a minute later."""
    newsroom.sync()
    report = commit_due(newsroom.site.settings, newsroom.clock() + timedelta(minutes=1))
    assert report.problems == ()
    assert waiting_changes(newsroom.site.settings) == ()


def test_a_save_a_creation_and_a_deletion_are_commits_by_their_editor(committed: Newsroom) -> None:
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
        "Update “Spring tide”", "Publish “Neap tide”", "Delete “Spring tide”",
    ]  # fmt: skip
    assert {line.partition(" <")[0] for line in log(committed.folder)[1:]} == {"Ann Ray"}
    assert git(committed.folder, "status", "--porcelain") == ""


def test_other_work_in_the_folder_stays(committed: Newsroom) -> None:
    """The owner's work in another file is in no commit."""
    committed.site.write("content/posts/mine.md", "---\ntitle: Mine\n---\n")
    committed.update(EntryKind.POST, "ebb", {"summary": "Out."})
    commit(committed)
    assert changed_files(committed.folder) == ["content/posts/ebb.md"]
    assert git(committed.folder, "status", "--porcelain") == "?? content/posts/mine.md"


def test_items_are_added_and_deleted_though_their_file_stays(committed: Newsroom) -> None:
    """What happened to an item is not what happened to the file that lists it."""
    committed.create(
        EntryKind.ITEM, {"key": "menu", "status": "published", "fields": [{"label": "Tides", "url": "/tides/"}]}
    )
    commit(committed)
    new = committed.item_ids("menu")[-1]
    committed.update(EntryKind.ITEM, str(new), {"fields": {"label": "Ebb"}}, type_="menu")
    commit(committed)
    committed.delete(EntryKind.ITEM, str(new), "menu")
    commit(committed)
    committed.restore(EntryKind.ITEM, new)
    commit(committed)
    assert [line.partition("> ")[2] for line in log(committed.folder)[1:]] == [
        "Publish item “Tides”", "Update item “Ebb”", "Delete item “Ebb”", "Restore item “Ebb”",
    ]  # fmt: skip


def test_the_log_reads_as_what_people_did(committed: Newsroom) -> None:
    """Drafts, publishing, schedules by who set them, renaming, restoring: each in its word."""
    create, update, post = committed.create, partial(committed.update, EntryKind.POST), EntryKind.POST
    create(post, {"title": "Neap tide", "status": "draft"})
    commit(committed)
    update("neap-tide", {"summary": "Small."})
    commit(committed)
    update("neap-tide", {}, studio=StudioValues(scheduled_at=committed.clock() + timedelta(hours=1)))
    commit(committed)
    committed.site.now += timedelta(hours=2)
    assert publish_scheduled(committed.database, committed.clock(), committed.site.settings)
    commit(committed)
    update("neap-tide", {"slug": "neaps"})
    commit(committed)
    update("neaps", {"status": "draft"})
    commit(committed)
    post_id = committed.post_id("neaps")
    committed.delete(post, "neaps")
    commit(committed)
    committed.restore(post, post_id)
    commit(committed)
    lines = [line.partition("> ")[2] for line in log(committed.folder)[1:]]
    assert lines == [
        "Add draft “Neap tide”", "Update draft “Neap tide”", "Schedule “Neap tide”", "Publish “Neap tide”",
        "Rename “Neap tide” to neaps", "Unpublish “Neap tide”", "Delete “Neap tide”", "Restore “Neap tide”",
    ]  # fmt: skip
    assert {line.partition(" <")[0] for line in log(committed.folder)[1:]} == {"Ann Ray"}


@pytest.mark.parametrize("kind", [EntryKind.PAGE, EntryKind.ITEM])
def test_pages_and_items_are_named_by_their_kind(committed: Newsroom, kind: EntryKind) -> None:
    """An entry that a creation scheduled is published by who created it, too."""
    names = {EntryKind.PAGE: {"page-type": "*", "title": "Shop", "slug": "shop"}, EntryKind.ITEM: {"key": "menu"}}
    fields: object = [{"label": "Shop", "url": "/shop/"}] if kind is EntryKind.ITEM else {"body": "Open."}
    studio = StudioValues(scheduled_at=committed.clock() + timedelta(hours=1))
    accept.create(
        committed.context,
        Caller(committed.editor),
        kind,
        {**names[kind], "fields": fields, "status": "draft"},
        "",
        studio,
    )
    committed.apply()
    commit(committed)
    committed.site.now += timedelta(hours=2)
    assert publish_scheduled(committed.database, committed.clock(), committed.site.settings)
    commit(committed)
    assert [line.partition("> ")[2] for line in log(committed.folder)[1:]] == [
        f"Schedule {kind} “Shop”", f"Publish {kind} “Shop”",
    ]  # fmt: skip
    assert {line.partition(" <")[0] for line in log(committed.folder)[1:]} == {"Ann Ray"}
