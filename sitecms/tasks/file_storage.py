"""The queue on one machine: a file of hints that may be lost. Whoever queues something wakes the workers."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from huey.storage import CySqliteStorage

from sitecms.tasks.server_queue import LISTEN_SECONDS
from sitecms.tasks.wake_up import Bell, Bells


class LosableStorage(CySqliteStorage):  # type: ignore[misc]  # huey has no types
    """The queue's file, made anew when it was deleted or damaged, with all processes following: it holds hints only.

    With a bell, `dequeue` waits for it to ring; without, huey polls.
    """

    _inode: int | None = None
    _bell: Bell | None = None

    @property
    def _bells(self) -> Bells:
        return Bells(Path(self.filename).with_name("bells"))

    def listen(self) -> None:
        """Have this process woken when something is queued, by whatever process."""
        self._bell = self._bells.hang()
        self.blocking = self._bell is not None

    def end_listening(self) -> None:
        """Be woken no more."""
        self.blocking = False
        if self._bell is not None:
            self._bell.take_down()

    def enqueue(self, data: bytes, priority: float | None = None) -> None:
        """Queue it, then ring."""
        super().enqueue(data, priority)
        self._bells.ring()

    def dequeue(self) -> bytes | None:
        """The next message; None if there is none now, and none comes within half a second where a bell hangs."""
        data: bytes | None = super().dequeue()
        if data is None and self._bell is not None and self._bell.wait(LISTEN_SECONDS):
            data = super().dequeue()
            if data is not None:
                self._bell.pass_on()
        return data

    def _create_connection(self) -> Any:
        path = Path(self.filename)
        if not path.exists():
            _remove(path, "-wal", "-shm")  # what a deleted queue left would be read as part of the new one
        connection = super()._create_connection()
        for statement in self.ddl:
            connection.execute(statement)
        self._inode = path.stat().st_ino
        return connection

    @contextmanager
    def db(self, commit: bool = False, close: bool = False) -> Iterator[Any]:
        """A cursor on the file that is there now."""
        path = Path(self.filename)
        if self._conn is not None and (not path.exists() or path.stat().st_ino != self._inode):
            self.close()
        try:
            with super().db(commit, close) as cursor:
                yield cursor
        except Exception as error:
            if any(word in str(error) for word in ("malformed", "not a database")):
                _remove(path, "", "-wal", "-shm")
            raise


def _remove(path: Path, *endings: str) -> None:
    for ending in endings:
        path.with_name(path.name + ending).unlink(missing_ok=True)
