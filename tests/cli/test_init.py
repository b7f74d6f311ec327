"""`sitecms init`: what it makes, and what it leaves alone."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_new_site_builds_at_once(run: Run, tmp_path: Path) -> None:
    """The folder is a whole site: it loads without a fault and builds; the tour names files that exist."""
    made = run("init", "demo")
    assert (made.returncode, made.stderr) == (0, "")
    named = [word for word in made.stdout.split() if word.endswith((".toml", ".md", ".yaml"))]
    assert len(named) > 2
    assert [name for name in named if not (tmp_path / "demo" / name).is_file()] == []
    built = run("build", "demo", "--strict")
    assert (built.returncode, built.stderr) == (0, "")


def test_what_is_made_is_not_meant_for_git(run: Run, demo: Path) -> None:
    """The new folder's .gitignore covers everything that loading and building add to it."""
    before = {path.name for path in demo.iterdir()}
    run("build", demo)
    ignored = {line.strip("/") for line in (demo / ".gitignore").read_text(encoding="utf-8").split()}
    assert {path.name for path in demo.iterdir()} - before == {".sitecms", "public", ".public.sitecms"} <= ignored


@pytest.mark.parametrize("folder", ["new", "deep/er/new", "empty", "with space", "."])
def test_folder_may_be_new_or_empty(run: Run, tmp_path: Path, folder: str) -> None:
    """Folders above it are made; an empty one is used, the current one too."""
    (tmp_path / "work" / "empty").mkdir(parents=True)
    where = tmp_path / "work" / ("empty" if folder == "." else "")
    assert run("init", folder, folder=where).returncode == 0
    assert (where / folder / "site.toml").is_file()


def test_folder_with_files_is_left_alone(run: Run, tmp_path: Path) -> None:
    """Exit code 3, and not one file is added or changed."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine", encoding="utf-8")
    result = run("init", "notes")
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr.startswith("Error: notes is there already and not empty")
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["mine.txt"]


def test_second_init_changes_nothing(run: Run, demo: Path) -> None:
    """A site that somebody works on is not made anew."""
    (demo / "site.toml").write_text('name = "Mine"', encoding="utf-8")
    assert run("init", demo).returncode == 3
    assert (demo / "site.toml").read_text(encoding="utf-8") == 'name = "Mine"'


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_file_in_the_way(run: Run, tmp_path: Path, name: str) -> None:
    """A file where the folder should be, or above it: exit code 3, one line, no traceback."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = run("init", name)
    assert result.returncode == 3
    assert result.stderr.startswith(f"Error: {name} ")
    assert result.stderr.count("\n") == 1


def test_name_is_needed(run: Run) -> None:
    """Unlike the other commands, `init` does not guess a folder: exit code 2."""
    result = run("init")
    assert result.returncode == 2
    assert "Missing argument 'DIR'" in result.stderr
