"""The question for the change number, over a connection of its own.

It is one prepared statement outside of a transaction, through libpq: neither psycopg's cursors nor the transaction of
`Database.reading` are needed for one number.
"""

import os
from collections.abc import Callable
from contextlib import suppress

import psycopg

from sitecms.errors import StoreUnusable
from sitecms.store.database import CHANGE_NUMBER, ChangeQuestion
from sitecms.store.engines.postgres.connection import RawConnection, receive

_NAME = b"change_number"
_BINARY = 1


class PostgresChangeQuestion(ChangeQuestion):
    """A question that is sent to the server. `connect` raises StoreUnusable."""

    def __init__(self, connect: Callable[[], RawConnection]) -> None:
        super().__init__(self.answer)
        self._connect = connect
        self._raw: RawConnection | None = None
        self._pid = 0
        self._is_asked = False

    def ask(self) -> None:
        """Send the question without waiting for its answer."""
        with suppress(StoreUnusable, psycopg.Error):  # `answer` asks again
            self._send()

    def answer(self) -> int:
        """Wait for the answer; ask once more, over another connection, if this one is lost."""
        number = self._receive()
        if number is None:
            self.close()
            with suppress(psycopg.Error):
                self._send()
                number = self._receive()
        if number is None:
            self.close()
            raise StoreUnusable("The store's change number cannot be read.")
        return number

    def close(self) -> None:
        """Close the connection, unless it is the parent's of a forked process."""
        if self._raw is not None and self._pid == os.getpid():
            self._raw.close()
        self._raw = None
        self._is_asked = False

    def _send(self) -> None:
        self._is_asked = False
        if self._raw is None or self._pid != os.getpid():
            self._raw, self._pid = self._connect(), os.getpid()
            self._raw.pgconn.prepare(_NAME, CHANGE_NUMBER.encode())
        self._raw.pgconn.send_query_prepared(_NAME, None, result_format=_BINARY)
        self._is_asked = True

    def _receive(self) -> int | None:
        if self._raw is None or not self._is_asked:
            return None
        self._is_asked = False
        try:
            value = receive(self._raw.pgconn)[0].get_value(0, 0)
        except psycopg.Error:
            return None
        return None if value is None else int.from_bytes(value)
