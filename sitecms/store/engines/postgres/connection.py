"""One connection to the server, and what is kept ready on it.

A reader's connection always has a transaction open that has not looked at anything yet: `COMMIT AND CHAIN` ends one
and begins the next, sent without waiting for its answer, so that a read costs no more ways to the server and back than
it has statements. Such a transaction holds no snapshot, no lock, and nothing back from VACUUM.
"""

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from select import POLLIN, poll
from typing import Any

import psycopg
from psycopg import RawCursor, conninfo
from psycopg.types.numeric import Int8BinaryDumper
from psycopg.types.string import StrDumperUnknown

from sitecms.errors import StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.dialect import worded
from sitecms.store.engines.postgres.errors import OUTDATED, refused, translated

Connect = Callable[[ServiceUrl, Mapping[str, str]], "psycopg.Connection[tuple[Any, ...]]"]
CONNECT_SECONDS = 5
_LOST_AFTER_SECONDS = 15
_READ_LOST_AFTER_SECONDS = 5  # a read may give up sooner: it begins anew on another connection
# A host that was cut off is given up within fifteen seconds, by us and by the server, which frees its locks.
_OURS = {
    "connect_timeout": CONNECT_SECONDS, "application_name": "sitecms", "client_encoding": "UTF8", "keepalives": 1,
    "keepalives_idle": 5, "keepalives_interval": 3, "keepalives_count": 3,
    "tcp_user_timeout": _LOST_AFTER_SECONDS * 1000,
}  # fmt: skip
_THEIRS = {
    "jit": "off", "tcp_keepalives_idle": "5", "tcp_keepalives_interval": "3", "tcp_keepalives_count": "3",
    "tcp_user_timeout": str(_LOST_AFTER_SECONDS * 1000), "standard_conforming_strings": "on",
}  # fmt: skip
READING = {
    "default_transaction_isolation": "repeatable read",
    "default_transaction_read_only": "on",
    "idle_in_transaction_session_timeout": "0",  # free connections stand in a transaction that has not begun to look
}
WRITING = {
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "off",
    "idle_in_transaction_session_timeout": "2min",  # a process that stands still keeps others from writing no longer
    "plan_cache_mode": "force_custom_plan",  # a load fills tables that were empty when it began
}
PROBING = {"default_transaction_read_only": "on", "statement_timeout": "1s"}
LOCKING = {
    "default_transaction_read_only": "on",
    "idle_session_timeout": "0",  # such a connection is idle as long as its process lives
}
_REPORTED = "default_transaction_read_only"  # by the server itself, with the connection
_BEGIN = b"BEGIN"
_NEXT = b"COMMIT AND CHAIN"


class _AskedText(StrDumperUnknown):
    """PostgreSQL keeps no NUL, so that a text with one in it is nowhere to be found; like it, U+FFFF stands nowhere."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", "\uffff") if "\0" in obj else obj)


def connect(url: ServiceUrl, settings: Mapping[str, str]) -> "psycopg.Connection[tuple[Any, ...]]":
    """A connection with these settings of the server. Raises StoreUnusable."""
    try:
        given = conninfo.conninfo_to_dict(url.reveal())
    except psycopg.Error:
        raise StoreUnusable(f"The address of the store {url} cannot be understood.") from None  # it may tell a password
    ours = " ".join(f"-c {name}={value.replace(' ', chr(92) + ' ')}" for name, value in {**_THEIRS, **settings}.items())
    options = " ".join(filter(None, (str(given.pop("options", "")), ours)))
    try:
        tried = {**_OURS, "tcp_user_timeout": _READ_LOST_AFTER_SECONDS * 1000} if settings is READING else _OURS
        text = conninfo.make_conninfo(**{**tried, **given}, options=options)  # type: ignore[arg-type]
        made = psycopg.connect(text, autocommit=True, cursor_factory=RawCursor, prepare_threshold=2)
    except psycopg.Error as error:
        raise refused(url, error) from error
    if made.info.parameter_status(_REPORTED) not in (settings[_REPORTED], None):
        made.close()
        raise StoreUnusable(
            f"{url} does not take the settings of a connection, as poolers do not: name the PostgreSQL server itself."
        )
    made.prepared_max = 400
    made.adapters.register_dumper(int, Int8BinaryDumper)  # one type for all of them: one plan for each statement
    if settings is READING:
        made.adapters.register_dumper(str, _AskedText)
    return made


def server_of(link: "Link") -> str:
    """`PostgreSQL 15.8`."""
    version = link.raw.info.server_version
    return f"PostgreSQL {version // 10_000}.{version % 10_000}"


class Link:
    """A connection that whoever holds it is alone with; it is made anew where it turns out to be lost."""

    def __init__(self, url: ServiceUrl, settings: Mapping[str, str], make: Connect = connect) -> None:
        self._url = url
        self._settings = settings
        self._make = make
        self._connect()

    def _connect(self) -> None:
        self.pid = os.getpid()
        self.raw = self._make(self._url, self._settings)
        self._cursor = self.raw.cursor()
        self._is_fresh = True  # nothing was looked at in this transaction yet
        self._is_answer_due = False
        if self._settings is READING:
            try:
                self._cursor.execute(_BEGIN)
            except psycopg.Error as error:
                self.close()
                raise refused(self._url, error) from error

    @property
    def is_lost(self) -> bool:
        """Whether the connection is gone."""
        return bool(self.raw.closed)

    def statement(self, text: str, values: Sequence[object] = ()) -> Any:
        """Carry it out; a cursor that is valid until the next one. Errors as `store.database` promises them.

        The first statement of a transaction is tried once more where the connection turns out to be lost.
        """
        was_fresh, self._is_fresh = self._is_fresh, False
        try:
            return self._cursor.execute(text, values or None)
        except psycopg.Error as error:
            if isinstance(error, OUTDATED):
                self.close()
            if not (was_fresh and self.is_lost):
                raise translated(self._url, error, is_lost=self.is_lost) from error
        self._connect()
        self._is_fresh = False
        return self.statement(text, values)

    def begin(self, text: str) -> list[tuple[Any, ...]]:
        """Begin a transaction; nothing has happened yet, so that a lost connection is made anew.

        `text` may have several statements: the rows of the last.
        """
        self._is_fresh = True
        cursor = self.statement(text)
        while cursor.nextset():
            pass
        return list(cursor.fetchall()) if cursor.description else []

    def execute(self, query: Any) -> Any:
        """Carry out a Peewee query; the name is the one that Peewee calls."""
        cursor = self.statement(*worded(query))
        return _Rows(cursor, iter(cursor.fetchall()))

    def stream(self, query: Any) -> Generator[tuple[Any, ...]]:
        """The rows of a Peewee query as they come; nothing else may be asked meanwhile."""
        if self._is_fresh:
            self.statement("SELECT 1")  # finds out whether the connection is lost
        cursor = self.raw.cursor()
        text, values = worded(query)
        rows: Any = cursor.stream(text, values or None)
        try:
            yield from query.tuples()._get_cursor_wrapper(_Rows(cursor, rows)).iterator()
        except psycopg.Error as error:
            raise translated(self._url, error, is_lost=self.is_lost) from error
        finally:
            rows.close()

    def end_reading(self) -> None:
        """End the transaction and begin the next, without waiting."""
        try:
            self.raw.pgconn.send_query(_NEXT)
            self._is_answer_due = self._is_fresh = True
        except psycopg.Error:
            self.close()

    def take_up(self) -> None:
        """Make sure that the transaction is open which `end_reading` has begun."""
        if not self._is_answer_due:
            return
        self._is_answer_due = False
        try:
            self._take_answer()
        except psycopg.Error:
            self.close()
            self._connect()

    def _take_answer(self) -> None:
        """Let others run while it is on its way, which it hardly ever still is."""
        pgconn = self.raw.pgconn
        while True:
            pgconn.consume_input()
            while pgconn.is_busy():
                waiting = poll()
                waiting.register(pgconn.socket, POLLIN)
                if not waiting.poll(_LOST_AFTER_SECONDS * 1000):
                    raise psycopg.OperationalError("no answer")
                pgconn.consume_input()
            answer = pgconn.get_result()
            if answer is None:
                return
            if answer.status != psycopg.pq.ExecStatus.COMMAND_OK:
                raise psycopg.OperationalError("the transaction could not be ended")

    def close(self) -> None:
        """Close the connection, unless it is the parent's of a forked process."""
        if self.pid == os.getpid():
            self.raw.close()

    def __del__(self) -> None:
        if hasattr(self, "raw"):
            self.close()


class _Rows:
    """Rows as Peewee asks a cursor for them."""

    def __init__(self, cursor: Any, rows: Iterator[tuple[Any, ...]]) -> None:
        self._cursor = cursor
        self._rows = rows

    @property
    def description(self) -> Any:
        """The columns, once a row was fetched."""
        return self._cursor.description

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row; None after the last."""
        return next(self._rows, None)

    def close(self) -> None:
        """Nothing: the cursor is used again."""
