"""Background work: the tasks, the worker that runs them, and the sweep that queues overdue ones.

The queue holds hints only. The store contains what is to be done, and each second the sweep queues what is overdue, so
that a killed worker or an emptied queue costs seconds and no data. Any number of workers on any number of hosts may
run on one store: one of them at a time sweeps, and one publishes what is due.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from queue import SimpleQueue

import structlog
from huey.consumer import Consumer

from sitecms.actions.plugin_events import tell_plugins
from sitecms.actions.writing.apply.applying import Worker, apply_entry
from sitecms.actions.writing.apply.fetching import FetchJob, FetchMedia, FetchPool, import_remote
from sitecms.actions.writing.publish_scheduled import anything_due, publish_scheduled
from sitecms.clock import Clock
from sitecms.content.media import MediaFile
from sitecms.errors import NotFound, StoreUnusable
from sitecms.media.fetching.fetch import Budget, FetchRules
from sitecms.media.library import MediaLibrary, open_library
from sitecms.settings.current import CurrentSettings
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database
from sitecms.store.engines.locks import try_lock
from sitecms.store.maintenance.metrics import Metrics
from sitecms.store.maintenance.readiness import look_at_store
from sitecms.store.writes.claims import Membership, site_locks
from sitecms.store.writes.writes import get_write, open_entries, release_all
from sitecms.tasks.periodic_work import PeriodicWork
from sitecms.tasks.queue import open_queue
from sitecms.tasks.queue_storage import MOST_HINTS, QueueUnreachable
from sitecms.tasks.store_outage import StoreOutage

SWEEP_SECONDS = 1.0
POLL_SECONDS = 0.1  # in an idle worker
BUSY_POLL_SECONDS = 0.01  # after a write; each look that finds none makes the pause a seventh longer
THREADS = 3
DISPATCHED_AT_ONCE = 500
STOP_SECONDS = 3.0
SWEEP, PUBLISH = "sweep", "publish"
_log = structlog.get_logger("sitecms.tasks")


class HintSender:
    """Sends hints to a server from a thread of its own, which starts with the first hint, so that no caller waits."""

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send
        self._waiting: SimpleQueue[str] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, write_id: str) -> None:
        """Send the hint soon; drop it if too many wait."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="hints", daemon=True)
                self._thread.start()
        if self._waiting.qsize() < MOST_HINTS:
            self._waiting.put(write_id)

    def _run(self) -> None:
        while True:
            self._send(self._waiting.get())


class Background:
    """The queue of one site and its tasks. Results are not kept: the store has them."""

    def __init__(
        self,
        settings: SiteSettings,
        database: Database,
        clock: Clock,
        fetch: FetchMedia | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.queue = open_queue(settings, database)
        self._settings = CurrentSettings(settings, self._tell_plugins)
        self._store = settings.store
        self._database = database
        self._clock = clock
        self._publish = self._task("publish_scheduled", self._publish_scheduled)
        self._apply = self._task("apply_write", self._apply_write)
        self._fetch = fetch
        self._metrics = metrics or Metrics()
        self._locks = site_locks(settings)
        self._membership = Membership(self._locks)
        self._fetches = FetchPool()
        self._after_fetches = ThreadPoolExecutor(1, "fetched")
        self._sweep_after = 0
        self._sender = HintSender(self._send_hint) if self.queue.storage.blocking else None
        self.ending = threading.Event()
        self.outage = StoreOutage()

    def _tell_plugins(self, settings: SiteSettings) -> None:
        """Have the plug-ins hear of changes by new settings."""
        tell_plugins(self._database, settings, lambda problem: _log.warning("plugin_failed", problem=problem))

    def hint(self, write_id: str) -> None:
        """Queue an accepted write. Never waits for a server and never fails: the sweep finds the write otherwise."""
        if self._sender is not None:
            self._sender.put(write_id)
        else:
            self._send_hint(write_id)

    def _send_hint(self, write_id: str) -> None:
        try:
            self._apply(write_id)
        except QueueUnreachable:
            pass  # logged when it began
        except Exception as error:  # noqa: BLE001 - the store has the write
            _log.warning("hint_lost", write=write_id, problem=str(error))

    def leave(self) -> None:
        """Release all claims of this worker and its locks, as far as the store can be used.

        The next worker fetches again the remote media that are being fetched.
        """
        self._fetches.stop()
        self._after_fetches.shutdown(wait=True, cancel_futures=True)
        name = self._membership.leave()
        if name is not None:
            with suppress(StoreUnusable), self._database.writing(counts_as_change=False) as transaction:
                release_all(transaction, name)
        self.close()

    def close(self) -> None:
        """Close this thread's connections to the queue, and release all locks."""
        self.queue.storage.close()
        self._locks.close()

    def periodic_work(self, *, builds: bool = True) -> PeriodicWork:
        """Return the periodic work of this worker; without `builds` it does not build the site."""
        return PeriodicWork(self._settings, self._database, self._clock, self._metrics, self._locks, builds=builds)

    def sweep(self) -> None:
        """Queue what is overdue, unless another worker sweeps now or hints wait in the queue."""
        with try_lock(self._locks, SWEEP) as is_alone:
            if is_alone and not self.queue.pending_count():
                self._dispatch()

    def _dispatch(self) -> None:
        if anything_due(self._database, self._clock(), self._settings.now()):
            self._publish()
        waiting = self._database.read(open_entries, self._clock(), DISPATCHED_AT_ONCE, self._sweep_after)
        # The next sweep goes on behind a full page, since its writes may wait for their media for long.
        self._sweep_after = waiting[-1].sequence if len(waiting) == DISPATCHED_AT_ONCE else 0
        owners = {entry.owner for entry in waiting if entry.owner}
        living = {owner for owner in owners if self._locks.is_held(owner)}
        for entry in waiting:
            if entry.owner not in living:
                self._apply(entry.write_id)

    def _task(self, name: str, act: Callable[..., None]) -> Callable[..., object]:
        """Register a task and return the function that queues it."""
        enqueue: Callable[..., object] = self.queue.task(name=name)(partial(self._run_task, act))
        return enqueue

    def _run_task(self, act: Callable[..., None], *arguments: object) -> None:
        """Run a task. While the store cannot be used nothing is done; the sweep queues it again."""
        try:
            act(*arguments)
        except (StoreUnusable, OSError) as error:
            self.outage.begin(error)

    def end_outage(self) -> None:
        """Note that the store can be used again, if it was not: a sweep that only reads does not show that."""
        if self.outage.is_on and not look_at_store(self._store).write_problem:
            self.outage.end()

    def _apply_write(self, write_id: str) -> None:
        """Apply the write, and all others to the same entry that wait."""
        with suppress(NotFound):
            entry_key = self._database.read(get_write, write_id).entry_key
            worker = self._worker()
            self._with_claims(partial(apply_entry, worker, entry_key, lambda: self._is_ending(worker.owner)))

    def _with_claims(self, act: Callable[[], object]) -> None:
        """Run what may hold a claim. On an error the owner ends, so that other workers may take the claim."""
        try:
            act()
        except Exception:
            self._membership.leave()
            raise

    def _start_fetching(self, job: FetchJob, finish: Callable[[], None]) -> bool:
        """Fetch in the background; run `finish` in one thread, since it needs connections to the store."""
        return self._fetches.start(job, partial(self._fetched, finish))

    def _fetched(self, finish: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the worker stops, and has released the write
            self._after_fetches.submit(self._finish_fetched, finish)

    def _finish_fetched(self, finish: Callable[[], None]) -> None:
        try:
            self._run_task(self._with_claims, finish)
        except Exception:  # noqa: BLE001 - the thread goes on, as those of Huey do
            _log.exception("fetched_write_failed")

    def _is_ending(self, owner: str) -> bool:
        """Return whether nothing more may be claimed under the name."""
        return self.ending.is_set() or not self._membership.is_now(owner)

    def _worker(self) -> Worker:
        settings = self._settings.now()
        library = open_library(settings)
        return Worker(
            database=self._database,
            settings=settings,
            library=library,
            fetch=self._fetch or partial(_fetch, library, FetchRules(settings.media.allow_hosts), self._clock),
            clock=self._clock,
            owner=self._membership.name(),
            is_alive=self._locks.is_held,
            start_fetching=self._start_fetching,
            metrics=self._metrics,
        )

    def _publish_scheduled(self) -> None:
        with try_lock(self._locks, PUBLISH) as is_alone:
            if not is_alone:
                return
            count = publish_scheduled(self._database, self._clock(), self._settings.now())
        if count:
            _log.info("published_scheduled", entries=count)


def _fetch(library: MediaLibrary, rules: FetchRules, clock: Clock, url: str, budget: Budget) -> MediaFile:
    return import_remote(url, library, rules, clock(), budget)


class _WorkerConsumer(Consumer):  # type: ignore[misc]  # huey has no types
    """Consumer that leaves signals to its process, for which Huey has no option."""

    def _set_signal_handlers(self) -> None:
        pass


def run_worker(
    background: Background, stop: threading.Event, *, builds: bool = True, sweep_seconds: float = SWEEP_SECONDS
) -> None:
    """Run tasks, and sweep each second, until `stop` is set; a task that is running then gets 3 s to end."""
    consumer = _WorkerConsumer(
        background.queue,
        workers=THREADS,
        periodic=False,
        initial_delay=BUSY_POLL_SECONDS,
        max_delay=POLL_SECONDS,
        shutdown_timeout=STOP_SECONDS,
    )
    background.queue.storage.has_worker = True
    consumer.start()
    periodic_work = background.periodic_work(builds=builds)
    checked_at = swept_at = time.monotonic()
    while not stop.is_set():
        checked_at = consumer.loop(checked_at)  # waits for 0.1 s, and replaces threads that died
        if time.monotonic() - swept_at >= sweep_seconds:
            swept_at = time.monotonic()
            _sweep_and_step(background, periodic_work)
    background.ending.set()
    periodic_work.ask_to_stop()
    consumer.stop(graceful=True)
    periodic_work.stop()
    background.leave()


def _sweep_and_step(background: Background, periodic_work: PeriodicWork) -> None:
    """Sweep and do the work beside the queue. What fails is tried again by the next call."""
    try:
        background.sweep()
        periodic_work.step()
    except (StoreUnusable, OSError) as error:  # OSError: of its locks, or of a full disk
        background.outage.begin(error)
    except Exception:  # noqa: BLE001 - the worker goes on
        _log.exception("sweep_failed")
    else:
        background.end_outage()
