"""What PostgreSQL's errors mean: the server is out of reach, or a constraint does not hold."""

import peewee
import psycopg
from psycopg import errors

from sitecms.errors import StoreUnusable
from sitecms.settings.service_url import ServiceUrl

_KINDS: tuple[tuple[type[psycopg.Error], type[Exception]], ...] = (
    (psycopg.IntegrityError, peewee.IntegrityError),
    (psycopg.DataError, peewee.DataError),
    (psycopg.ProgrammingError, peewee.ProgrammingError),
    (psycopg.InternalError, peewee.InternalError),
    (psycopg.NotSupportedError, peewee.NotSupportedError),
    (psycopg.OperationalError, peewee.OperationalError),
)
_UNUSABLE = (
    errors.InsufficientPrivilege, errors.DiskFull, errors.OutOfMemory, errors.TooManyConnections,
    errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow, errors.DatabaseDropped,
    errors.IdleInTransactionSessionTimeout, errors.ReadOnlySqlTransaction, errors.IoError, errors.DataCorrupted,
    errors.IndexCorrupted, errors.InvalidCatalogName, errors.QueryCanceled, errors.LockNotAvailable,
    errors.DeadlockDetected, errors.SerializationFailure,
)  # fmt: skip
OUTDATED = (errors.FeatureNotSupported, errors.InvalidSqlStatementName, errors.DuplicatePreparedStatement)
"""Statements that a connection has prepared are no more, or no more fit the tables: it is good for nothing now."""


def refused(url: ServiceUrl, error: psycopg.Error) -> StoreUnusable:
    """The server does not let us in, or cannot be found."""
    return StoreUnusable(f"The store {url} cannot be reached: {_reason(error)}")


def translated(url: ServiceUrl, error: psycopg.Error, *, is_lost: bool) -> Exception:
    """The error as callers know it, whatever the engine. `is_lost`: the connection is gone with it."""
    if is_lost or isinstance(error, _UNUSABLE):
        return StoreUnusable(f"The store {url} cannot be used: {_reason(error)}")
    kind = next((ours for theirs, ours in _KINDS if isinstance(error, theirs)), peewee.DatabaseError)
    return kind(str(error))


def _reason(error: psycopg.Error) -> str:
    """Its first line; libpq names host, port and user there, never the password."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
