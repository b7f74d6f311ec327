"""Connections to the PostgreSQL server: their settings, and statements and transactions on one of them.

A connection for reading belongs to the pool (`read_pool`); its first statement begins the transaction.

Errors of psycopg are translated into those of the store: StoreUnusable, or Peewee's error of the same kind.
"""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import peewee
import psycopg
from psycopg import RawCursor, conninfo, errors
from psycopg.types.numeric import Int8BinaryDumper
from psycopg.types.string import StrDumperUnknown

from sitecms.errors import StoreNotWritable, StoreUnreachable, StoreUnusable
from sitecms.settings.service_url import ServiceUrl

_KINDS: tuple[tuple[type[psycopg.Error], type[Exception]], ...] = (
    (psycopg.IntegrityError, peewee.IntegrityError),
    (psycopg.DataError, peewee.DataError),
    (psycopg.ProgrammingError, peewee.ProgrammingError),
    (psycopg.InternalError, peewee.InternalError),
    (psycopg.NotSupportedError, peewee.NotSupportedError),
    (psycopg.OperationalError, peewee.OperationalError),
)
_NOT_WRITABLE = (errors.DiskFull, errors.ReadOnlySqlTransaction)
_UNUSABLE = (
    errors.InsufficientPrivilege, errors.OutOfMemory, errors.TooManyConnections,
    errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow, errors.DatabaseDropped,
    errors.IdleInTransactionSessionTimeout, errors.IoError, errors.DataCorrupted,
    errors.IndexCorrupted, errors.InvalidCatalogName, errors.QueryCanceled, errors.LockNotAvailable,
    errors.DeadlockDetected, errors.SerializationFailure,
)  # fmt: skip
STALE_STATEMENT = (errors.FeatureNotSupported, errors.InvalidSqlStatementName, errors.DuplicatePreparedStatement)
"""Errors of a connection whose prepared statements are lost, or do not fit the tables any more."""
RawConnection = psycopg.Connection[tuple[Any, ...]]
Connect = Callable[[ServiceUrl, Mapping[str, str]], RawConnection]
Watch = Callable[[RawConnection], AbstractContextManager[None]]
"""Watches over a statement that a connection runs (`read_watch`)."""
CONNECT_SECONDS = 5
_LOST_AFTER_SECONDS = 15
READ_LOST_AFTER_SECONDS = 5  # a read may give up sooner: it starts again on another connection
_PREPARED_STATEMENTS = 400
# Both sides give up a peer that was cut off within fifteen seconds; the server then frees the locks of the connection.
_CLIENT_OPTIONS = {
    "connect_timeout": CONNECT_SECONDS, "application_name": "sitecms", "client_encoding": "UTF8", "keepalives": 1,
    "keepalives_idle": 5, "keepalives_interval": 3, "keepalives_count": 3,
    "tcp_user_timeout": _LOST_AFTER_SECONDS * 1000,
}  # fmt: skip
_READING_OPTIONS = {"connect_timeout": 3, "tcp_user_timeout": READ_LOST_AFTER_SECONDS * 1000}
_SERVER_SETTINGS = {
    "jit": "off", "tcp_keepalives_idle": "5", "tcp_keepalives_interval": "3", "tcp_keepalives_count": "3",
    "tcp_user_timeout": str(_LOST_AFTER_SECONDS * 1000), "standard_conforming_strings": "on",
}  # fmt: skip
READING = {
    "default_transaction_isolation": "repeatable read",
    "default_transaction_read_only": "on",
    "idle_in_transaction_session_timeout": "0",  # a build holds its snapshot while it works
}
WRITING = {
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "off",
    "idle_in_transaction_session_timeout": "2min",  # a suspended process blocks other writers no longer than that
    "plan_cache_mode": "force_custom_plan",  # a load fills tables that were empty when it began
}
PROBING = {"default_transaction_read_only": "on", "statement_timeout": "1s"}
LOCKING = {
    "default_transaction_read_only": "on",
    "idle_session_timeout": "0",  # the connection is idle for as long as its process lives
}
_REPORTED_SETTING = "default_transaction_read_only"  # the server reports its value with each connection
_QUEUE: Mapping[str, str] = {
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "off",
    "synchronous_commit": "off",  # the queue may be lost
    "statement_timeout": "5s",
    "idle_session_timeout": "0",
}


def connection_error(url: ServiceUrl, error: psycopg.Error) -> StoreUnreachable:
    """Return the error for a server that refuses connections or cannot be found."""
    return StoreUnreachable(f"The store {url} cannot be reached: {_reason(error)}")


def translate(url: ServiceUrl, error: psycopg.Error, *, is_lost: bool) -> Exception:
    """Return the error that callers of the store expect. `is_lost`: the connection broke with it."""
    if isinstance(error, _NOT_WRITABLE):
        return StoreNotWritable(f"The store {url} cannot be written: {_reason(error)}")
    if is_lost or isinstance(error, _UNUSABLE):
        return StoreUnusable(f"The store {url} cannot be used: {_reason(error)}")
    kind = next((peewees for psycopgs, peewees in _KINDS if isinstance(error, psycopgs)), peewee.DatabaseError)
    return kind(str(error))


def _reason(error: psycopg.Error) -> str:
    """Return the first line; libpq names host, port and user in it, never the password."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


class _SearchedText(StrDumperUnknown):
    """Text in a condition. PostgreSQL stores no NUL character: U+FFFF, which occurs nowhere either, replaces it."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", "\uffff") if "\0" in obj else obj)


def connection_options(url: ServiceUrl, settings: Mapping[str, str]) -> dict[str, Any]:
    """Return the options with which psycopg opens a connection. Raises StoreUnusable."""
    try:
        options = conninfo.conninfo_to_dict(url.reveal())
    except psycopg.Error:  # its text may contain the password
        raise StoreUnusable(f"The address of the store {url} cannot be understood.") from None
    ours = {**_SERVER_SETTINGS, **settings}
    flags = [f"-c {name}={value.replace(' ', chr(92) + ' ')}" for name, value in ours.items()]
    flags.insert(0, str(options.pop("options", "")))
    is_reading = settings is READING
    defaults: dict[str, Any] = {**_CLIENT_OPTIONS, **(_READING_OPTIONS if is_reading else {})}
    return {
        **defaults, **options, "options": " ".join(filter(None, flags)),
        "autocommit": not is_reading, "cursor_factory": RawCursor, "prepare_threshold": 2,
    }  # fmt: skip


def configure(url: ServiceUrl, settings: Mapping[str, str], raw: RawConnection) -> None:
    """Prepare a new connection for our statements. Raises StoreUnusable where it has not taken the settings."""
    if raw.info.parameter_status(_REPORTED_SETTING) not in (settings[_REPORTED_SETTING], None):
        raw.close()
        raise StoreUnusable(
            f"{url} does not take the settings of a connection, as poolers do not: name the PostgreSQL server itself."
        )
    raw.prepared_max = _PREPARED_STATEMENTS
    raw.adapters.register_dumper(int, Int8BinaryDumper)  # one type for all integers: one plan for each statement
    if settings is READING:
        raw.adapters.register_dumper(str, _SearchedText)


def connect(url: ServiceUrl, settings: Mapping[str, str]) -> RawConnection:
    """Open a connection with these settings of the server. Raises StoreUnusable."""
    options = connection_options(url, settings)
    try:
        raw: RawConnection = psycopg.connect(**options)
    except psycopg.Error as error:
        raise connection_error(url, error) from error
    configure(url, settings, raw)
    return raw


class Connection:
    """A connection that one thread at a time uses. It reconnects when that cannot lose anything."""

    def __init__(
        self, url: ServiceUrl, settings: Mapping[str, str], connect: Connect = connect, watch: Watch | None = None
    ) -> None:
        self._url = url
        self._settings = settings
        self._make = connect
        self._watch: Watch = watch or (lambda _raw: nullcontext())
        self._connect()

    def _connect(self) -> None:
        self.pid = os.getpid()
        self.raw = self._make(self._url, self._settings)
        self._cursor = self.raw.cursor()
        self._is_unused = True  # no statement has run in the transaction yet
        self.change_number: int | None = None
        """The change number that the read transaction sees, once it has asked for it."""

    @property
    def is_lost(self) -> bool:
        """True if the connection is closed or broken."""
        return bool(self.raw.closed)

    @property
    def server(self) -> str:
        """Name and version of the server, as `PostgreSQL 15.8`."""
        version = self.raw.info.server_version
        return f"PostgreSQL {version // 10_000}.{version % 10_000}"

    def run(self, text: str, values: Sequence[object] = ()) -> Any:
        """Run a statement; return a cursor that is valid until the next statement. Raises as `translate` says.

        The first statement of a transaction is retried once if the connection turns out to be lost.
        """
        was_unused, self._is_unused = self._is_unused, False
        try:
            with self._watch(self.raw):
                return self._cursor.execute(text, values or None)
        except psycopg.Error as error:
            if isinstance(error, STALE_STATEMENT):
                self.close()
            if not (was_unused and self.is_lost):
                raise translate(self._url, error, is_lost=self.is_lost) from error
        self._connect()
        self._is_unused = False
        return self.run(text, values)

    def run_many(self, text: str, rows: Sequence[Sequence[object]]) -> int:
        """Run a statement for each row of values, in a transaction; return how many rows changed."""
        try:
            self._cursor.executemany(text, rows)
        except psycopg.Error as error:
            if isinstance(error, STALE_STATEMENT):
                self.close()
            raise translate(self._url, error, is_lost=self.is_lost) from error
        return int(self._cursor.rowcount)

    def begin(self, text: str) -> list[tuple[Any, ...]]:
        """Run the statements that begin a transaction, reconnecting if needed; return the rows of the last one."""
        self._is_unused = True
        cursor = self.run(text)
        while cursor.nextset():
            pass
        return list(cursor.fetchall()) if cursor.description else []

    def stream(self, text: str, values: Sequence[object]) -> Generator[tuple[Any, ...]]:
        """Yield the rows of a statement as they arrive. The connection runs nothing else until it is closed."""
        if self._is_unused:
            self.run("SELECT 1")  # reconnects if the connection is lost
        cursor = self.raw.cursor()
        rows: Any = cursor.stream(text, values or None)
        try:
            yield from rows
        except psycopg.Error as error:
            raise translate(self._url, error, is_lost=self.is_lost) from error
        finally:
            rows.close()

    def close(self) -> None:
        """Close the connection, unless it is the parent's of a forked process."""
        if self.pid == os.getpid():
            self.raw.close()

    def __del__(self) -> None:
        if hasattr(self, "raw"):
            self.close()


def connect_queue(url: ServiceUrl) -> RawConnection:
    """Return a new connection with psycopg's own placeholders. Raises StoreUnusable."""
    connection = connect(url, _QUEUE)
    connection.cursor_factory = psycopg.Cursor
    return connection
