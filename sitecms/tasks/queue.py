"""The queue of one site, chosen by its settings: Huey over a file, Redis, or the PostgreSQL database of the store."""

from datetime import datetime
from functools import partial
from typing import Any

import orjson
import structlog
from huey.api import Huey
from huey.registry import Message
from huey.serializer import Serializer

from sitecms.circuit_breaker import CircuitBreaker
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.site_state.documents import ensure_identity, find_identity
from sitecms.tasks.queue_kind import QueueKind, check_queue, queue_address, queue_kind
from sitecms.tasks.queue_storage import FileHintStorage, HintStorage, QueueUnreachable, open_postgres, open_redis

PAUSE_SECONDS = 3.0
_TIMES = ("eta", "expires_resolved")
_log = structlog.get_logger("sitecms.tasks")


class JsonSerializer(Serializer):  # type: ignore[misc]  # huey has no types
    """Serializer of tasks as JSON objects with the fields of `huey.registry.Message`.

    JSON instead of pickle: who can write to the queue must not be able to run code. Chains of tasks are refused.
    """

    def _serialize(self, data: Message) -> bytes:
        return orjson.dumps(data._asdict())

    def _deserialize(self, data: bytes) -> Message:
        fields: dict[str, Any] = orjson.loads(data)
        for name in _TIMES:
            if isinstance(fields.get(name), str):
                fields[name] = datetime.fromisoformat(fields[name])
        return Message(**fields)


class Queue(Huey):  # type: ignore[misc]  # huey has no types
    """Huey on a storage of hints. Results are not kept: the store has them."""

    def __init__(self, name: str, storage: HintStorage) -> None:
        self._hints = storage
        self.is_remote = storage.blocking
        super().__init__(name, results=False, serializer=JsonSerializer())
        self.on_shutdown()(storage.end_thread)

    def create_storage(self) -> HintStorage:
        """Return the storage of the site."""
        return self._hints


def open_queue(settings: SiteSettings, database: Database | None, *, read_only: bool = False) -> Queue:
    """Return the queue of a site. Nothing connects before the first call.

    If `read_only`, the store is not changed and nothing is logged; without a database the queue appears empty.
    Raises ConfigurationError if a library is missing.
    """
    check_queue(settings)
    kind = queue_kind(settings)
    address = str(settings.queue_path) if kind is QueueKind.SQLITE else queue_address(settings)
    on_change = None if read_only else partial(_log_change, address)
    if kind is QueueKind.SQLITE:
        breaker = CircuitBreaker(QueueUnreachable, 0.0, on_change=on_change)
        return Queue(settings.name, FileHintStorage(settings.name, settings.queue_path, breaker))
    breaker = CircuitBreaker(QueueUnreachable, PAUSE_SECONDS, on_change=on_change)

    def open_storage() -> Any:
        if kind is QueueKind.POSTGRESQL:
            return open_postgres(settings.store_url, read_only=read_only)
        find = find_identity if read_only else ensure_identity
        return open_redis(settings.queue_url, find(database) if database else "")

    return Queue(settings.name, HintStorage(settings.name, open_storage, breaker))


def _log_change(address: str, problem: str) -> None:
    if problem:
        _log.warning("queue_unreachable", queue=address, problem=problem)
    else:
        _log.info("queue_reachable", queue=address)
