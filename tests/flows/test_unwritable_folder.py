"""A site folder that cannot be written: said once by the worker, by status and in the studio, and nothing is lost."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.settings.current import CurrentSettings
from sitecms.tasks.file_writing import FileWriter
from tests.support.newsroom import Newsroom
from tests.support.ordinary_user import let_permissions_count, permissions_that_count
from tests.support.sites import ExampleSite

PROBLEM = "cannot be written: permission denied"
pytestmark = [
    pytest.mark.sqlite_only,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="an administrator may write everywhere"),
]


@pytest.fixture
def newsroom(example: ExampleSite) -> Iterator[Newsroom]:
    """A site with a change that no file has, in a folder in which nothing can be written but the state folder."""
    example.load()
    newsroom = Newsroom(example)
    newsroom.update(EntryKind.POST, "calm", {"title": "Slack"})
    newsroom.folder.chmod(0o555)
    yield newsroom
    newsroom.folder.chmod(0o755)


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run sitecms as somebody for whom permissions count."""
    line = [sys.executable, "-m", "sitecms", *words, str(folder)]
    return subprocess.run(
        line, capture_output=True, text=True, timeout=120, check=False, preexec_fn=let_permissions_count
    )


def test_nothing_is_tried_and_the_change_waits(newsroom: Newsroom) -> None:
    """The reason is reported; as soon as the folder can be written, the change is."""
    with permissions_that_count():
        assert PROBLEM in newsroom.sync().stopped
    newsroom.folder.chmod(0o755)
    assert newsroom.sync().written == ("content/posts/calm.md",)


def test_status_and_sync_say_so(newsroom: Newsroom) -> None:
    """With the folder, and the number of changes."""
    status = command(newsroom.folder, "status")
    assert "0 changes to be written, 1 that cannot be written" in status.stdout, status.stderr
    synced = command(newsroom.folder, "sync")
    assert f"Nothing was written: {newsroom.folder} {PROBLEM}" in synced.stderr
    assert synced.returncode == 1


def test_worker_says_so_once(newsroom: Newsroom, capsys: pytest.CaptureFixture[str]) -> None:
    """As the worker of serve does it: in its log, at the first of several tries."""
    writer = FileWriter(CurrentSettings(newsroom.site.settings), newsroom.database, newsroom.clock)
    with permissions_that_count():
        for _ in range(3):
            writer.step()
            writer.stop(60)
    assert capsys.readouterr().out.count(PROBLEM) == 1
