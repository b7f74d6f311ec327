"""The program Git: run in a folder without a shell, a prompt or a terminal, and limited in time.

Nothing that a repository names is run: neither hooks nor the programs of filters, merges and the file system monitor,
and submodules are not touched. Git itself refuses a repository of another user of the machine (`safe.directory`), and
that is left to it. Errors have one line of what Git wrote, without passwords and control characters.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from msgspec import Struct, field

from sitecms.errors import GitFailed
from sitecms.program_guard import SIGNAL_BASE
from sitecms.programs import Program, end_of

LOCAL_SECONDS = 60.0
STOP_SECONDS = 3.0
"""Seconds in which Git may remove its locks when its time is up."""
_OF_NETWORK = frozenset({"fetch", "push"})
_LOCKED = ".lock': File exists"
_LOCK_PAUSES = (0.1, 0.4)
_ERROR_BYTES = 8_000
_LONGEST_LINE = 300
_PROTOCOLS = "file:git:http:https:ssh"
_INHERITED = re.compile(r"GIT_(ASKPASS|SSH(_COMMAND|_VARIANT)?|SSL_\w+|PROXY_\w+|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM))")
"""Variables of Git that an owner sets for all repositories; others belong to one, as those that its hooks have."""
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "SSH_ASKPASS_REQUIRE": "never",
}
_CONFIGURATION = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "fetch.recurseSubmodules": "false",
    "i18n.commitEncoding": "UTF-8",
    "i18n.logOutputEncoding": "UTF-8",
    "log.showSignature": "false",
    "push.recurseSubmodules": "no",
    "submodule.recurse": "false",
}
_DRIVERS = r"^(filter|merge)\..*\.(clean|smudge|process|required|driver)$"
_NO_DRIVER = {"clean": "", "smudge": "", "process": "", "required": "false", "driver": "false"}
"""Values that turn a driver off; the program `false` as a merge driver reports a conflict."""
_CREDENTIALS = re.compile(r"(?<=://)\S*@")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_REASON = re.compile(r"^(?:fatal|error): (.+)$|^ *! (.+)$", re.MULTILINE)
_Files = tuple[IO[bytes], IO[bytes], IO[bytes]]


class Git(Struct, frozen=True):
    """Git in a folder. `drivers` are options that turn off the drivers which its configuration names.

    A fetch writes no file of more than `max_file_bytes`; 0: of any size.
    """

    folder: Path
    drivers: Mapping[str, str] = field(default_factory=dict)
    max_file_bytes: int = 0

    def run(
        self,
        *arguments: str,
        data: bytes = b"",
        environment: Mapping[str, str] | None = None,
        seconds: float = LOCAL_SECONDS,
        answers: Collection[int] = (0,),
    ) -> bytes:
        """Return the output of a command that reads `data`. Raises GitFailed for exit codes not in `answers`.

        Another Git, as of an editor, may hold a lock for a moment.
        """
        for pause in _LOCK_PAUSES:
            try:
                return self._run(arguments, data, environment or {}, seconds, answers)
            except GitFailed as error:
                if _LOCKED not in str(error):
                    raise
            time.sleep(pause)
        return self._run(arguments, data, environment or {}, seconds, answers)

    def _run(
        self,
        arguments: Sequence[str],
        data: bytes,
        environment: Mapping[str, str],
        seconds: float,
        answers: Collection[int],
    ) -> bytes:
        program = shutil.which("git")
        if program is None:
            raise GitFailed("git is not installed")
        command = [program, "-C", str(self.folder), "--no-pager", *arguments]
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            given.write(data)
            given.seek(0)
            start = self._start_with_guard if arguments[0] in _OF_NETWORK else _start
            exit_code = start(command, (given, output, errors), self._environment(environment), seconds)
            if exit_code is None:
                raise GitFailed(f"git {arguments[0]} did not end within {seconds:.0f} s")
            if exit_code not in answers:
                raise GitFailed(readable(end_of(errors, _ERROR_BYTES)) or f"git {arguments[0]} failed", exit_code)
            output.seek(0)
            return output.read()

    def _start_with_guard(
        self, command: Sequence[str], files: _Files, environment: Mapping[str, str], seconds: float
    ) -> int | None:
        """Run a command that waits for a remote, which ends with sitecms, however that ends."""
        with Program(command, files=files, env=environment, max_file_bytes=self.max_file_bytes) as git:
            exit_code = git.wait(seconds)
            if exit_code is None:
                git.terminate()
                git.wait(STOP_SECONDS)
            return exit_code

    def text(self, *arguments: str) -> str:
        """Return the output of a command as text without the final line end. Raises GitFailed."""
        return os.fsdecode(self.run(*arguments)).removesuffix("\n")

    def find(self, *arguments: str) -> str:
        """Return the same, "" where the command answers with exit code 1 that there is none. Raises GitFailed."""
        return os.fsdecode(self.run(*arguments, answers=(0, 1))).removesuffix("\n")

    def is_so(self, *arguments: str) -> bool:
        """Return whether a command answers yes (exit code 0), not no (1). Raises GitFailed."""
        try:
            self.run(*arguments)
        except GitFailed as error:
            if error.exit_code != 1:
                raise
            return False
        return True

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIT_") or _INHERITED.fullmatch(name)
        }
        options = {**_CONFIGURATION, **self.drivers}
        configured = {"GIT_CONFIG_COUNT": str(len(options))}
        for number, (key, value) in enumerate(options.items()):
            configured |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return {**inherited, **_ENVIRONMENT, **configured, **more}


def git_in(folder: Path) -> Git:
    """Return Git in a folder, with the drivers that its configuration names turned off. Raises GitFailed."""
    git = Git(folder)
    keys = git.run("config", "--name-only", "-z", "--get-regexp", _DRIVERS, answers=(0, 1))
    return Git(folder, {key: _NO_DRIVER[key.rpartition(".")[2]] for key in split(keys)})


def readable(output: str) -> str:
    """Return the reason in an output of Git as one line, without control characters and passwords in addresses."""
    reason = _REASON.search(output)
    line = next(filter(None, reason.groups()), "") if reason else output.strip().partition("\n")[0]
    return _CREDENTIALS.sub("***@", _CONTROLS.sub(" ", line)).strip()[:_LONGEST_LINE]


def split(output: bytes) -> list[str]:
    """Return the parts of an output that ends each part with NUL, as names of files."""
    return [os.fsdecode(part) for part in output.split(b"\0") if part]


def _start(command: Sequence[str], files: _Files, environment: Mapping[str, str], seconds: float) -> int | None:
    """Run a command of this machine, and return its exit code, None if its time was up.

    It has no guard: where sitecms is killed, it goes on for the moment that it needs, and leaves no lock.
    """
    with subprocess.Popen(
        command, stdin=files[0], stdout=files[1], stderr=files[2], env=environment, start_new_session=True
    ) as git:
        with suppress(subprocess.TimeoutExpired):
            code = git.wait(seconds)
            return code if code >= 0 else SIGNAL_BASE - code
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
                os.killpg(git.pid, number)
                git.wait(STOP_SECONDS)
    return None
