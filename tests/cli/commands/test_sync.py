"""`sitecms sync`: files and store in both directions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from structlog.testing import capture_logs

from sitecms.content.kinds import EntryKind
from sitecms.settings.current import CurrentSettings
from sitecms.tasks.file_writing import FileWriter
from tests.support.command_line import run
from tests.support.newsroom import Newsroom
from tests.support.sites import ExampleSite
from tests.support.waiting import until


@contextmanager
def settings_with(site: ExampleSite, write_back: object) -> Iterator[None]:
    """The site with another setting."""
    site.settings_are(files={"write_back": write_back})
    yield
    site.settings_are()


@pytest.fixture
def newsroom(example: ExampleSite) -> Newsroom:
    """The site once it was loaded, and the title of a post was changed in the store."""
    example.load()
    made = Newsroom(example)
    made.update(EntryKind.POST, "calm", {"title": "Slack"})
    return made


def test_files_are_loaded_and_changes_written(example: ExampleSite, newsroom: Newsroom) -> None:
    """First what is in files, then what is in the store; a dry run changes nothing."""
    example.post("gale", "By hand.", published="2026-02-05T08:00:00Z", author="bo-lind")
    trial = run("sync", example.folder, "--dry-run")
    assert (trial.exit_code, list(newsroom.diff())) == (0, ["content/posts/gale.md"])
    assert "content/posts/calm.md: would be written" in trial.stdout
    done = run("sync", example.folder)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "Files: 1 loaded" in done.stdout
    assert "content/posts/calm.md: written" in done.stdout
    assert "content/posts/calm.md" in newsroom.diff()
    assert "0 to remove" not in run("sync", example.folder).stdout


def test_change_that_cannot_be_written_is_an_error_with_its_reason(example: ExampleSite) -> None:
    """Others are written; status says how many are not in files, and why."""
    text = "---\ntitle: &name Calm\nsummary: *name\npublished: 2026-02-01T08:00:00Z\nauthor: bo-lind\n---\nText.\n"
    example.write("content/posts/calm.md", text)
    example.load()
    newsroom = Newsroom(example)
    for slug, title in (("calm", "Slack"), ("ebb", "Out")):
        newsroom.update(EntryKind.POST, slug, {"title": title})
    done = run("sync", example.folder)
    assert done.exit_code == 1
    assert "its YAML cannot be changed in place; does it use an anchor" in done.stderr
    assert "content/posts/ebb.md: written" in done.stdout
    assert newsroom.files()["content/posts/calm.md"] == text
    status = run("status", example.folder)
    assert "1 change not in the files: its YAML cannot be changed" in status.stdout + status.stderr


def test_nothing_is_written_where_the_setting_says_so(example: ExampleSite, newsroom: Newsroom) -> None:
    """The files are loaded all the same."""
    with settings_with(example, write_back=False):
        assert "write_back = false" in run("sync", example.folder).stdout
    assert newsroom.diff() == {}


def test_worker_writes_back(example: ExampleSite, newsroom: Newsroom) -> None:
    """Its step starts a write-back where a change waits, and logs each file."""
    writer = FileWriter(CurrentSettings(example.settings), example.database, newsroom.clock)
    with capture_logs() as logs:
        writer.step()
        until(_is_written(newsroom))
        writer.stop(10)
    assert [each["path"] for each in logs if each["event"] == "file_written"] == ["content/posts/calm.md"]
    assert newsroom.open_changes() == ()


def test_worker_writes_back_once_the_settings_say_so(example: ExampleSite, newsroom: Newsroom) -> None:
    """It was started without `write_back`, and is not started again."""
    with settings_with(example, write_back=False):
        writer = FileWriter(CurrentSettings(example.settings), example.database, newsroom.clock)
        writer.step()
        writer.stop(10)
        assert newsroom.open_changes() != ()
    writer.step()
    until(_is_written(newsroom))
    writer.stop(10)
    assert newsroom.open_changes() == ()


def _is_written(newsroom: Newsroom) -> Callable[[], bool]:
    return lambda: not newsroom.open_changes()
