"""`sitecms check` as a person or a script meets it."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run

KEYS = {
    "severity", "kind", "where", "file", "line", "place", "url", "pages", "what", "remedy", "repairable", "repaired",
}  # fmt: skip


def broken(demo: Path) -> None:
    post = demo / "content/posts/first-steps.md"
    post.write_text(post.read_text(encoding="utf-8") + "\n[There](/there/)\n", encoding="utf-8")


def test_new_site_is_sound(run: Run, demo: Path) -> None:
    """Ends with 0 and a summary; nothing is left behind in the folder."""
    before = sorted(demo.rglob("*"))
    result = run("check", demo)
    assert result.returncode == 0, result.stdout
    assert result.stderr == ""
    assert ": 0 errors, " in result.stdout.splitlines()[-1]
    assert sorted(demo.rglob("*")) == before


def test_error_ends_with_one(run: Run, demo: Path) -> None:
    """One line for the finding, with file, line, severity, words and kind."""
    broken(demo)
    result = run("check", demo)
    lines = [line for line in result.stdout.splitlines() if "error" in line]
    assert result.returncode == 1
    assert lines[0].startswith("content/posts/first-steps.md:")
    assert lines[0].endswith("[link-broken]")
    assert ": error: /there/ leads nowhere on the site (" in lines[0]


def test_json_has_the_documented_shape(run: Run, demo: Path) -> None:
    """One object; every finding has every key."""
    broken(demo)
    result = run("check", demo, "--format", "json")
    assert result.returncode == 1
    report = json.loads(result.stdout)
    assert report.keys() == {"format", "site", "errors", "warnings", "pages", "seconds", "findings"}
    assert report["format"] == 2
    assert report["errors"] == sum(finding["severity"] == "error" for finding in report["findings"]) == 1
    assert all(finding.keys() == KEYS for finding in report["findings"])


def test_strict_fails_on_warnings(run: Run, demo: Path) -> None:
    """Without --strict they do not count."""
    (demo / "content/tags.yaml").write_text("- {slug: mud, name: Mud}\n", encoding="utf-8")
    assert run("check", demo).returncode == 0
    assert run("check", demo, "--strict").returncode == 1


def test_invalid_settings_end_with_three(run: Run, demo: Path) -> None:
    """The error is on stderr with its line."""
    (demo / "site.toml").write_text('name = "Tide"\nnme = 3\n', encoding="utf-8")
    result = run("check", demo)
    assert result.returncode == 3
    assert result.stderr.startswith("site.toml:2")


@pytest.mark.parametrize("is_there", [True, False])
def test_unopenable_site_is_reported_as_json(run: Run, demo: Path, is_there: bool) -> None:
    """The exit code is 3, the finding has the place of the error, and stderr is empty."""
    (demo / "site.toml").write_text('name = "Tide"\nnme = 3\n', encoding="utf-8")
    result = run("check", demo if is_there else demo / "nowhere", "--format", "json")
    assert (result.returncode, result.stderr) == (3, "")
    report = json.loads(result.stdout)
    (finding,) = report["findings"]
    assert (report["errors"], report["pages"], finding.keys()) == (1, 0, KEYS)
    assert (finding["file"], finding["line"]) == (("site.toml", 2) if is_there else ("", None))
    assert ("nme" in finding["place"] + finding["what"]) if is_there else "does not exist" in finding["what"]


def test_sample_site_has_no_findings(run: Run, repo: Path, tmp_path: Path) -> None:
    """It has neither errors nor warnings."""
    ignored = shutil.ignore_patterns(".sitecms", "public")
    shutil.copytree(repo / "sample_site", tmp_path / "sample", ignore=ignored)
    result = run("check", tmp_path / "sample", "--strict")
    assert (result.returncode, len(result.stdout.splitlines())) == (0, 1), result.stdout
