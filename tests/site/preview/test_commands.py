"""Commands of the owner in a preview: at its start, and again when a file changes that they may read."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from sitecms.site.before_build import WatchedCommands
from tests.site.preview.conftest import Previewed
from tests.support.waiting import until

Start = Callable[..., Previewed]
COMMAND = """
import pathlib
text = pathlib.Path("src/site.css").read_text()
assert "wrong" not in text, "line 7 is wrong"
runs = pathlib.Path(".runs")
runs.write_text(runs.read_text() + "x" if runs.exists() else "x")
pathlib.Path("assets").mkdir(exist_ok=True)
pathlib.Path("assets/custom.css").write_text(f"{text}i{{order:{len(runs.read_text())}}}")
"""


def stylesheet(running: Previewed) -> str:
    home = running.get("/").text
    address = home.partition("/assets/custom.")[2].partition('"')[0]
    return running.get(f"/assets/custom.{address}").text if address else ""


def runs(site: Path) -> int:
    path = site / ".runs"
    return len(path.read_text()) if path.exists() else 0


def write(path: Path, text: str) -> None:
    """Replace a file in one step: a preview that sees half of it would run the commands once more."""
    other = path.with_name(f".{path.name}.new")
    other.write_text(text)
    other.replace(path)


def prepare(site: Path) -> None:
    (site / "src").mkdir()
    (site / "src/site.css").write_text("b{color:red}")
    settings = site / "site.toml"
    settings.write_text(f"{settings.read_text()}[build]\nbefore = {json.dumps([sys.executable, '-c', COMMAND])}\n")


def test_commands_run_when_their_sources_change(preview: Start, site: Path) -> None:
    """What they write is shown, and does not run them again, though they write another text each time."""
    prepare(site)
    running = preview()
    assert until(lambda: "color:red" in stylesheet(running))
    assert until(lambda: "order:1}" in stylesheet(running))
    state = running.changed(lambda: write(site / "src/site.css", "b{color:blue}"))
    assert until(lambda: "color:blue" in stylesheet(running))
    assert until(lambda: "order:2}" in stylesheet(running))
    assert state["problems"] == []
    write(site / "content/posts/fog.md", (site / "content/posts/fog.md").read_text() + "Denser.\n")
    assert running.shows("/blog/fog/", "Denser.")
    assert until(lambda: "order:3}" in stylesheet(running))
    write(site / "content/posts/fog.md", (site / "content/posts/fog.md").read_text() + "Thinner.\n")
    assert running.shows("/blog/fog/", "Thinner.")
    assert until(lambda: "order:4}" in stylesheet(running))
    assert runs(site) == 4  # three changes and the start: none for what the commands wrote


def test_the_error_of_a_command_is_shown_on_the_page(preview: Start, site: Path) -> None:
    """The pages stay; after the next change of its source it runs again."""
    prepare(site)
    running = preview()
    assert until(lambda: "color:red" in stylesheet(running))
    write(site / "src/site.css", "wrong")
    assert until(lambda: any("line 7 is wrong" in str(problem) for problem in running.state()["problems"]))
    assert "color:red" in stylesheet(running)
    write(site / "src/site.css", "b{color:green}")
    assert until(lambda: "color:green" in stylesheet(running))
    assert running.state()["problems"] == []


def test_a_preview_without_commands_runs_none(preview: Start, site: Path) -> None:
    """With --no-before, as in a folder that somebody else wrote; commands that are added later wait for a new start."""
    prepare(site)
    running = preview("--no-before")
    assert running.shows("/blog/fog/", "White.")
    running.stop()
    assert runs(site) == 0


def test_a_file_with_the_same_bytes_is_not_changed(tmp_path: Path) -> None:
    """Commands run once for a change, however often the file is written again or announced."""
    source = tmp_path / "site.css"
    ran: list[str] = []
    commands = WatchedCommands([[sys.executable, "-c", ""]], tmp_path, ran.append)
    for text, expected in (("b", 1), ("i", 2), ("i", 2), ("b", 3)):
        source.write_text(text)
        os.utime(source, (1, 1))  # far from all runs, whatever the clock of the file system
        commands.run([source] if ran else ())
        assert len(ran) == expected
