"""The queue: a file of hints that may be lost. JSON messages; whoever queues something wakes the workers."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
from huey import CySqliteHuey
from huey.registry import Message
from huey.serializer import Serializer
from huey.storage import CySqliteStorage

from sitecms.tasks.bells import Bell, Bells

LISTEN_SECONDS = 0.5  # a worker that nobody rings looks all the same
_TIMES = ("eta", "expires_resolved")


class JsonSerializer(Serializer):  # type: ignore[misc]  # huey has no types
    """Messages as JSON objects of the fields of `huey.registry.Message`; never pickle, so that no one who can
    write to the queue's file can run code. Chains of tasks are refused: what follows is the sweep's to see."""

    def _serialize(self, data: Message) -> bytes:
        return orjson.dumps(data._asdict())

    def _deserialize(self, data: bytes) -> Message:
        fields: dict[str, Any] = orjson.loads(data)
        for name in _TIMES:
            if isinstance(fields.get(name), str):
                fields[name] = datetime.fromisoformat(fields[name])
        return Message(**fields)


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


class Queue(CySqliteHuey):  # type: ignore[misc]  # huey has no types
    """huey on such a file. Nothing waits for the disk: what the queue may lose, it may lose with the power, too."""

    storage_class = LosableStorage

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(name, filename=str(path), results=False, serializer=JsonSerializer(), fsync=False)
