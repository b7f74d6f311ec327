"""Fetching of the remote media of a write, before its transaction, into files named by their content.

Writes fetch in a pool of threads: a slow host delays only the writes that name it.
"""

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from msgspec.structs import replace

from sitecms.actions.writing.request_media import FetchedMedia
from sitecms.content.media import MediaFile
from sitecms.errors import FetchFailed, FetchRejected, HostBusy, InvalidMedia
from sitecms.media.decoding.sandbox import normalized
from sitecms.media.fetching.fetch import Budget, FetchRules, fetch
from sitecms.media.library import MediaLibrary
from sitecms.store.database import Transaction
from sitecms.store.entries.media_files import save_media, save_source
from sitecms.web_address import split_address

MAX_DECODERS = 3  # each may take as much memory as its limits allow
_decoders = threading.BoundedSemaphore(MAX_DECODERS)
MEGABYTE = 1024 * 1024
TOO_SLOW = "The remote files of this write took longer than {seconds:g} s together."
TOO_LARGE = "The remote files of this write hold more than {megabytes} MB together."
THREADS = 8
THREADS_PER_HOST = 2
TOO_MANY_REQUESTS = 429
MAX_PAUSE_SECONDS = 600.0
"""Longest time for which this process asks a host nothing, and for which a host that had too much gets one request at
a time."""
MAX_JOBS = 1000


def import_remote(url: str, library: MediaLibrary, rules: FetchRules, at: datetime, budget: Budget) -> MediaFile:
    """Fetch a file, encode it without metadata, and store it. Equal pictures become one file.

    Takes up to `rules.total_seconds`, what is left of the budget, and the seconds of the sandbox, so call it outside of
    transactions. Raises FetchRejected, FetchFailed for what may pass, InvalidMedia for a file of an unsupported type,
    and MediaUnusable if it cannot be stored.
    """
    library.storage.refuse_early()
    left = budget.seconds_left()
    if left <= 0:
        raise FetchFailed("the time for all files of the write is over")
    fetched = fetch(url, replace(rules, total_seconds=min(rules.total_seconds, left)))
    budget.add_bytes(len(fetched.data))
    with _decoders:
        data = normalized(fetched.data, fetched.name)
    return library.add(data, fetched.name, at)


FetchMedia = Callable[[str, Budget], MediaFile]
"""Takes the file at a remote URL into the library. Raises FetchRejected, FetchFailed (it may pass), InvalidMedia."""


class MediaUnavailable(Exception):
    """Raised if remote media of a write cannot be fetched: `problems` are messages by URL.

    `wait_seconds` is None if trying again is of no use; otherwise the time that a host asks to wait, 0 for any.
    """

    def __init__(self, problems: Mapping[str, str], wait_seconds: float | None = None) -> None:
        super().__init__("; ".join(problems.values()))
        self.problems = problems
        self.wait_seconds = wait_seconds


class FetchJob:
    """The remote media of one write. Safe to share between threads.

    The first address that decides the outcome ends the job: what is fetched after that is not used.
    """

    def __init__(self, urls: Iterable[str], fetch: FetchMedia, budget: Budget) -> None:
        self.urls = tuple(dict.fromkeys(urls))
        self._fetch = fetch
        self._budget = budget
        self._lock = threading.Lock()
        self._fetched: dict[str, MediaFile] = {}
        self._problems: dict[str, str] = {}
        self._failure: Exception | None = None

    def is_over(self) -> bool:
        """Return whether the outcome is known."""
        with self._lock:
            done = len(self._fetched) + len(self._problems)
            return self._failure is not None or done == len(self.urls)

    def fetch(self, url: str) -> HostBusy | None:
        """Fetch one of the addresses, and note the outcome; never raises. Does nothing if the job is over.

        Returns what a busy host answered.
        """
        if self.is_over():
            return None
        busy = None
        try:
            if self._budget.seconds_left() > 0:
                with self._budget.running():
                    file = self._fetch(url, self._budget)
                with self._lock:
                    self._fetched[url] = file
        except (FetchRejected, InvalidMedia) as error:
            with self._lock:
                self._problems[url] = str(error)
        except FetchFailed as error:
            busy = error if isinstance(error, HostBusy) else None
            if self._budget.seconds_left() > 0:
                self._end(MediaUnavailable({url: str(error)}, busy.seconds if busy else 0.0))
        except Exception as error:  # noqa: BLE001 - the thread belongs to other writes too
            self._end(error)
        self._check_budget(url)
        return busy

    def result(self) -> dict[str, MediaFile]:
        """Return the files by URL. Raises MediaUnavailable, and what else a fetch raised."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self._problems:
                raise MediaUnavailable(self._problems)
            return dict(self._fetched)

    def _end(self, error: Exception) -> None:
        with self._lock:
            self._failure = self._failure or error

    def _check_budget(self, url: str) -> None:
        """End the job if it exceeded its time or size."""
        if self._budget.is_out_of_bytes():
            self._end(MediaUnavailable({url: TOO_LARGE.format(megabytes=self._budget.max_bytes // MEGABYTE)}))
        elif self._budget.seconds_left() <= 0 and not self.is_over():
            missing = next((each for each in self.urls if each not in self._fetched), url)
            self._end(MediaUnavailable({missing: TOO_SLOW.format(seconds=self._budget.seconds)}))


StartFetching = Callable[[FetchJob, Callable[[], None]], bool]
"""Fetch all files of a job. Returns True if that is done; False if another thread does it and calls the function then.

Raises FetchQueueFull where too many writes wait already.
"""


def fetch_now(job: FetchJob, _done: Callable[[], None]) -> bool:
    """Fetch the files of the job one after the other, in this thread."""
    for url in job.urls:
        job.fetch(url)
    return True


def host_of(url: str) -> str:
    """Return the host that an address names, in lower case."""
    return (split_address(url).hostname or "").rstrip(".")


def remember_media(transaction: Transaction, media: FetchedMedia) -> None:
    """Store the descriptions of the files and their source URLs."""
    for url, file in media.files().items():
        save_media(transaction, file)
        save_source(transaction, url, file.name)


class FetchQueueFull(Exception):
    """Raised if too many writes wait for remote media; the write is claimed again later."""


class _HostBatch:
    """Addresses of one job at one host that no thread has begun to fetch."""

    __slots__ = ("done", "job", "urls")

    def __init__(self, job: FetchJob, done: Callable[[], None], urls: Iterable[str]) -> None:
        self.job = job
        self.done = done
        self.urls = deque(urls)


class FetchPool:
    """Pool of threads with a limit in all and a limit for each host.

    Hosts are served in turn, and so are the jobs at one host: a slow host or a large job delays the others only by
    the fetches that run already. A host that answers with a time to wait is asked nothing until then, and one that had
    too many requests gets one at a time from then on. The pool stores nothing: the write of a job that is lost with its
    process is claimed by another worker.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: OrderedDict[str, deque[_HostBatch]] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._jobs: set[FetchJob] = set()
        self._not_before: dict[str, float] = {}
        self._one_at_a_time_until: dict[str, float] = {}
        self._threads = 0
        self._is_stopped = False

    def start(self, job: FetchJob, done: Callable[[], None]) -> bool:
        """Fetch the job's files in the background, and call `done` once its outcome is known. Returns False.

        `done` must not raise. Raises FetchQueueFull.
        """
        by_host: dict[str, list[str]] = {}
        for url in job.urls:
            by_host.setdefault(host_of(url), []).append(url)
        with self._changed:
            if self._is_stopped or len(self._jobs) >= MAX_JOBS:
                raise FetchQueueFull
            self._jobs.add(job)
            for host, urls in by_host.items():
                self._waiting.setdefault(host, deque()).append(_HostBatch(job, done, urls))
            self._start_threads()
            self._changed.notify(len(job.urls))
        return False

    def stop(self) -> None:
        """Begin no more fetches, and call no more `done`; fetches that run end by themselves."""
        with self._changed:
            self._is_stopped = True
            self._waiting.clear()
            self._jobs.clear()
            self._changed.notify_all()

    def _start_threads(self) -> None:
        waiting = sum(len(part.urls) for parts in self._waiting.values() for part in parts)
        wanted = min(waiting + self._running.total(), THREADS)
        while self._threads < wanted:
            self._threads += 1
            threading.Thread(target=self._run, name=f"fetch-{self._threads}", daemon=True).start()

    def _run(self) -> None:
        while (task := self._next()) is not None:
            host, url, part = task
            self._finish(host, part, part.job.fetch(url))

    def _next(self) -> tuple[str, str, _HostBatch] | None:
        """Wait for an address to fetch; None when the pool is stopped."""
        with self._changed:
            while not self._is_stopped:
                if (task := self._take()) is not None:
                    self._running[task[0]] += 1
                    return task
                self._changed.wait(self._seconds_to_next())
        return None

    def _seconds_to_next(self) -> float | None:
        """Return the seconds until a waiting host may be asked again; None if no host pauses."""
        times = [self._not_before[host] for host in self._waiting if host in self._not_before]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _may_ask(self, host: str) -> bool:
        """Return whether the host may get one more request now."""
        now = time.monotonic()
        if self._not_before.get(host, 0.0) > now:
            return False
        self._not_before.pop(host, None)
        is_slow = self._one_at_a_time_until.get(host, 0.0) > now
        return self._running[host] < (1 if is_slow else THREADS_PER_HOST)

    def _take(self) -> tuple[str, str, _HostBatch] | None:
        """Return the next address of the host that waited longest, among hosts that may have one more thread."""
        for host, parts in tuple(self._waiting.items()):
            while parts and parts[0].job.is_over():
                parts.popleft()
            if not parts:
                del self._waiting[host]
            elif self._may_ask(host):
                part = parts.popleft()
                url = part.urls.popleft()
                if part.urls:
                    parts.append(part)
                self._waiting.move_to_end(host)
                return host, url, part
        return None

    def _finish(self, host: str, part: _HostBatch, busy: HostBusy | None) -> None:
        with self._changed:
            if busy is not None:
                self._slow_down(host, busy)
            self._running[host] -= 1
            if not self._running[host]:
                del self._running[host]
            is_last = part.job in self._jobs and part.job.is_over()
            if is_last:
                self._jobs.discard(part.job)
            self._changed.notify()
        if is_last:
            part.done()

    def _slow_down(self, host: str, busy: HostBusy) -> None:
        """Leave a busy host alone for the time that it asks for."""
        now = time.monotonic()
        if busy.seconds:
            self._not_before[host] = now + min(busy.seconds, MAX_PAUSE_SECONDS)
        if busy.status == TOO_MANY_REQUESTS:
            self._one_at_a_time_until[host] = now + MAX_PAUSE_SECONDS
