"""The README's tour works word for word: its commands are typed, and print what it shows."""

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"
TOUR = ("## Five minutes", "## Servers")
STAYS_OPEN = ("sitecms serve", "sitecms preview")
CHANGES = {
    "sitecms build demo --explain": ("This post is", "Here, this post is"),
    "sitecms load demo": ("title:", "titel:"),
}
"""What the text asks the reader to change in the first post before these commands."""
ACTIVATE = ". .venv/bin/activate"
FIRST_POST = "demo/content/posts/first-steps.md"
ASKED_AGAIN = "sitecms writes list"
"""A write shows a moment after it was accepted."""
OPTIONAL = "Search is left out"
"""Shown where the extra `search` is not installed."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the tour and the lines that it is shown to print."""

    command: str
    shown: tuple[str, ...]


def steps() -> Iterator[Step]:
    """Read the commands out of the README's console blocks, in order."""
    text = README.read_text(encoding="utf-8")
    tour = text[text.index(TOUR[0]) : text.index(TOUR[1])]
    for block in re.findall(r"```console\n(.*?)```", tour, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.replace("\\\n", " ").partition("\n")
            if command != ACTIVATE:
                yield Step(" ".join(command.split()), tuple(shown.splitlines()))


def pattern(shown: tuple[str, ...]) -> str:
    """Turn shown lines into a regular expression: numbers, tokens and spaces are any, an ellipsis is any text."""
    lines = []
    for line in shown:
        if line == "…":
            lines.append(r"(?:.*\n)*?")
            continue
        masked = re.sub(r"whsec_\S+|\b[0-9a-f]{40}\b", "\x01", line)
        masked = re.sub(r"\d+(?:\.\d+)?", "\x02", masked)
        found = re.escape(masked).replace("\x01", r"\S+").replace("\x02", r"\d+(?:\.\d+)?").replace("…", ".*")
        found = re.sub(r"(?:\\ )+", r"\\s*", found)
        lines.append(f"(?:{found}\n)?" if line.startswith(OPTIONAL) else f"{found}\n")
    return "".join(lines)


class Terminal:
    """Shell in a folder of its own, in which `sitecms` is installed; `serve` listens on a free port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._token = ""
        self._open: list[subprocess.Popen[str]] = []
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self._environment = {**os.environ, "PATH": path, "BROWSER": "true", "COLUMNS": "200"}

    def run(self, step: Step) -> str:
        """Run the command and return what it printed; for one that stays open, as many lines as are shown."""
        command = step.command.replace("127.0.0.1:8000", f"127.0.0.1:{self._port}")
        command = re.sub(r"Token [0-9a-f]{40}", f"Token {self._token}", command)
        if command.startswith(STAYS_OPEN):
            option = f" --port {self._port}" if command.startswith("sitecms serve") else ""
            return self._start(command + option, len(step.shown)).replace(f":{self._port}", ":8000")
        errors = subprocess.DEVNULL if command.startswith("curl") else subprocess.STDOUT  # its progress meter
        done = subprocess.run(
            ["bash", "-c", command], cwd=self._folder, env=self._environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=errors, text=True, timeout=120, check=False,
        )  # fmt: skip
        if command.startswith("sitecms token create"):
            self._token = done.stdout.strip()
        return done.stdout if done.stdout.endswith("\n") else done.stdout + "\n"

    def _start(self, command: str, lines: int) -> str:
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command}"], cwd=self._folder, env=self._environment, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self._open.append(process)
        assert process.stdout is not None
        killer = threading.Timer(120, process.kill)
        killer.start()
        printed = "".join(process.stdout.readline() for _ in range(lines))
        killer.cancel()
        return printed

    def close(self) -> None:
        """End the commands that stay open."""
        for process in self._open:
            process.terminate()
        for process in self._open:
            process.communicate(timeout=60)


@pytest.mark.slow
def test_the_tour_of_the_readme_works_word_for_word(tmp_path: Path) -> None:
    """Every command runs in a fresh shell in the order it stands in, and prints what is shown below it."""
    terminal = Terminal(tmp_path)
    all_steps = list(steps())
    assert len(all_steps) >= 14
    deadline = time.monotonic() + 120
    try:
        for step in all_steps:
            with changed(tmp_path / FIRST_POST, CHANGES.get(step.command)):
                printed = terminal.run(step)
            while step.command.startswith(ASKED_AGAIN) and "accepted" in printed and time.monotonic() < deadline:
                printed = terminal.run(step)
            assert not step.shown or re.fullmatch(pattern(step.shown), printed), (step, printed)
    finally:
        terminal.close()


@contextmanager
def changed(post: Path, change: tuple[str, str] | None) -> Iterator[None]:
    """Make the change in the post that the text asks for, and take it back afterwards."""
    if change is None:
        yield
        return
    original = post.read_text(encoding="utf-8")
    post.write_text(original.replace(*change, 1), encoding="utf-8")
    yield
    post.write_text(original, encoding="utf-8")
