"""`sitecms` forked from a process that has imported everything: as separate as a new process, in a tenth of its time.

`CommandServer` belongs to the tests' process and runs this file as the process that forks.
"""

import gc
import importlib
import json
import logging
import os
import pkgutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import wait as readable
from pathlib import Path
from typing import IO, Any, NoReturn

from tests.support.waiting import PATIENCE_SECONDS

NEW_INTERPRETER = ("PYTHON", "LD_", "LC_", "LANG", "TZ", "FAKETIME")
"""Beginnings of the variables that count when a process starts: where they differ, a command is not forked."""
_LAZY = ("PIL.Image", "babel.dates", "linkify_it", "markdown_it", "mdit_py_plugins", "pagefind_bin")
_NUMBER = struct.Struct("!i")
_Completed = subprocess.CompletedProcess[str]


class Output:
    """What a command writes into a pipe; who reads it waits, but not forever."""

    def __init__(self, handle: int) -> None:
        self._handle: int | None = handle
        self._data = b""

    def readline(self) -> str:
        """Return the next line, "" at the end."""
        while b"\n" not in self._data and self._has_more():
            pass
        line, end, self._data = self._data.partition(b"\n")
        return (line + end).decode()

    def read(self) -> str:
        """Return the rest, and close the pipe."""
        while self._has_more():
            pass
        text, self._data = self._data.decode(), b""
        return text

    def _has_more(self) -> bool:
        """Read on; return False at the end."""
        if self._handle is None:
            return False
        if not readable([self._handle], PATIENCE_SECONDS):
            raise TimeoutError("The command, or one that it started, neither writes nor ends.")
        part = os.read(self._handle, 65536)
        self._data += part
        if not part:
            os.close(self._handle)
            self._handle = None
        return bool(part)


class Running:
    """A forked command, with the attributes and methods of `subprocess.Popen`."""

    def __init__(self, connection: socket.socket, stdout: Output | None, errors: IO[str] | None) -> None:
        self._connection = connection
        self._stdout = stdout
        self._errors = errors
        self.pid = self._number()
        self.returncode: int | None = None

    @property
    def stdout(self) -> Output:
        """What it writes, unless that goes into a file."""
        assert self._stdout is not None
        return self._stdout

    def _number(self) -> int:
        return int(_NUMBER.unpack(self._connection.recv(_NUMBER.size, socket.MSG_WAITALL))[0])

    def wait(self, timeout: float) -> int:
        """Return the exit code as subprocess has it, negative after a signal."""
        if self.returncode is None:
            if not readable([self._connection], timeout):
                raise subprocess.TimeoutExpired("sitecms", timeout)
            self.returncode = self._number()
            self._connection.close()
        return self.returncode

    def communicate(self, timeout: float) -> tuple[str, str]:
        """Wait; return what the command has written that was not read, and its errors if nobody else takes them."""
        self.wait(timeout)
        text = self._stdout.read() if self._stdout else ""
        errors = ""
        if self._errors is not None and not self._errors.closed:
            with self._errors:
                self._errors.seek(0)
                errors = self._errors.read()
        return text, errors

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it, unless the command has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask the command to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the command."""
        self.send_signal(signal.SIGKILL)


class CommandServer:
    """The process that forks commands, until `close`; with these variables beside those of this process."""

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        self._variables = variables or {}
        self._control, theirs = socket.socketpair()
        self._lock = threading.Lock()
        environment = self._environment()
        self._starting = _starting(environment)
        with theirs:
            command = [sys.executable, __file__, str(theirs.fileno())]
            nothing = subprocess.DEVNULL
            self._process = subprocess.Popen(
                command, env=environment, pass_fds=(theirs.fileno(),), stdin=nothing, stdout=nothing
            )

    def run(
        self, *words: str | Path, folder: Path | None = None, variables: Mapping[str, str] | None = None
    ) -> _Completed:
        """Run `sitecms` with these words in the folder, with the variables beside those of this process."""
        environment = self._environment(variables)
        if _starting(environment) != self._starting:
            command = [sys.executable, "-m", "sitecms", *map(str, words)]
            return subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS
            )
        with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
            running = self.start(*words, folder=folder, variables=variables, stdout=out)
            try:
                code = running.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                running.kill()
                raise
            finally:
                running.wait(PATIENCE_SECONDS)
            _nothing, errors = running.communicate(PATIENCE_SECONDS)
            out.seek(0)
            return subprocess.CompletedProcess(words, code, out.read(), errors)

    def start(
        self,
        *words: str | Path,
        folder: Path | None = None,
        variables: Mapping[str, str] | None = None,
        stdout: IO[Any] | None = None,
        stderr: IO[Any] | None = None,
    ) -> Running:
        """Start `sitecms`; it writes into these files, by default into a pipe to `stdout` and a temporary file."""
        environment = self._environment(variables)
        assert _starting(environment) == self._starting
        cwd = (folder or Path.cwd()).resolve()
        request = {"words": [*map(str, words)], "folder": str(cwd), "environment": environment}
        errors = None if stderr else tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - closed later
        target = stderr or errors
        assert target is not None
        reading, writing = (None, stdout.fileno()) if stdout else os.pipe()
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            socket.send_fds(self._control, [b"x"], [theirs.fileno(), writing, target.fileno()])
        ours.sendall(json.dumps(request).encode() + b"\n")
        if reading is None:
            return Running(ours, None, errors)
        os.close(writing)
        return Running(ours, Output(reading), errors)

    def _environment(self, variables: Mapping[str, str] | None = None) -> dict[str, str]:
        return {**os.environ, **self._variables, **(variables or {})}

    def close(self) -> None:
        """End the process."""
        self._control.close()
        self._process.wait(PATIENCE_SECONDS)


def _starting(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables that count when a process starts."""
    return {name: value for name, value in environment.items() if name.startswith(NEW_INTERPRETER)}


def _serve(control: socket.socket) -> None:
    """Fork a process for each command that is asked for and return in it; end when nobody can ask any more."""
    while True:
        message, received, _flags, _address = socket.recv_fds(control, 1, 3)
        if not message:
            sys.exit()
        with suppress(ChildProcessError):  # none is left
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if os.fork() == 0:
            control.close()
            return _attend(*received)
        for handle in received:
            os.close(handle)


def _attend(connection: int, out: int, error: int) -> None:
    """Take the request, fork the command, and report its id and exit code; return in the process of the command."""
    with socket.socket(fileno=connection) as asking, asking.makefile() as lines:
        request = json.loads(lines.readline())
        command = os.fork()
        if command:
            os.close(out)
            os.close(error)
            with suppress(BrokenPipeError):
                asking.sendall(_NUMBER.pack(command))
                asking.sendall(_NUMBER.pack(os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])))
            os._exit(0)
    for handle, number in ((out, 1), (error, 2)):
        os.dup2(handle, number)
        os.close(handle)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["sitecms", *request["words"]]


def _run() -> NoReturn:
    """Run the command, and end without taking the modules apart, which takes longer than most commands."""
    from sitecms.cli.main import main

    code: object = 1
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join()
    gc.collect()  # closes what the command left open: databases, files
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


def _import_everything() -> None:
    """Import all modules of the package, and libraries that they import when they need them."""
    import sitecms

    found = [module.name for module in pkgutil.walk_packages(sitecms.__path__, "sitecms.")]
    for name in (*found, *_LAZY):
        if not name.endswith("__main__"):
            with suppress(ImportError):  # of a library that is not installed
                importlib.import_module(name)
    gc.collect()
    gc.freeze()
    assert threading.active_count() == 1


if __name__ == "__main__":
    if not sys.flags.safe_path:
        sys.path.pop(0)  # the folder of this file, which is no place of modules
    _import_everything()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    _run()
