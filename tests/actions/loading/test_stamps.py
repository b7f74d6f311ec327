"""Files of which the file system says the same as when they were loaded are not read."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sitecms.actions.loading import load_site
from sitecms.store.site_state.loaded_files import LoadedFile, all_loaded_files
from tests.support.sites import ExampleSite

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")

POST = "content/posts/sea.md"


@pytest.fixture
def _old(example: ExampleSite) -> None:
    """Load the site a day after its files were written, and later."""
    example.now = datetime.now(UTC) + timedelta(days=1)


def _known(example: ExampleSite) -> LoadedFile:
    return example.database.read(all_loaded_files)[POST]


def _read_files(example: ExampleSite, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The content files that a load opens."""
    opened: list[str] = []
    real = Path.read_bytes

    def noted(path: Path) -> bytes:
        opened.append(path.name)
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", noted)
        example.load()
    return [name for name in opened if name.endswith((".md", ".yaml"))]


@pytest.mark.usefixtures("_old")
def test_an_untouched_file_is_not_read(example: ExampleSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A touched file is read once."""
    example.post("sea")
    example.post("moon")
    example.load()
    assert _read_files(example, monkeypatch) == []
    os.utime(example.folder / POST, ns=(1, 1))
    assert _read_files(example, monkeypatch) == ["sea.md"]
    assert _read_files(example, monkeypatch) == []


def test_a_young_file_is_read_again(example: ExampleSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may change once more within the same tick of the clock of its file system."""
    example.now = datetime.now(UTC) - timedelta(hours=1)  # the next load is an hour later
    example.post("sea")
    example.load()
    assert _known(example).stamp == ""
    assert "sea.md" in _read_files(example, monkeypatch)


@pytest.mark.usefixtures("_old")
def test_a_file_of_the_same_size_and_time_is_seen_to_differ(example: ExampleSite) -> None:
    """Whoever sets the time back cannot set back when the file was changed, nor which file it is."""
    example.post("sea", "The sea.")
    example.load()
    path = example.folder / POST
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"The sea.", b"The bay."))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert example.load().loaded == (POST,)


@pytest.mark.usefixtures("_old")
def test_a_file_with_a_lasting_fault_is_told_of_each_time(example: ExampleSite) -> None:
    """An error is no reason to take the file for loaded."""
    example.post("sea", "![](media/gone.png)")
    for _load in range(2):
        report = load_site(example.database, example.settings, example.now)
        assert [error.file for error in report.errors] == [POST]
