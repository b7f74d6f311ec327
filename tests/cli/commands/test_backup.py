"""`sitecms backup`, `restore`, `verify` and `export`: what they say, and how they end."""

import json
from pathlib import Path

from tests.support.command_line import run
from tests.support.reading import execute
from tests.support.sites import ExampleSite


def test_back_up_restore_and_verify(example: ExampleSite, tmp_path: Path) -> None:
    """Each says what it did and what comes next; an existing file is not replaced unasked."""
    example.make()
    file = tmp_path / "tide.tar.gz"
    made = run("backup", example.folder, file)
    assert (made.exit_code, made.stderr) == (0, "")
    assert made.stdout.startswith(f"Backed up Tide to {file}: ")
    again = run("backup", example.folder, file)
    assert (again.exit_code, again.stdout) == (2, "")
    assert "--force" in again.stderr
    assert run("backup", example.folder, file, "--force").exit_code == 0
    restored = run("restore", file, tmp_path / "again")
    assert restored.exit_code == 0
    assert f"sitecms build {tmp_path / 'again'}" in restored.stdout
    assert run("restore", file, tmp_path / "again").exit_code == 3
    assert run("verify", tmp_path / "again").exit_code == 0


def test_verify_ends_with_1_while_anything_is_left(example: ExampleSite) -> None:
    """Repaired findings do not count; text and JSON have the same findings."""
    example.make()
    (example.public / "about" / "index.html").unlink()
    execute(example.database, "DELETE FROM post_search WHERE rowid = 1")
    told = run("verify", example.folder)
    assert told.exit_code == 1
    assert "post_search row 1: error: " in told.stdout
    assert "repair it: sitecms verify --repair" in told.stdout
    assert "sitecms build --clean" in told.stdout
    repaired = run("verify", example.folder, "--repair", "--format", "json")
    data = json.loads(repaired.stdout)
    assert (repaired.exit_code, data["errors"], data["repaired"]) == (1, 1, 1)
    assert [(each["kind"], each["repaired"]) for each in data["findings"]] == [
        ("search-missing", True), ("output-missing", False),
    ]  # fmt: skip
    assert run("build", example.folder, "--clean").exit_code == 0
    assert run("verify", example.folder).exit_code == 0


def test_export_prints_its_counts(example: ExampleSite, tmp_path: Path) -> None:
    """The exit code is 1 if something could not be written, 3 for a folder with other files."""
    example.load()
    made = run("export", example.folder, tmp_path / "files")
    assert (made.exit_code, made.stderr) == (0, "")
    assert "9 posts, 2 pages, 2 items, 2 media files" in made.stdout
    next((example.folder / ".sitecms/media").glob("*.png")).unlink()
    assert run("export", example.folder, tmp_path / "files").exit_code == 1
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").touch()
    assert run("export", example.folder, tmp_path / "other").exit_code == 3
