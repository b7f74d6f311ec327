"""Programs that sitecms starts, such as Pagefind: all of them by `start_program` or `run_program`.

A program has a limit of time, ends with the process that started it however that ends (`program_guard`), together with
all processes that it started itself. What it writes belongs into a folder of `temporary_folders`.
Processes that are forked without another program, which share the memory of their parent, call `end_with_parent`.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from msgspec import Struct

_GUARD = Path(__file__).with_name("program_guard.py")
_PARENT_POLL_SECONDS = 0.5
_MAX_OUTPUT_BYTES = 64 * 1024
NOT_STARTED = 127
"""Exit code of a program that could not be started, as in shells."""


class Program:
    """A running program; context manager that ends it. `command` is not interpreted by a shell.

    `max_file_bytes` is the size of the largest file that it may write, 0 for any.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        files: tuple[int | IO[bytes], int | IO[bytes], int | IO[bytes]],
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        pass_fds: Sequence[int] = (),
        max_file_bytes: int = 0,
    ) -> None:
        watched, self._pipe = os.pipe()
        try:
            self._guard = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_GUARD), str(watched), str(max_file_bytes), *command],
                stdin=files[0],
                stdout=files[1],
                stderr=files[2],
                env=env,
                cwd=cwd,
                pass_fds=(watched, *pass_fds),
                start_new_session=True,  # a Ctrl-C in the terminal is for this process, which then ends the program
            )
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(watched)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def exit_code(self) -> int | None:
        """Return the exit code, 128 and more if a signal ended the program; None while it runs."""
        return self._guard.poll()

    def wait(self, seconds: float) -> int | None:
        """Wait for its end at most that long, and return the exit code; None if it still runs."""
        with suppress(subprocess.TimeoutExpired):
            return self._guard.wait(seconds)
        return None

    def terminate(self) -> None:
        """Ask the program, and all that it started, to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the program, and all that it started."""
        if self._pipe >= 0:
            self._signal(signal.SIGKILL)
            self._guard.wait()
            os.close(self._pipe)
            self._pipe = -1

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):  # all have ended; macOS refuses signals to such a group
            os.killpg(self._guard.pid, number)


class Ended(Struct, frozen=True):
    """How a program ended: its exit code, None if its time was up; and the end of its output."""

    exit_code: int | None
    output: str


def run_program(command: Sequence[str], seconds: float, cwd: Path | None = None) -> Ended:
    """Run a program without input for at most that long, in a folder. Raises OSError if no process can be started."""
    with tempfile.TemporaryFile() as output:
        files = (subprocess.DEVNULL, output, output)
        with Program(command, files=files, cwd=cwd) as program:
            exit_code = program.wait(seconds)
        return Ended(exit_code, end_of(output, _MAX_OUTPUT_BYTES))


def end_of(file: IO[bytes], max_bytes: int) -> str:
    """Return the end of a file as text."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - max_bytes))
    return file.read().decode("utf-8", "replace")


def when_orphaned(parent_pid: int, act: Callable[[], object]) -> None:
    """Call `act` in a thread within a second of the parent's end.

    An orphan's parent has another id; asking for that id works on every Unix.
    """

    def watch() -> None:
        while os.getppid() == parent_pid:
            time.sleep(_PARENT_POLL_SECONDS)
        act()

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()


def end_with_parent(parent_pid: int) -> None:
    """End this forked process within a second of its parent's end."""
    when_orphaned(parent_pid, lambda: os._exit(1))


def limit_time(seconds: float) -> None:
    """Let the kernel end this forked process after that time, whatever it does; 0 removes the limit."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
