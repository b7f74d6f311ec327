"""`sitecms build --report`: what was done, for programs."""

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_the_report_says_what_was_done(run: Run, demo: Path, tmp_path: Path) -> None:
    """Counts, bytes, seconds by phase in their order, and use of templates; then nothing is left to do."""
    assert run("build", demo, "--report", tmp_path / "report.json").returncode == 0
    report = json.loads((tmp_path / "report.json").read_bytes())
    files = [path for path in (demo / "public").rglob("*") if path.is_file() and not path.name.startswith(".sitecms")]
    assert report["counts"]["files"] == len(files)
    assert report["size_bytes"] == sum(path.stat().st_size for path in files)
    phases = [
        name for name in report["phases"] if name in ("load", "snapshot", "plan", "difference", "render", "publish")
    ]
    assert phases == ["load", "snapshot", "plan", "difference", "render", "publish"]
    assert sum(report["phases"].values()) > 0
    post = report["templates"]["post.html"]
    assert (post["pages"], post["rendered"]) == (len(list((demo / "content/posts").glob("*.md"))),) * 2
    assert post["seconds"] > 0
    assert report["stale"]["index.html"] == "it is new"
    assert (report["failed"], report["pruned"]) == ([], [])
    run("build", demo, "--report", tmp_path / "report.json")
    again = json.loads((tmp_path / "report.json").read_bytes())
    assert (again["counts"]["written"], again["stale"]) == (0, {})
    assert again["size_bytes"] == report["size_bytes"]


def test_failures_stand_in_the_report_with_file_and_line(run: Run, demo: Path, tmp_path: Path) -> None:
    """An error in a template of the site's own."""
    (demo / "templates").mkdir(exist_ok=True)
    (demo / "templates" / "post.html").write_text("<p>\n{{ post.nothing.there }}\n", encoding="utf-8")
    done = run("build", demo, "--report", tmp_path / "report.json")
    assert done.returncode == 1
    assert done.stderr.count('templates/post.html:2: PostView has no "nothing"') == 1  # for all posts
    assert "other page" in done.stderr
    assert str(demo) not in done.stderr  # names of files begin in the site folder, as those of a load do
    report = json.loads((tmp_path / "report.json").read_bytes())
    failure = next(each for each in report["failed"] if each["path"] == "blog/first-steps/index.html")
    assert failure["file"].endswith("templates/post.html")
    assert failure["line"] == 2
    assert "first-steps" in failure["problem"]
    assert report["counts"]["failed"] == len(report["failed"])


def test_a_report_that_cannot_be_written_leaves_the_old_one(run: Run, demo: Path, tmp_path: Path) -> None:
    """The reason is told, and no half file lies about."""
    assert run("build", demo, "--report", tmp_path / "missing" / "report.json").returncode == 3
    assert not (tmp_path / "missing").exists()
    assert run("build", demo, "--report", tmp_path).returncode == 2
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]
