"""The queue of one site, chosen by its settings: Huey over a file, Redis, or the PostgreSQL database of the store."""

import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any

import orjson
import structlog
from huey.api import Huey
from huey.registry import Message
from huey.serializer import Serializer
from huey.storage import BaseStorage
from msgspec import Struct

from sitecms.circuit_breaker import CircuitBreaker
from sitecms.errors import ConfigurationError
from sitecms.findings import Finding, error, ok, warning
from sitecms.optional_packages import Extra
from sitecms.settings.extras import check_extra
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.site_state.documents import ensure_identity, find_identity
from sitecms.tasks.queue_storage import FileHintStorage, HintStorage, QueueUnreachable, open_postgres, open_redis

PAUSE_SECONDS = 3.0
WAIT_SECONDS = 1.0
NO_ANSWER = "No answer within a second."
QUEUE_REMEDY = "check the server, and url under [queue]; until then writes are applied about a second later"
_TIMES = ("eta", "expires_resolved")
_log = structlog.get_logger("sitecms.tasks")


class QueueKind(StrEnum):
    """Where the queue keeps its hints."""

    SQLITE = "sqlite"
    REDIS = "redis"
    POSTGRESQL = "postgresql"


class QueueState(Struct, frozen=True):
    """Number of hints that wait; None if the queue cannot be reached, with the `problem` in words."""

    kind: QueueKind
    length: int | None
    problem: str = ""


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


class QueueWatch:
    """Reads the state of one site's queue within a second; `get_queue` is called by the first look."""

    def __init__(self, settings: SiteSettings, get_queue: Callable[[], Huey]) -> None:
        self._settings = settings
        self._get_queue = get_queue
        self._kind = queue_kind(settings)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._state = QueueState(self._kind, None, NO_ANSWER)

    def look(self) -> QueueState:
        """Return the state now. A queue file that does not exist is empty, and is not created."""
        if self._kind is QueueKind.SQLITE and not self._settings.queue_path.exists():
            return QueueState(self._kind, 0)
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._state = QueueState(self._kind, None, NO_ANSWER)
                self._thread = threading.Thread(target=self._read, name="queue-watch", daemon=True)
                self._thread.start()
            self._thread.join(WAIT_SECONDS)  # a host name lookup can exceed every timeout
            return self._state

    def _read(self) -> None:
        try:
            self._state = QueueState(self._kind, int(self._get_queue().pending_count()))
        except QueueUnreachable as problem:
            self._state = QueueState(self._kind, None, str(problem))


def open_queue(settings: SiteSettings, database: Database | None, *, read_only: bool = False) -> Huey:
    """Return the queue of a site; results are not kept, since the store has them. The first call connects.

    If `read_only`, the store is not changed and nothing is logged; without a database the queue appears empty.
    Raises ConfigurationError if a library is missing.
    """
    check_extra(settings, Extra.REDIS)
    storage = _hint_storage(settings, database, read_only=read_only)
    queue = Huey(settings.name, results=False, serializer=JsonSerializer(), storage_class=lambda _name: storage)
    queue.on_shutdown()(storage.close)  # each thread of a worker calls it at its end
    return queue


def queue_kind(settings: SiteSettings) -> QueueKind:
    """Return the kind that the settings name, otherwise the one that matches the store."""
    if settings.queue_url:
        return QueueKind.REDIS
    return QueueKind.POSTGRESQL if settings.store_url else QueueKind.SQLITE


def examine_queue(settings: SiteSettings) -> Iterator[Finding]:
    """Check that the queue can be reached; yield nothing for one in a file of this machine."""
    if queue_kind(settings) is QueueKind.SQLITE:
        return
    try:
        queue = open_queue(settings, None, read_only=True)
    except ConfigurationError as problem:
        yield error("queue", str(problem), "install it, or leave url under [queue] empty")
        return
    state = QueueWatch(settings, lambda: queue).look()
    queue.storage.close()
    address = _address(settings)
    if state.length is None:
        yield warning("queue", f"{address} cannot be reached: {state.problem}", QUEUE_REMEDY)
    else:
        yield ok("queue", f"{address} can be reached")


def _hint_storage(settings: SiteSettings, database: Database | None, *, read_only: bool) -> HintStorage:
    def open_storage() -> BaseStorage:
        if not settings.queue_url:
            return open_postgres(settings.store_url, read_only=read_only)
        find = find_identity if read_only else ensure_identity
        return open_redis(settings.queue_url, find(database) if database else "")

    on_change = None if read_only else partial(_log_change, _address(settings))
    if queue_kind(settings) is QueueKind.SQLITE:
        return FileHintStorage(settings.queue_path, CircuitBreaker(QueueUnreachable, 0.0, on_change=on_change))
    return HintStorage(open_storage, CircuitBreaker(QueueUnreachable, PAUSE_SECONDS, on_change=on_change))


def _address(settings: SiteSettings) -> str:
    """Return the address of the queue's server, without a password, or the path of its file."""
    return str(settings.queue_url or settings.store_url or settings.queue_path)


def _log_change(address: str, problem: str) -> None:
    if problem:
        _log.warning("queue_unreachable", queue=address, problem=problem)
    else:
        _log.info("queue_reachable", queue=address)
