"""`sitecms init`: what it makes, and what it leaves alone."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from sitecms.actions.authoring.new_site import STARTERS
from sitecms.settings.site import load_settings
from tests.cli.conftest import Run


def test_new_site_builds_at_once(run: Run, tmp_path: Path) -> None:
    """A whole site that loads, builds and checks; the tour names files that exist; .gitignore covers what is made."""
    made = run("init", "demo")
    assert (made.returncode, made.stderr) == (0, "")
    named = [word for word in made.stdout.split() if word.endswith((".toml", ".md", ".yaml"))]
    assert len(named) > 2
    assert [name for name in named if not (tmp_path / "demo" / name).is_file()] == []
    before = {path.name for path in (tmp_path / "demo").iterdir()}
    built = run("build", "demo", "--strict")
    assert built.returncode == 0
    assert built.stderr.startswith("url is not set in site.toml, so the site has no sitemap")
    assert built.stderr.count("\n") == 1
    ignored = {line.strip("/") for line in (tmp_path / "demo/.gitignore").read_text(encoding="utf-8").split()}
    made_since = {path.name for path in (tmp_path / "demo").iterdir()} - before
    assert made_since == {".sitecms", "public", ".public.sitecms"} <= ignored
    assert run("check", "demo").returncode == 0
    checked = run("check", "demo", "--strict", "--format", "json")
    assert {finding["kind"] for finding in json.loads(checked.stdout)["findings"]} == {"placeholder"}


@pytest.mark.parametrize("starter", STARTERS)
def test_each_starter_is_a_whole_site(run: Run, tmp_path: Path, starter: str) -> None:
    """It builds with its own theme and checks with nothing to mend but what its owner fills in, which is all named."""
    made = run("init", "demo", "--starter", starter)
    assert (made.returncode, made.stderr) == (0, "")
    tour = made.stdout.partition("What to edit first:\n")[2].splitlines()
    named = [line.split()[0] for line in tour if line]
    assert len(named) >= 4
    assert [name for name in named if not (tmp_path / "demo" / name).exists()] == []
    built = run("build", "demo", "--strict", "--base-url", "https://tide.example")
    assert (built.returncode, built.stderr) == (0, "")
    checked = run("check", "demo", "--strict", "--format", "json")
    findings = json.loads(checked.stdout)["findings"]
    assert {finding["kind"] for finding in findings} == {"placeholder"}
    for finding in findings:
        assert finding["file"] in ("site.toml", "content/authors.yaml", "content/pages/_single/about.md")
    settings = load_settings(tmp_path / "demo")
    assert settings.theme.name == {"blog": "default", "landing": "default"}.get(starter, starter)
    files = [path for path in (tmp_path / "demo").rglob("*") if path.is_file() and ".sitecms" not in str(path)]
    assert sum(path.stat().st_size for path in files if "public" not in path.parts) < 60_000


def test_a_starter_without_placeholders_is_clean(run: Run, tmp_path: Path) -> None:
    """Once name, description, author and their texts are one's own, a strict check finds nothing."""
    run(
        "init",
        "demo",
        "--starter",
        "magazine",
        "--name",
        "Tide",
        "--author",
        "Ann Ray",
        "--url",
        "https://tide.example",
    )
    for name, old, new in (
        ("site.toml", "Stories from a small harbour.", "Stories from Varholm."),
        ("content/authors.yaml", "Say who you are in a sentence or two. It stands below each of your posts.", "Sails."),
        ("content/pages/_single/about.md", "Replace it with a few sentences about yourself.", ""),
    ):
        path = tmp_path / "demo" / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
    checked = run("check", "demo", "--strict")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "0 errors, 0 warnings" in checked.stdout


def test_an_unknown_starter_is_wrong_usage(run: Run, tmp_path: Path) -> None:
    """The message names those that there are, and nothing is made."""
    refused = run("init", "demo", "--starter", "shop")
    assert refused.returncode == 2
    assert "'blog', 'docs', 'portfolio', 'landing', 'magazine'" in refused.stderr
    assert not (tmp_path / "demo").exists()


def test_next_steps_name_the_commands_that_a_newcomer_needs(run: Run, tmp_path: Path) -> None:
    """Preview, new, check, build and serve, each as it can be typed where the person is."""
    shown = run("init", "demo").stdout
    assert all(f"  sitecms {name} demo" in shown for name in ("preview", "new post", "check", "build", "serve"))
    (tmp_path / "here").mkdir()
    shown = run("init", ".", folder=tmp_path / "here").stdout
    assert "  sitecms build    " in shown
    assert run("new", "post", "--title", "My title", folder=tmp_path / "here").returncode == 0


def test_name_author_and_address_can_be_given(run: Run, tmp_path: Path) -> None:
    """They stand in site.toml and authors.yaml whatever signs they hold, and in the built site."""
    name, author = 'Tide "&" <Ebb> \\ é', "Anna Maria O'Ray"
    assert run("init", "demo", "--name", name, "--author", author, "--url", "https://tide.example/").returncode == 0
    settings = load_settings(tmp_path / "demo")
    assert (settings.name, settings.url, settings.owner) == (name, "https://tide.example", "anna-maria-oray")
    built = run("build", "demo", "--strict")
    assert (built.returncode, built.stderr) == (0, "")
    assert (tmp_path / "demo" / "public" / "sitemap.xml").is_file()
    assert "Anna Maria O&#39;Ray" in (tmp_path / "demo/public/authors/anna-maria-oray/index.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("option", "value"), [("--url", "tide.example"), ("--name", " "), ("--name", "a\nb"), ("--author", "x" * 101)]
)
def test_unusable_answers_are_wrong_usage(run: Run, tmp_path: Path, option: str, value: str) -> None:
    """Exit code 2, the option is named, nothing is made."""
    result = run("init", "demo", option, value)
    assert result.returncode == 2
    assert f"Invalid value for '{option}': " in result.stderr
    assert "expected" in result.stderr
    assert not (tmp_path / "demo").exists()


def test_a_terminal_is_asked_for_what_is_not_given(tmp_path: Path) -> None:
    """An answer that cannot be used is asked for again; an empty one takes the default."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "sitecms", "init", "demo", "--author", "Ann Ray"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.write(ours, b"\nnonsense\nhttps://tide.example\n")
        assert process.wait(timeout=60) == 0
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    os.close(theirs)
    assert "Name of the site [My site]:" in shown
    assert 'Error: is "nonsense"; expected an address such as https://tide.example' in shown
    assert "Your name" not in shown
    assert load_settings(tmp_path / "demo").url == "https://tide.example"


def test_a_new_repository_can_become_a_site(run: Run, tmp_path: Path) -> None:
    """Hidden files, README and licence stay; .gitignore gains the lines it needs, and every file kept is named."""
    mine = {"README.md": "# Mine", "LICENSE": "MIT", ".gitignore": "*.swp\npublic/", ".editorconfig": "root = true"}
    for path, text in mine.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    (tmp_path / ".git").mkdir()
    result = run("init", ".")
    assert result.returncode == 0
    assert result.stdout.startswith(
        "Kept your README.md\nAdded to your .gitignore: .sitecms/ .public.sitecms/\nMade a site here"
    )
    assert (tmp_path / ".gitignore").read_text("utf-8") == "*.swp\npublic/\n.sitecms/\n.public.sitecms/\n"
    assert {path: (tmp_path / path).read_text("utf-8") for path in ("README.md", "LICENSE")} == {
        path: mine[path] for path in ("README.md", "LICENSE")
    }
    assert run("build").returncode == 0


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
    assert result.stderr.startswith("Error: notes is not empty: it contains mine.txt.")
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["mine.txt"]


def test_second_init_changes_nothing(run: Run, demo: Path) -> None:
    """An existing site is not overwritten."""
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


def test_new_site_has_something_to_show(run: Run, tmp_path: Path) -> None:
    """Three posts with pictures on the home page, one of them with a gallery, and a page."""
    run("init", "demo")
    assert run("build", "demo").returncode == 0
    public = tmp_path / "demo/public"
    home = (public / "index.html").read_text(encoding="utf-8")
    assert home.count('<article class="story') == home.count('<div class="frame"><img ') == 3
    assert 'class="gallery' in (public / "blog/what-you-can-write/index.html").read_text(encoding="utf-8")
    assert (public / "about/index.html").is_file()
