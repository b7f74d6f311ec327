"""Commands and files that a text shows, run and written in a folder as a reader would."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.commands import CommandServer, Running
from tests.support.ports import free_port

STAYS_OPEN = ("sitecms serve", "sitecms preview", "sitecms manual")
ENDS = ("--output", "--help")
OPTIONAL = "Search is left out"
"""Shown where the extra `search` is not installed."""
WAIT_SECONDS = 60
_FENCE = re.compile(r"^(`{3,4})(\S+)([^\n]*)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r"title=\"([^\"]*)\"")
_SHELL = re.compile(r"[|<>&;$*\"'\\]|^\w+=")
_TOKEN = re.compile(r"\b[0-9a-f]{40}\b")
_TABLE = re.compile(r"^\[\[?([^\]]+)\]\]?\s*$")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code in a text: its language, the file it belongs to ("" for none), and its text."""

    language: str
    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """One command and the lines that it is shown to print."""

    command: str
    shown: tuple[str, ...]


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of code of a Markdown text, in order."""
    for match in _FENCE.finditer(text):
        title = _TITLE.search(match[3])
        yield Block(match[2], title[1] if title else "", match[4])


def steps(text: str) -> Iterator[Step]:
    """Yield the commands of a console block: each begins with `$ ` and may go on after a backslash."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.replace("\\\n", " ").partition("\n")
        yield Step(" ".join(command.split()) if "\n" not in command else command, tuple(shown.splitlines()))


def pattern(shown: tuple[str, ...]) -> str:
    """Turn shown lines into a regular expression: numbers, tokens and spaces are any, an ellipsis is any text.

    A line that is a number alone, as `grep -c` prints it, is that number.
    """
    lines = []
    for line in shown:
        if line == "…":
            lines.append(r"(?:.*\n)*?")
            continue
        if line.isdecimal():
            lines.append(f"{line}\n")
            continue
        masked = re.sub(r"whsec_\S+|\b[0-9a-f]{40}\b", "\x01", line)
        masked = re.sub(r"\d+(?:\.\d+)?", "\x02", masked)
        found = re.escape(masked).replace("\x01", r"\S+").replace("\x02", r"\d+(?:\.\d+)?").replace("…", ".*")
        found = re.sub(r"(?:\\ )+", r"\\s*", found)
        lines.append(f"(?:{found}\n)?" if line.startswith(OPTIONAL) else f"{found}\n")
    return "".join(lines)


class Console:
    """Shell in a folder, in which `sitecms` is installed; `serve` listens on a free port instead of 8000.

    `replaced` are texts of commands that stand for others, such as the address of a server.
    """

    def __init__(self, folder: Path, commands: CommandServer, replaced: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.replaced = replaced or {}
        self._commands = commands
        self._token = ""
        self._open: list[Running] = []
        self.port = free_port()
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self._variables = {"PATH": path, "BROWSER": "true", "COLUMNS": "200"}

    def run(self, step: Step) -> str:
        """Run the command and return what it printed; for one that stays open, as many lines as are shown."""
        command = step.command.replace("127.0.0.1:8000", f"127.0.0.1:{self.port}")
        for text, other in self.replaced.items():
            command = command.replace(text, other)
        command = _TOKEN.sub(self._token or "none", command)
        if command.startswith("export "):
            name = command.removeprefix("export ").partition("=")[0]
            self._variables[name] = self._bash(f'{command}; printf %s "${name}"')
            return ""
        if command.startswith(STAYS_OPEN) and not any(word in command for word in ENDS):
            port = f" --port {self.port}" if command.startswith("sitecms serve") else ""
            return self._start(shlex.split(command + port), len(step.shown)).replace(f":{self.port}", ":8000")
        printed = self._sitecms(command) if self._is_plain(command) else self._bash(command)
        if command.startswith("sitecms token create"):
            self._token = printed.strip()
        return printed if printed.endswith("\n") or not printed else printed + "\n"

    def write(self, file: str, text: str) -> None:
        """Write a file of the folder; what is shown of a site.toml is added to the one that is there."""
        target = self.folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.name == "site.toml" and target.exists():
            text = merged_toml(target.read_text(encoding="utf-8"), text)
        target.write_text(text.replace(":8000", f":{self.port}"), encoding="utf-8")

    def close(self) -> None:
        """End the commands that stay open."""
        for running in self._open:
            running.terminate()
        for running in self._open:
            running.communicate(WAIT_SECONDS)

    def _is_plain(self, command: str) -> bool:
        return command.startswith("sitecms ") and not _SHELL.search(command)

    def _sitecms(self, command: str) -> str:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as out:  # one file keeps the order of output and errors
            words = shlex.split(command)[1:]
            running = self._commands.start(
                *words, folder=self.folder, variables=self._variables, stdout=out, stderr=out
            )
            self.code = running.wait(WAIT_SECONDS)
            out.seek(0)
            return out.read()

    def _bash(self, command: str) -> str:
        errors = subprocess.DEVNULL if "curl" in command else subprocess.STDOUT  # its progress meter
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env={**os.environ, **self._variables},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True, timeout=120, check=False,
        )  # fmt: skip
        self.code = done.returncode
        return done.stdout

    def _start(self, words: list[str], lines: int) -> str:
        running = self._commands.start(*words[1:], folder=self.folder, variables=self._variables)
        self._open.append(running)
        self.code = 0
        return "".join(running.stdout.readline() for _ in range(max(1, lines)))


def run_again_until(console: Console, step: Step, is_done: "re.Pattern[str]") -> str:
    """Repeat a command whose answer changes a moment later, such as the list of writes."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_done.fullmatch(printed := console.run(step)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return printed


def merged_toml(old: str, new: str) -> str:
    """Return the settings with those of a snippet: keys of the snippet take the place of the same keys.

    A snippet that names a theme takes the place of the options, which belong to the theme before.
    """
    parts, added = _tables(old), _tables(new)
    if any(line.startswith("name =") for line in added.get("theme", [])):
        parts.pop("theme.options", None)
    for name, lines in added.items():
        keys = {line.partition("=")[0].strip() for line in lines if "=" in line}
        kept = [line for line in parts.get(name, []) if line.partition("=")[0].strip() not in keys]
        parts[name] = kept + lines
    text = "\n".join("\n".join([*([f"[{name}]"] if name else []), *lines]) for name, lines in parts.items()) + "\n"
    tomllib.loads(text)
    return text


def _tables(text: str) -> dict[str, list[str]]:
    """Return the lines of each table by its name; those before the first table by ""."""
    parts: dict[str, list[str]] = {"": []}
    current = ""
    for line in text.splitlines():
        if match := _TABLE.match(line):
            current = match[1]
            parts.setdefault(current, [])
        else:
            parts[current].append(line)
    return parts
