"""Background work: which tasks there are, and the sweep that dispatches them.

The queue holds hints only: the store knows what is to be done, and each second the sweep looks for what is overdue.
So a killed worker or an emptied queue costs seconds, never data. Any number of workers may run on one site.
"""

import threading
import time
from contextlib import suppress
from functools import partial

import structlog
from huey.consumer import Consumer

from sitecms.actions.apply_write import FetchMedia, Worker, apply_entry
from sitecms.actions.publish_scheduled import anything_due, publish_scheduled
from sitecms.actions.side_work import SideWork
from sitecms.clock import Clock
from sitecms.content.media import MediaFile
from sitecms.errors import NotFound
from sitecms.media.fetch import FetchRules
from sitecms.media.library import MediaLibrary
from sitecms.media.remote import import_remote
from sitecms.settings import SiteSettings
from sitecms.store.counters import Counters
from sitecms.store.database import Database
from sitecms.store.owners import Owner, Owners
from sitecms.store.writes import get_write, hand_back, open_entries
from sitecms.tasks.queue import Queue

SWEEP_SECONDS = 1.0
POLL_SECONDS = 0.1
THREADS = 3  # while one waits for a slow remote, the others go on
DISPATCHED_AT_ONCE = 500
STOP_SECONDS = 3.0
_log = structlog.get_logger("sitecms.tasks")


class Background:
    """The queue of one site with its tasks. Results are not kept: what was done stands in the store."""

    def __init__(
        self,
        settings: SiteSettings,
        database: Database,
        clock: Clock,
        fetch: FetchMedia | None = None,
        counters: Counters | None = None,
    ) -> None:
        self.queue = Queue(settings.name, settings.queue_path)
        self._settings = settings
        self._database = database
        self._clock = clock
        self._publish = self.queue.task(name="publish_scheduled")(self._publish_scheduled)
        self._apply = self.queue.task(name="apply_write")(self._apply_write)
        self._fetch = fetch
        self._counters = counters or Counters()
        self._owners = Owners(settings.workers_dir)
        self._owner: Owner | None = None
        self._lock = threading.Lock()
        self.ending = threading.Event()

    def hint(self, write_id: str) -> None:
        """Tell the workers of an accepted write. If that fails, the sweep finds it: nobody has to know."""
        try:
            self._apply(write_id)
        except Exception as error:  # noqa: BLE001 - the write is kept, whatever became of the queue
            _log.warning("hint_lost", write=write_id, problem=str(error))

    def _retire(self) -> Owner | None:
        """Be known as dead; the next write is claimed by another owner."""
        with self._lock:
            owner, self._owner = self._owner, None
        if owner is not None:
            owner.leave()
        return owner

    def leave(self) -> None:
        """Hand back what this worker holds, and be known as gone."""
        owner = self._retire()
        if owner is not None:
            with self._database.writing(is_shown=False) as transaction:
                hand_back(transaction, owner.name)

    def side_work(self) -> SideWork:
        """What a worker does beside the queue."""
        return SideWork(self._settings, self._database, self._clock, self._counters)

    def sweep(self) -> None:
        """Dispatch what is overdue, unless the queue has something left to do already."""
        if self.queue.pending_count():
            return
        if anything_due(self._database, self._clock()):
            self._publish()
        with self._database.reading() as session:
            waiting = open_entries(session, DISPATCHED_AT_ONCE)
        for write_id, owner in waiting:
            if not owner or not self._owners.is_alive(owner):
                self._apply(write_id)

    def _apply_write(self, write_id: str) -> None:
        """The write, and all others to the same entry that wait by then."""
        with suppress(NotFound):
            with self._database.reading() as session:
                entry_key = get_write(session, write_id).entry_key
            try:
                apply_entry(self._worker(), entry_key, self.ending.is_set)
            except Exception:
                self._retire()  # not even the claim could be let go: whoever is alive may take it over
                raise

    def _worker(self) -> Worker:
        settings = self._settings
        library = MediaLibrary(settings.media_dir)
        with self._lock:
            self._owner = self._owner or self._owners.enter()
            owner = self._owner
        return Worker(
            database=self._database,
            settings=settings,
            library=library,
            fetch=self._fetch or partial(_fetch, library, FetchRules(settings.media.allow_hosts), self._clock),
            clock=self._clock,
            owner=owner.name,
            is_alive=self._owners.is_alive,
            counters=self._counters,
        )

    def _publish_scheduled(self) -> None:
        count = publish_scheduled(self._database, self._clock(), self._settings.default_locale)
        if count:
            _log.info("published_scheduled", entries=count)


def _fetch(library: MediaLibrary, rules: FetchRules, clock: Clock, url: str) -> MediaFile:
    return import_remote(url, library, rules, clock())


class _QuietConsumer(Consumer):  # type: ignore[misc]  # huey has no types
    """Leaves signals to the process it runs in."""

    def _set_signal_handlers(self) -> None:
        pass


def run_worker(background: Background, stop: threading.Event) -> None:
    """Carry out tasks and sweep each second until `stop` is set; a task that is running gets 3 s to end."""
    consumer = _QuietConsumer(
        background.queue, workers=THREADS, periodic=False, max_delay=POLL_SECONDS, shutdown_timeout=STOP_SECONDS
    )
    background.queue.storage.listen()
    consumer.start()
    beside = background.side_work()
    checked_at = swept_at = time.monotonic()
    while not stop.is_set():
        checked_at = consumer.loop(checked_at)  # waits a tenth of a second, and replaces threads that died
        if time.monotonic() - swept_at >= SWEEP_SECONDS:
            swept_at = time.monotonic()
            _sweep_safely(background)
            beside.step()
    background.ending.set()
    background.queue.storage.end_listening()
    beside.ask_to_stop()
    consumer.stop(graceful=True)
    beside.stop()
    background.leave()


def _sweep_safely(background: Background) -> None:
    """A sweep that fails (a store that is busy or gone) is told, and the next one tries again."""
    try:
        background.sweep()
    except Exception:  # noqa: BLE001 - whatever it was, the worker goes on
        _log.exception("sweep_failed")
