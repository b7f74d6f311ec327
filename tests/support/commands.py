"""`sitecms` forked from a process that has imported everything: as separate as a new process, in a tenth of its time.

`CommandServer` belongs to the tests' process and runs this file as the process that forks.
"""

import gc
import importlib
import json
import logging
import os
import pkgutil
import select
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
from pathlib import Path
from typing import NoReturn

NEW_INTERPRETER = ("PYTHON", "LD_", "LC_", "LANG", "TZ", "FAKETIME")
"""Beginnings of the variables that count when a process starts: with one of them, a command is not forked."""
PATIENCE_SECONDS = 60.0
_LAZY = ("PIL.Image", "babel.dates", "linkify_it", "markdown_it", "mdit_py_plugins", "pagefind_bin")
_NUMBER = struct.Struct("!i")
_Completed = subprocess.CompletedProcess[str]


class Running:
    """A forked command, with the methods of `subprocess.Popen`."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.pid = self._number()
        self.returncode: int | None = None

    def _number(self) -> int:
        return int(_NUMBER.unpack(self._connection.recv(_NUMBER.size, socket.MSG_WAITALL))[0])

    def wait(self, timeout: float) -> int:
        """Return the exit code as subprocess has it, negative after a signal."""
        if self.returncode is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("sitecms", timeout)
            self.returncode = self._number()
            self._connection.close()
        return self.returncode

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it, unless the command has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


class CommandServer:
    """The process that forks commands, until `close`."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        self._lock = threading.Lock()
        with theirs:
            command = [sys.executable, __file__, str(theirs.fileno())]
            nothing = subprocess.DEVNULL
            self._process = subprocess.Popen(command, pass_fds=(theirs.fileno(),), stdin=nothing, stdout=nothing)

    def run(self, *words: str | Path, folder: Path, variables: Mapping[str, str]) -> _Completed:
        """Run `sitecms` with these words in the folder, with the variables beside those of this process."""
        if any(name.startswith(NEW_INTERPRETER) for name in variables):
            command = [sys.executable, "-m", "sitecms", *map(str, words)]
            environment = {**os.environ, **variables}
            return subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS
            )
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
            running = self.start(*words, folder=folder, variables=variables, stdout=out.fileno(), stderr=error.fileno())
            try:
                code = running.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                running.send_signal(signal.SIGKILL)
                running.wait(PATIENCE_SECONDS)
                raise
            out.seek(0)
            error.seek(0)
            return subprocess.CompletedProcess(words, code, out.read().decode(), error.read().decode())

    def start(
        self, *words: str | Path, folder: Path, variables: Mapping[str, str], stdout: int, stderr: int
    ) -> Running:
        """Start `sitecms` with these words; it writes into the files."""
        environment = {**os.environ, **variables}
        request = {"words": [*map(str, words)], "folder": str(folder.resolve()), "environment": environment}
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            socket.send_fds(self._control, [b"x"], [theirs.fileno(), stdout, stderr])
        ours.sendall(json.dumps(request).encode() + b"\n")
        return Running(ours)

    def close(self) -> None:
        """End the process."""
        self._control.close()
        self._process.wait(PATIENCE_SECONDS)


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
    sys.path.pop(0)  # the folder of this file, which is no place of modules
    _import_everything()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    _run()
