"""The one connection that a process writes on, and write transactions on it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import peewee

from sitecms.errors import StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.connection import WRITING, Connection
from sitecms.store.engines.postgres.session import PostgresTransaction
from sitecms.store.site_state.relocation_state import SELECT_BLOCKING_MOVE, move_error

MANY_ROWS = 5000
WRITER_LOCK = 0x51_7E_C3_55
LOCK_WRITERS = f"SELECT pg_advisory_xact_lock({WRITER_LOCK})"
_BEGIN = f"BEGIN; {LOCK_WRITERS}; {SELECT_BLOCKING_MOVE}"
_BEGIN_WITHOUT_SYNC = f"BEGIN; SET LOCAL synchronous_commit TO off; {LOCK_WRITERS}; {SELECT_BLOCKING_MOVE}"
_COMMIT = "COMMIT"
_COUNT_AND_COMMIT = """
UPDATE change_number SET number = number + 1, mark = upper(left(md5(gen_random_uuid()::text), 16)); COMMIT"""


class WriteConnection:
    """The connection of one process. The caller holds a lock: only one thread at a time writes."""

    def __init__(self, url: ServiceUrl) -> None:
        self._url = url
        self._connection: Connection | None = None

    def get(self) -> Connection:
        """Return the connection; open a new one if it is lost or a forked process's parent's. Raises StoreUnusable."""
        if self._connection is None or self._connection.is_lost or self._connection.pid != os.getpid():
            self._connection = Connection(self._url, WRITING)
        return self._connection

    @contextmanager
    def transaction(
        self, *, counts_as_change: bool, is_durable: bool, is_moving: bool
    ) -> Iterator[PostgresTransaction]:
        """Commit at the end, or undo everything. Raises StoreUnusable if the outcome of a commit is unknown."""
        connection = self.get()
        try:
            blocking_move = connection.begin(_BEGIN if is_durable else _BEGIN_WITHOUT_SYNC)
            if blocking_move and not is_moving:
                raise move_error(self._url, *blocking_move[0])
            transaction = PostgresTransaction(connection)
            yield transaction
            is_counted = counts_as_change and transaction.total_changes()
            self._commit(connection, _COUNT_AND_COMMIT if is_counted else _COMMIT)
        except BaseException:
            _roll_back(connection)
            raise
        if transaction.total_changes() >= MANY_ROWS:
            with suppress(StoreUnusable, peewee.DatabaseError):  # the transaction is committed
                connection.run("ANALYZE")  # until autovacuum runs, plans would suit the tables as they were

    def _commit(self, connection: Connection, text: str) -> None:
        try:
            cursor = connection.run(text)
        except StoreUnusable as error:
            if not connection.is_lost:
                raise
            raise StoreUnusable(
                f"The connection to the store {self._url} was lost while a change was committed: it is unknown "
                "whether the change was kept."
            ) from error
        while cursor.nextset():
            pass
        if cursor.statusmessage != "COMMIT":  # a statement had failed, and the caller went on
            raise StoreUnusable(f"The store {self._url} undid a change in which a statement had failed.")

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _roll_back(connection: Connection) -> None:
    try:
        if not connection.is_lost:
            connection.run("ROLLBACK")
    except Exception:  # noqa: BLE001 - the server undoes what is never committed
        connection.close()
