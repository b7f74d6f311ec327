"""Translation of psycopg's errors into those of the store: StoreUnusable, or Peewee's error of the same kind."""

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
STALE_STATEMENT = (errors.FeatureNotSupported, errors.InvalidSqlStatementName, errors.DuplicatePreparedStatement)
"""Errors of a connection whose prepared statements are lost, or do not fit the tables any more."""


def connection_error(url: ServiceUrl, error: psycopg.Error) -> StoreUnusable:
    """Return the error for a server that refuses connections or cannot be found."""
    return StoreUnusable(f"The store {url} cannot be reached: {_reason(error)}")


def translate(url: ServiceUrl, error: psycopg.Error, *, is_lost: bool) -> Exception:
    """Return the error that callers of the store expect. `is_lost`: the connection broke with it."""
    if is_lost or isinstance(error, _UNUSABLE):
        return StoreUnusable(f"The store {url} cannot be used: {_reason(error)}")
    kind = next((peewees for psycopgs, peewees in _KINDS if isinstance(error, psycopgs)), peewee.DatabaseError)
    return kind(str(error))


def _reason(error: psycopg.Error) -> str:
    """Return the first line; libpq names host, port and user in it, never the password."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
