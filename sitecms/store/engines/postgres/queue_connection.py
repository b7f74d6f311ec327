"""Connections that Huey's queue in the database of a store uses."""

from collections.abc import Mapping

import psycopg

from sitecms.settings.service_url import ServiceUrl
from sitecms.store.engines.postgres.connection import RawConnection, connect

_SETTINGS: Mapping[str, str] = {
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "off",
    "synchronous_commit": "off",  # the queue may be lost
    "statement_timeout": "5s",
    "idle_session_timeout": "0",
}


def connect_queue(url: ServiceUrl) -> RawConnection:
    """Return a new connection with psycopg's own placeholders. Raises StoreUnusable."""
    connection = connect(url, _SETTINGS)
    connection.cursor_factory = psycopg.Cursor
    return connection
