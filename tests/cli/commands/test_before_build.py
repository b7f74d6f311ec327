"""Commands of the owner before a build: run as written, in the site folder, and only by the owner's own command."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from sitecms.site.before_build import WatchedCommands
from tests.cli.conftest import Run

COPY = "import shutil, sys; shutil.copyfile(*sys.argv[1:]); print('made')"
MADE = "assets/custom.css"


def before(folder: Path, *commands: list[str]) -> None:
    """Set the commands of a site; one is written without a list around it."""
    write_before(folder, json.dumps(commands[0] if len(commands) == 1 else commands))


def write_before(folder: Path, value: str) -> None:
    settings = folder / "site.toml"
    lines = [line for line in settings.read_text(encoding="utf-8").splitlines() if not line.startswith("before = ")]
    lines.insert(lines.index("[build]") + 1, f"before = {value}")
    settings.write_text("\n".join(lines) + "\n", encoding="utf-8")


def copy(source: str = "src/site.css", target: str = MADE) -> list[str]:
    return [sys.executable, "-c", COPY, source, target]


@pytest.fixture
def site(demo: Path) -> Path:
    """A site whose stylesheet a command makes of a file outside of the folders of a site."""
    (demo / "src").mkdir()
    (demo / "src/site.css").write_text("b{color:red}")
    (demo / "assets").mkdir(exist_ok=True)
    before(demo, copy())
    return demo


def tree(root: Path) -> dict[Path, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {path.relative_to(root): path.read_bytes() for path in files}


def stylesheet(folder: Path) -> str:
    (path,) = (folder / "public/assets").glob("custom.*.css")
    return path.read_text(encoding="utf-8")


def test_a_command_runs_before_each_build(site: Path, run: Run) -> None:
    """Its output is shown; what it writes is an input of the build by its content, so incremental equals clean."""
    first = run("build", site)
    assert first.returncode == 0
    assert "made" in first.stderr
    assert f"$ {sys.executable} -c" in first.stderr
    assert stylesheet(site) == "b{color:red}"
    again = run("build", site)
    assert "0 written" in again.stdout
    (site / "src/site.css").write_text("b{color:blue}")
    run("build", site)
    assert stylesheet(site) == "b{color:blue}"
    run("build", site, "--output", site.parent / "clean")
    assert tree(site / "public") == tree(site.parent / "clean")


def test_several_commands_run_in_their_order(site: Path, run: Run) -> None:
    """The second has what the first made."""
    before(site, copy(target="src/made.css"), copy("src/made.css"))
    assert run("build", site).returncode == 0
    assert stylesheet(site) == "b{color:red}"


def test_a_command_that_fails_stops_the_build(site: Path, run: Run) -> None:
    """The site that was built before stays, and the last lines say why; no shell reads the words."""
    run("build", site)
    for command, message in (
        ([sys.executable, "-c", "print('line 3 is wrong'); raise SystemExit(4)"], "ended with the code 4:\n  line 3"),
        (["no-such-program", "x"], "`no-such-program x`, a command of [build] before, could not be started"),
        (["echo $HOME > stolen"], "could not be started"),
    ):
        before(site, command, copy())
        result = run("build", site)
        assert (result.returncode, message in result.stderr) == (1, True), result.stderr
        assert "Built" not in result.stdout
    assert not (site / "stolen").exists()
    assert stylesheet(site) == "b{color:red}"


def test_only_build_and_preview_run_commands(site: Path, run: Run) -> None:
    """A folder that somebody else wrote can be loaded and checked, and built with --no-plugins."""
    before(site, [sys.executable, "-c", "open('ran', 'w')"])
    for words in (
        ("load", site),
        ("check", site),
        ("status", site),
        ("build", site, "--no-before"),
        ("build", site, "--no-plugins"),
    ):
        assert run(*words).returncode == 0
    assert not (site / "ran").exists()
    run("build", site)
    assert (site / "ran").exists()


def test_what_is_no_command_is_an_error_with_its_place(site: Path, run: Run) -> None:
    """A line of shell is none."""
    for value in ('"npx"', "[[]]", "[1]", '["a", ["b"]]', '[""]'):
        write_before(site, value)
        result = run("build", site)
        assert (result.returncode, "build.before" in result.stderr) == (3, True), (value, result.stderr)


@pytest.fixture
def watched(tmp_path: Path) -> WatchedCommands:
    """A command that writes another text each time, after its first run."""
    command = [sys.executable, "-c", "open('out', 'a').write('x')"]
    commands = WatchedCommands([command], tmp_path, lambda _text: None)
    commands.run(())
    return commands


def runs(folder: Path) -> int:
    return len((folder / "out").read_text())


def edit(path: Path, text: str) -> Path:
    """Write a file at a time at which no command ran."""
    path.write_text(text)
    shutil.copystat(__file__, path)
    return path


def test_what_a_command_writes_does_not_run_it_again(watched: WatchedCommands, tmp_path: Path) -> None:
    """Even if it writes another text each time. A file that a person edits does, whenever its bytes change."""
    out = tmp_path / "out"
    for _ in range(3):
        watched.run({out})
    assert runs(tmp_path) == 1
    watched.run({edit(tmp_path / "source", "1"), out})
    assert runs(tmp_path) == 2
    watched.run({tmp_path / "source", out})
    assert runs(tmp_path) == 2
    watched.run({edit(tmp_path / "source", "2")})
    assert runs(tmp_path) == 3
    (tmp_path / "source").unlink()
    watched.run({tmp_path / "source", tmp_path / "never-seen"})
    assert runs(tmp_path) == 4


def test_a_file_that_is_saved_while_commands_run_runs_them_again(tmp_path: Path) -> None:
    """Not without end, if a command writes it: three times at most."""
    write = "import os; n = os.path.exists('out') and len(open('out').read()); open('out', 'a').write('x'); "
    write += "n and open('later', 'w').write(str(n))"
    watched = WatchedCommands([[sys.executable, "-c", write]], tmp_path, lambda _text: None)
    watched.run(())
    watched.run({edit(tmp_path / "source", "1")})
    assert runs(tmp_path) == 2
    for _ in range(9):
        watched.run({tmp_path / "later", tmp_path / "out"})
    assert runs(tmp_path) == 4
    watched.run({edit(tmp_path / "later", "typed")})
    assert runs(tmp_path) == 5
