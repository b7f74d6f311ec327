"""The connection that a process writes on: one at a time, for the writers of all processes take turns anyway."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import peewee

from sitecms.errors import StoreUnusable
from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.connection import WRITING, Link, server_of
from sitecms.store.engines.postgres.session import PostgresTransaction
from sitecms.store.site_state.relocation_state import ASK_IN_THE_WAY, refusal

MANY_ROWS = 5000
WRITING_LOCK = 0x51_7E_C3_55
TAKE_TURN = f"SELECT pg_advisory_xact_lock({WRITING_LOCK})"
_BEGIN = f"BEGIN; {TAKE_TURN}; {ASK_IN_THE_WAY}"
_BEGIN_QUICKLY = f"BEGIN; SET LOCAL synchronous_commit TO off; {TAKE_TURN}; {ASK_IN_THE_WAY}"
_COMMIT = "COMMIT"
_COUNT_AND_COMMIT = """
UPDATE change_number SET number = number + 1, mark = upper(left(md5(gen_random_uuid()::text), 16)); COMMIT"""


class Writer:
    """Whoever writes holds the lock of `store.engines.postgres.database` meanwhile."""

    def __init__(self, url: ServiceUrl) -> None:
        self._url = url
        self._link: Link | None = None

    def link(self) -> Link:
        """The connection, made anew if it is lost, or its parent's in a forked process. Raises StoreUnusable."""
        if self._link is None or self._link.is_lost or self._link.pid != os.getpid():
            self._link = Link(self._url, WRITING)
        return self._link

    @property
    def server(self) -> str:
        """`PostgreSQL 15.8`."""
        return server_of(self.link())

    @contextmanager
    def transaction(
        self, *, counts_as_change: bool, is_durable: bool, is_moving: bool
    ) -> Iterator[PostgresTransaction]:
        """All of it is kept when this returns, or none of it. Raises StoreUnusable where nobody can know."""
        link = self.link()
        try:
            in_the_way = link.begin(_BEGIN if is_durable else _BEGIN_QUICKLY)
            if in_the_way and not is_moving:
                raise refusal(self._url, *in_the_way[0])
            opened = PostgresTransaction(link)
            yield opened
            self._commit(link, _COUNT_AND_COMMIT if counts_as_change and opened.total_changes() else _COMMIT)
        except BaseException:
            _roll_back(link)
            raise
        if opened.total_changes() >= MANY_ROWS:
            with suppress(StoreUnusable, peewee.DatabaseError):  # what was written is kept
                link.statement("ANALYZE")  # else plans suit the tables as they were for a minute or so

    def _commit(self, link: Link, text: str) -> None:
        try:
            ended = link.statement(text)
        except StoreUnusable as error:
            if not link.is_lost:
                raise
            raise StoreUnusable(
                f"The connection to the store {self._url} was lost while a change was committed: nobody here knows "
                "whether it was kept."
            ) from error
        while ended.nextset():
            pass
        if ended.statusmessage != "COMMIT":  # a statement had failed, and whoever saw that went on
            raise StoreUnusable(f"The store {self._url} undid a change in which a statement had failed.")

    def close(self) -> None:
        """Close the connection."""
        if self._link is not None:
            self._link.close()
        self._link = None


def _roll_back(link: Link) -> None:
    try:
        if not link.is_lost:
            link.statement("ROLLBACK")
    except Exception:  # noqa: BLE001 - the server undoes what is never committed
        link.close()
