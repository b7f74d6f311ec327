"""`sitecms new` as a person meets it."""

from pathlib import Path

from tests.cli.conftest import Run


def test_post_prints_its_path(run: Run, demo: Path) -> None:
    """The new post loads without notes; a second one of that title is refused and changes nothing."""
    made = run("new", "post", "demo", "--title", "Slack water")
    assert (made.returncode, made.stdout, made.stderr) == (0, "demo/content/posts/slack-water.md\n", "")
    text = (demo / "content/posts/slack-water.md").read_text(encoding="utf-8")
    loaded = run("load", demo)
    assert (loaded.returncode, loaded.stderr) == (0, "")
    again = run("new", "post", "demo", "--title", "Slack water")
    assert (again.returncode, again.stdout) == (2, "")
    assert "already" in again.stderr
    assert (demo / "content/posts/slack-water.md").read_text(encoding="utf-8") == text


def test_page_of_a_type(run: Run, demo: Path) -> None:
    """Published where asked for: it is on the built site."""
    made = run("new", "page", "--title", "Our boats", "--type", "project", "--publish", folder=demo)
    assert (made.returncode, made.stdout) == (0, "content/pages/project/our-boats.md\n")
    assert run("build", demo, "--strict").returncode == 0
    assert list((demo / "public").rglob("our-boats/index.html"))


def test_unknown_page_type(run: Run, demo: Path) -> None:
    """Wrong usage, with what was probably meant."""
    result = run("new", "page", demo, "--title", "Boats", "--type", "projekt")
    assert result.returncode == 2
    assert 'Did you mean "project"?' in result.stderr
