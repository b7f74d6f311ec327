"""Watch over reads that wait for the server: a read ends when the server has stopped to answer anybody.

The kernel of a machine whose processes are frozen goes on to acknowledge what it receives, so a connection alone never
shows that. A long query is no reason to end a read either. So a thread tries to open another connection while a read
waits, and closes those that wait if that fails.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psycopg

from sitecms.errors import StoreUnusable
from sitecms.store.engines.postgres.connection import RawConnection

_LONG_SECONDS = 1.0  # a read that waits so long makes the thread try
_POLL_SECONDS = 0.25
_IDLE_POLLS = 40  # after which the thread ends, until the next read


class ReadWatch:
    """The reads of one process that wait. `probe` opens and closes a connection; it raises StoreUnusable."""

    def __init__(self, probe: Callable[[], object]) -> None:
        self._probe = probe
        self._waiting: dict[RawConnection, float] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._pid = 0

    @contextmanager
    def waiting(self, connection: RawConnection) -> Iterator[None]:
        """Close the connection during the block if the server stops to answer."""
        self._waiting[connection] = time.monotonic()
        if self._thread is None or self._pid != os.getpid():
            self._start()
        try:
            yield
        finally:
            self._waiting.pop(connection, None)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None or self._pid != os.getpid():
                self._pid = os.getpid()
                self._thread = threading.Thread(target=self._run, name="read-watch", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        idle_polls = 0
        while idle_polls < _IDLE_POLLS:
            time.sleep(_POLL_SECONDS)
            idle_polls = 0 if self._waiting else idle_polls + 1
            if any(time.monotonic() - begun >= _LONG_SECONDS for begun in tuple(self._waiting.values())):
                self._try_server()
        with self._lock:
            self._thread = None
        if self._waiting:  # a read that began meanwhile
            self._start()

    def _try_server(self) -> None:
        try:
            self._probe()
        except StoreUnusable:
            for connection in tuple(self._waiting):
                _disconnect(connection)
        else:
            time.sleep(_LONG_SECONDS)  # before the next attempt for the same long query


def _disconnect(connection: RawConnection) -> None:
    """Let the thread that waits for an answer get an error: closing the connection here would be no news to it."""
    with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as raw:
        raw.shutdown(socket.SHUT_RDWR)
