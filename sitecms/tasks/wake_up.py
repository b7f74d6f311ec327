"""Bells: how whoever queues something wakes the site's workers at once, in whatever process they are.

Each worker listens on a named pipe of its own. Where there can be none, it looks into the queue ten times a second.
"""

import errno
import os
import secrets
import select
import weakref
from contextlib import suppress
from pathlib import Path

_ENDING = ".bell"
_ALL = 65536  # what a pipe holds


class Bells:
    """The bells of one site's workers, which hang in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def ring(self) -> None:
        """Wake one thread of each worker; the bells of dead workers are taken down."""
        for path in self._folder.glob(f"*{_ENDING}"):
            try:
                handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno == errno.ENXIO:  # nobody listens any more
                    path.unlink(missing_ok=True)
                continue
            with suppress(OSError):  # full: it has been rung often enough
                os.write(handle, b"!")
            os.close(handle)

    def hang(self) -> "Bell | None":
        """A new bell; None where there are no named pipes. It gets its name once someone listens."""
        name = f"{os.getpid()}-{secrets.token_hex(6)}"
        early = self._folder / f"{name}.new"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            os.mkfifo(early, 0o600)
            reader = os.open(early, os.O_RDONLY | os.O_NONBLOCK)
            writer = os.open(early, os.O_WRONLY | os.O_NONBLOCK)  # so that the pipe never ends
            path = self._folder / f"{name}{_ENDING}"
            early.rename(path)
        except OSError:
            return None
        return Bell(path, reader, writer)


class Bell:
    """The bell of one worker, for all its threads."""

    def __init__(self, path: Path, reader: int, writer: int) -> None:
        self._path = path
        self._reader = reader
        self._writer = writer
        for handle in (reader, writer):
            weakref.finalize(self, os.close, handle)  # a thread may still listen when it is taken down

    def wait(self, seconds: float) -> bool:
        """Whether it rang within that time, and this thread is the one to answer."""
        if not select.select([self._reader], [], [], seconds)[0]:
            return False
        try:
            return bool(os.read(self._reader, _ALL))
        except BlockingIOError:  # another thread was faster
            return False

    def pass_on(self) -> None:
        """Wake one more thread: several rings may have been heard as one."""
        with suppress(BlockingIOError):
            os.write(self._writer, b"!")

    def take_down(self) -> None:
        """Be rung no more."""
        self._path.unlink(missing_ok=True)
