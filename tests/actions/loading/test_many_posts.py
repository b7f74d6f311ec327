"""Many posts are read by several processes, with the result that a load of few posts has."""

import os
import signal
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sitecms.actions.loading import LoadReport, load_site
from sitecms.settings.site import load_settings
from sitecms.store.entries import entry_rows
from sitecms.store.schema.columns import CONTENT_TABLES
from tests.actions.conftest import SiteFolder
from tests.support.engines import indexed, is_sound
from tests.support.reading import execute

LIMIT = "sitecms.actions.loading.changes.POSTS_WORTH_PROCESSES"
ROWS = "sitecms.actions.writing.new_entries.ROWS_AT_ONCE"
NEVER = 1_000_000


def rows(folder: SiteFolder) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of the store, without what the file system says of files."""
    with folder.database.reading() as session:
        return {
            shape.name: session.sql(
                f"SELECT {', '.join(name for name in shape.columns if name != 'stamp')} "
                f"FROM {shape.name} ORDER BY {', '.join(shape.key)}"
            )
            for shape in CONTENT_TABLES
        }


def outcome(report: LoadReport) -> tuple[object, ...]:
    """Return what a report says, without the time it took."""
    return (report.loaded, report.unchanged, [*map(str, report.errors)], report.notes, report.replaced, report.former)


def write_posts(folder: SiteFolder) -> None:
    """Write posts with all that one may say of another, and with errors of each kind."""
    for number in range(60):
        folder.post(f"p{number:02}", f"Tide *{number}*.", tags=[f"t{number % 7}", "sea"], categories=["Coast"])
    folder.post("a-es", locale="es", translation_of="p05", tags=["mar", "sea"])
    folder.post("b-es", locale="es", translation_of="p05")  # a second variant
    folder.post("c-es", locale="es", translation_of="nothing")
    folder.post("d-id", id=500)
    folder.post("e-id", id=500)
    folder.post("f-slug", slug="p07")
    folder.post("g-author", author="nobody")
    folder.post("h-media", "![x](media/gone.png)")
    folder.post("i-draft", status="draft")
    folder.post("j-raw", "<script>x</script>a\n\n```python\nx = 1\n```")
    folder.write("content/posts/k-yaml.md", "---\ntitle: [\n---\nx")
    folder.write("content/posts/l-none.md", "none")


def edit_posts(folder: SiteFolder) -> None:
    """Change, move, swap and remove posts."""
    folder.post("p01", "Changed.", slug="p02")
    folder.post("p02", "Changed.", slug="p01")
    folder.post("a-es", "Changed.", locale="es", translation_of="p06")
    folder.move("content/posts/p03.md", "content/posts/moved.md")
    folder.remove("content/posts/p04.md")
    folder.post("new", slug="p04")
    folder.post("d-id", "Changed.", id=501)


@pytest.mark.parametrize("change", [lambda _folder: None, edit_posts], ids=["first", "edited"])
def test_the_result_is_that_of_few_posts(
    folder: SiteFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[SiteFolder], None]
) -> None:
    """Rows, ids, errors and notes are equal, of a first load and of one with edited, moved and removed files."""
    write_posts(folder)
    other = folder.fresh(tmp_path / "other")
    for limit, each in ((1, folder), (NEVER, other)):
        monkeypatch.setattr(LIMIT, limit)
        each.load()
        change(each)
    found = {}
    for limit, each in ((1, folder), (NEVER, other)):
        monkeypatch.setattr(LIMIT, limit)
        found[limit] = (outcome(each.load(prune=True)), rows(each))
    assert found[1] == found[NEVER]
    assert len(folder.database.read(indexed, "tide")) > 50
    assert is_sound(folder.database)


def test_posts_are_read_before_media_are_uploaded(
    folder: SiteFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bucket: str
) -> None:
    """With a remote library the result is the same, though all posts are read before the first is stored."""
    write_posts(folder)
    other = folder.fresh(tmp_path / "other")
    monkeypatch.setattr(LIMIT, 1)
    report = folder.load()
    monkeypatch.setenv("SITECMS_MEDIA_URL", bucket)
    assert outcome(other.load()) == outcome(report)
    assert rows(other) == rows(folder)


def test_a_file_with_errors_does_not_reserve_its_id(folder: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id that a post gives is not given to another one; that of a file that cannot be read is free."""
    monkeypatch.setattr(LIMIT, 1)
    folder.post("a")
    folder.post("b", id=900)
    folder.post("c", "![x](media/gone.png)", id=950)
    assert len(folder.load().errors) == 1
    assert (folder.find("b").id, folder.find("a").id) == (900, 901)


def test_a_load_that_is_killed_changes_nothing(folder: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the posts were stored when the process was killed: the store is as it was."""
    folder.post("old")
    folder.load()
    before = rows(folder)
    for number in range(300):
        folder.post(f"p{number:03}")
    folder.database.close()
    monkeypatch.setattr(LIMIT, 1)
    monkeypatch.setattr(ROWS, 100)
    if (child := os.fork()) == 0:
        insert, calls = entry_rows.insert_entries, []

        def insert_entries(*arguments: Any) -> Any:
            calls.append(1)
            if len(calls) == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            return insert(*arguments)

        monkeypatch.setattr(entry_rows, "insert_entries", insert_entries)
        load_site(folder.database, load_settings(folder.folder), folder.now + timedelta(hours=1))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert rows(folder) == before
    assert is_sound(folder.database)
    folder.load()
    assert len(folder.slugs()) == 301


def test_other_writers_go_on_while_posts_are_read(folder: SiteFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is locked while posts are stored, not while their files are read."""
    write_posts(folder)
    monkeypatch.setattr(LIMIT, 1)
    steps: list[str] = []

    def write_meanwhile(step: str, _done: int, _total: int) -> None:
        steps.append(step)
        execute(folder.database, "UPDATE document SET value_json = value_json")

    report = load_site(folder.database, load_settings(folder.folder), folder.now, progress=write_meanwhile)
    assert len(report.loaded) > 50
    assert len(steps) > 50
