"""The commands of `[build] before`: programs of the owner that make files of the site before a build, as stylesheets.

They run as they are written, without a shell, in the site folder, and only where the owner builds or previews the site
by a command: not for a check, a load, or a page that the studio shows.
"""

import os
import shlex
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from sitecms.content.fingerprint import digest
from sitecms.documents.folders import NODE_PACKAGES
from sitecms.errors import ProgramFailed
from sitecms.programs import NOT_STARTED, run_program

_SECONDS = 600.0
_LAST_LINES = 20
_CLOCK_SLACK_NS = 50_000_000
"""File systems take the time of a change from a clock that may be a little behind."""
_MOST_CHANGES_IN_RUNS = 3
"""A file that changed in as many runs, and never beside them, is one that a command writes."""

Command = Sequence[str]
Show = Callable[[str], object]


def run_commands(commands: Sequence[Command], folder: Path, show: Show) -> None:
    """Run the commands one after the other, and show each with its output. Raises ProgramFailed if one fails."""
    for command in commands:
        words = shlex.join(command)
        show(f"$ {words}")
        ended = run_program(command, _SECONDS, cwd=folder)
        output = ended.output.strip()
        if ended.exit_code == 0:
            if output:
                show(output)
            continue
        lines = "".join(f"\n  {line}" for line in output.splitlines()[-_LAST_LINES:])
        reason = f"{_reason(ended.exit_code)}{':' if lines else '.'}{lines}"
        raise ProgramFailed(f"`{words}`, a command of [build] before, {reason}")


def _reason(exit_code: int | None) -> str:
    if exit_code is None:
        return f"did not end within {_SECONDS / 60:.0f} minutes; leave out an option such as --watch"
    if exit_code == NOT_STARTED:
        return "could not be started; install the program, or correct its name"
    return f"ended with the code {exit_code}"


class WatchedCommands:
    """The commands of a preview, which run again when a file changes that they may read.

    Nobody says which files they write. Those that change while they run for the first time are taken for such; others
    that change while they run may be the work of a person who goes on typing, so they run again, but not without end.
    """

    def __init__(self, commands: Sequence[Command], folder: Path, show: Show) -> None:
        self._commands = commands
        self._folder = folder
        self._show = show
        self._runs: list[tuple[int, int]] = []
        self._digests: dict[Path, str] = {}
        self._changes_in_runs: dict[Path, int] = {}

    @property
    def has_any(self) -> bool:
        """True if there are commands."""
        return bool(self._commands)

    def run(self, changed: Collection[Path]) -> None:
        """Run the commands if these files concern them, none standing for anything. Raises ProgramFailed."""
        concerned = [path for path in changed if self._is_edited(path)]
        if not self._commands or (changed and not concerned):
            return
        started_ns = time.time_ns() - _CLOCK_SLACK_NS
        try:
            run_commands(self._commands, self._folder, self._show)
        finally:
            self._runs.append((started_ns, time.time_ns()))
            if len(self._runs) == 1:
                self._changes_in_runs = dict.fromkeys(self._written_first(), _MOST_CHANGES_IN_RUNS)

    def _written_first(self) -> Iterator[Path]:
        """Yield the files and folders that changed in the first run."""
        for folder, inner, names in os.walk(self._folder):
            inner[:] = [name for name in inner if not name.startswith(".") and name != NODE_PACKAGES]
            for path in (Path(folder), *(Path(folder, name) for name in names)):
                with suppress(OSError):
                    if self._run_of(path.stat().st_mtime_ns):
                        yield path

    def _run_of(self, changed_ns: int) -> tuple[int, int] | None:
        """Return the beginning and end of the run in which a file changed, None if it changed beside them."""
        return next(((start, end) for start, end in self._runs if start <= changed_ns <= end), None)

    def _is_edited(self, path: Path) -> bool:
        """Return whether a person may have changed the file; one with the same bytes as before is not changed."""
        count = self._changes_in_runs.get(path, 0)
        try:
            changed_ns, now = path.stat().st_mtime_ns, digest(path.read_bytes()) if path.is_file() else ""
        except OSError:  # it was deleted
            return self._digests.pop(path, None) is not None and count < _MOST_CHANGES_IN_RUNS
        if self._digests.get(path) == now:
            return False
        self._digests[path] = now
        count = count + 1 if self._run_of(changed_ns) else 0
        self._changes_in_runs[path] = count
        return count < _MOST_CHANGES_IN_RUNS
