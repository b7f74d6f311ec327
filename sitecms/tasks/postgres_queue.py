"""The line of hints on PostgreSQL, in the database of the store."""

from collections.abc import Iterator
from contextlib import contextmanager

from sitecms.errors import StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.queue_table import PostgresHints
from sitecms.tasks.server_queue import Unreachable


class PostgresLine:
    """Whoever waits is woken by the server's own notifications."""

    def __init__(self, url: ServiceUrl) -> None:
        self.name = str(url)
        self._hints = PostgresHints(url)

    def push(self, data: bytes) -> None:
        """Put it at the end, and wake one of those who wait."""
        with _translated():
            self._hints.push(data)

    def pop(self, seconds: float) -> bytes | None:
        """Take the first one; None if there is none and none comes within that time."""
        with _translated():
            return self._hints.pop(seconds)

    def length(self) -> int:
        """How many there are."""
        with _translated():
            return self._hints.length()

    def clear(self) -> None:
        """Drop them all."""
        with _translated():
            self._hints.clear()

    def close(self) -> None:
        """Let go of the connections."""
        self._hints.close()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except StoreUnusable as error:
        raise Unreachable(str(error)) from error
