"""Background work by Huey: which tasks there are, how they travel, and the sweep that dispatches them.

The queue holds hints only: the store knows what is to be done, and each second the sweep looks for what is overdue.
So a killed worker or an emptied queue costs seconds, never data. Any number of workers may run on one site.
"""

import threading
import time
from datetime import datetime
from typing import Any

import orjson
import structlog
from huey import CySqliteHuey
from huey.consumer import Consumer
from huey.registry import Message
from huey.serializer import Serializer

from sitecms.actions.publish_scheduled import anything_due, publish_scheduled
from sitecms.clock import Clock
from sitecms.settings import SiteSettings
from sitecms.store.database import Database

SWEEP_SECONDS = 1.0
POLL_SECONDS = 0.5
STOP_SECONDS = 3.0
_TIMES = ("eta", "expires_resolved")
_log = structlog.get_logger("sitecms.tasks")


class JsonSerializer(Serializer):  # type: ignore[misc]  # huey has no types
    """Messages as JSON objects of the fields of `huey.registry.Message`; never pickle, so that no one who can
    write to the queue's file can run code. Chains of tasks are refused: what follows is the sweep's to see."""

    def _serialize(self, data: Message) -> bytes:
        return orjson.dumps(data._asdict())

    def _deserialize(self, data: bytes) -> Message:
        fields: dict[str, Any] = orjson.loads(data)
        for name in _TIMES:
            if isinstance(fields.get(name), str):
                fields[name] = datetime.fromisoformat(fields[name])
        return Message(**fields)


class Background:
    """The queue of one site with its tasks. Results are not kept: what was done stands in the store."""

    def __init__(self, settings: SiteSettings, database: Database, clock: Clock) -> None:
        self.queue = CySqliteHuey(
            settings.name, filename=str(settings.queue_path), results=False, serializer=JsonSerializer()
        )
        self._database = database
        self._clock = clock
        self._publish = self.queue.task(name="publish_scheduled")(self._publish_scheduled)

    def sweep(self) -> None:
        """Dispatch what is overdue, unless the queue has something left to do already."""
        if anything_due(self._database, self._clock()) and not self.queue.pending_count():
            self._publish()

    def _publish_scheduled(self) -> None:
        count = publish_scheduled(self._database, self._clock())
        if count:
            _log.info("published_scheduled", entries=count)


class _QuietConsumer(Consumer):  # type: ignore[misc]  # huey has no types
    """Leaves signals to the process it runs in."""

    def _set_signal_handlers(self) -> None:
        pass


def run_worker(background: Background, stop: threading.Event) -> None:
    """Carry out tasks and sweep each second until `stop` is set; a task that is running gets 3 s to end."""
    consumer = _QuietConsumer(
        background.queue, workers=1, periodic=False, max_delay=POLL_SECONDS, shutdown_timeout=STOP_SECONDS
    )
    consumer.start()
    checked_at = swept_at = time.monotonic()
    while not stop.is_set():
        checked_at = consumer.loop(checked_at)  # waits a tenth of a second, and replaces threads that died
        if time.monotonic() - swept_at >= SWEEP_SECONDS:
            swept_at = time.monotonic()
            _sweep_safely(background)
    consumer.stop(graceful=True)


def _sweep_safely(background: Background) -> None:
    """A sweep that fails (a store that is busy or gone) is told, and the next one tries again."""
    try:
        background.sweep()
    except Exception:  # noqa: BLE001 - whatever it was, the worker goes on
        _log.exception("sweep_failed")
