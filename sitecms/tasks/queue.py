"""The queue of one site, by its settings: huey over a file of this machine, or over a line on a server."""

from enum import StrEnum
from functools import partial
from importlib.util import find_spec
from typing import Any

import structlog
from huey.api import Huey

from sitecms.circuit_breaker import CircuitBreaker
from sitecms.errors import ConfigurationError
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.site_state.documents import ensure_identity, find_identity
from sitecms.tasks.file_storage import LosableStorage
from sitecms.tasks.serializer import JsonSerializer
from sitecms.tasks.server_queue import Line, Unreachable
from sitecms.tasks.server_storage import LineStorage

Storage = LosableStorage | LineStorage
PAUSE_SECONDS = 3.0
REDIS_MISSING = "The queue is on Redis, whose client library is not installed: pip install 'sitecms[redis]'"
_log = structlog.get_logger("sitecms.tasks")


class QueueKind(StrEnum):
    """What keeps the hints."""

    SQLITE = "sqlite"
    REDIS = "redis"
    POSTGRESQL = "postgresql"


def queue_kind(settings: SiteSettings) -> QueueKind:
    """By the site's settings: the one that is named, else beside the store."""
    if settings.queue_url:
        return QueueKind.REDIS
    return QueueKind.POSTGRESQL if settings.store_url else QueueKind.SQLITE


class Queue(Huey):  # type: ignore[misc]  # huey has no types
    """huey on such a storage. Results are not kept: what was done stands in the store."""

    def __init__(self, name: str, storage: Storage) -> None:
        self._given = storage
        self.is_remote = isinstance(storage, LineStorage)
        super().__init__(name, results=False, serializer=JsonSerializer())

    def create_storage(self) -> Any:
        """The one that was given."""
        return self._given


def open_queue(settings: SiteSettings, database: Database | None, *, only_looks: bool = False) -> Queue:
    """Nothing is connected to yet, nor is the store asked. Raises ConfigurationError where a library is missing.

    For who `only_looks`, the store is not changed, and nothing is logged; without a store the queue seems empty.
    """
    check_queue(settings)
    if queue_kind(settings) is QueueKind.SQLITE:
        return Queue(settings.name, file_storage(settings))
    find = find_identity if only_looks else ensure_identity
    on_change = None if only_looks else partial(_log_change, queue_address(settings))
    breaker = CircuitBreaker(Unreachable, PAUSE_SECONDS, on_change=on_change)
    storage = LineStorage(settings.name, breaker, lambda: _line(settings, find(database) if database else ""))
    return Queue(settings.name, storage)


def check_queue(settings: SiteSettings) -> None:
    """Raises ConfigurationError where a library is missing that the site's queue takes."""
    if queue_kind(settings) is QueueKind.REDIS and find_spec("redis") is None:
        raise ConfigurationError(REDIS_MISSING)


def file_storage(settings: SiteSettings) -> LosableStorage:
    """Nothing waits for the disk: what the queue may lose, it may lose with the power, too."""
    return LosableStorage(settings.name, filename=str(settings.queue_path), fsync=False)


def queue_address(settings: SiteSettings) -> str:
    """Of the server that it is on, without a password."""
    return str(settings.queue_url or settings.store_url)


def _line(settings: SiteSettings, identity: str) -> Line:
    """A database holds the hints of one store, a Redis those of many. The client is imported with the first hint."""
    if queue_kind(settings) is QueueKind.REDIS:
        from sitecms.tasks.redis_queue import RedisLine

        return RedisLine(settings.queue_url, identity)
    from sitecms.tasks.postgres_queue import PostgresLine

    return PostgresLine(settings.store_url)


def _log_change(address: str, problem: str) -> None:
    if problem:
        _log.warning("queue_unreachable", queue=address, problem=problem)
    else:
        _log.info("queue_reachable", queue=address)
