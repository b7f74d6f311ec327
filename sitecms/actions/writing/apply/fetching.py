"""Fetching of the remote media of a write, before its transaction, into files named by their content.

Writes fetch in a pool of threads: a slow host delays only the writes that name it.
"""

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlsplit

from sitecms.actions.writing.request_media import UNREACHABLE, FetchedMedia
from sitecms.content.media import MediaFile
from sitecms.errors import FetchFailed, FetchRefused, InvalidFields, InvalidMedia, RemoteMissing
from sitecms.media.decoding.sandbox import normalized
from sitecms.media.fetching.fetch import Budget, FetchRules, fetch
from sitecms.media.library import MediaLibrary
from sitecms.store.database import Transaction
from sitecms.store.entries.media_files import save_media, save_source

MAX_DECODERS = 3  # each may take as much memory as its limits allow
_decoders = threading.BoundedSemaphore(MAX_DECODERS)


def import_remote(url: str, library: MediaLibrary, rules: FetchRules, at: datetime, budget: Budget) -> MediaFile:
    """Fetch a file, encode it without metadata, and store it. Equal pictures become one file.

    Takes up to `rules.total_seconds`, what is left of the budget, and the seconds of the sandbox, so call it outside of
    transactions. Raises RemoteMissing, FetchRefused, FetchFailed, InvalidMedia for a file of an unsupported type, and
    MediaUnusable if it cannot be stored.
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
"""Takes the file at a remote URL into the library. Raises RemoteMissing, FetchRefused, FetchFailed, InvalidMedia."""

FETCH_ATTEMPTS = 3
MEGABYTE = 1024 * 1024
TOO_SLOW = "The remote files of this write took longer than {seconds:g} s together; {url} was still missing."
TOO_LARGE = "The remote files of this write hold more than {megabytes} MB together; {url} was one too many."
_SHOWN_CHARACTERS = 200


class FetchJob:
    """The remote media of one write. Safe to share between threads.

    `named` are (field, URL); `attempt` counts the attempts to apply the write, this one included. The first address
    that decides the outcome ends the job: what is fetched after that is not used.
    """

    def __init__(self, named: Iterable[tuple[str, str]], attempt: int, fetch: FetchMedia, budget: Budget) -> None:
        self._fields = {url: field for field, url in reversed(tuple(named))}
        self._is_last_attempt = attempt >= FETCH_ATTEMPTS
        self._fetch = fetch
        self._budget = budget
        self._lock = threading.Lock()
        self._fetched: dict[str, MediaFile] = {}
        self._problems: dict[str, str] = {}
        self._failure: Exception | None = None

    @property
    def urls(self) -> tuple[str, ...]:
        """Addresses to fetch, each once, in the order in which the write names them."""
        return tuple(reversed(self._fields))

    def is_over(self) -> bool:
        """Return whether the outcome is known."""
        with self._lock:
            done = len(self._fetched) + len(self._problems)
            return self._failure is not None or done == len(self._fields)

    def fetch(self, url: str) -> None:
        """Fetch one of the addresses, and note the outcome; never raises. Does nothing if the job is over."""
        if self.is_over():
            return
        try:
            if self._budget.seconds_left() > 0:
                with self._budget.running():
                    file = self._fetch(url, self._budget)
                with self._lock:
                    self._fetched[url] = file
        except (RemoteMissing, FetchRefused):
            self._note_problem(url, UNREACHABLE)
        except InvalidMedia as error:
            self._note_problem(url, str(error))
        except FetchFailed as error:
            if self._budget.seconds_left() > 0:
                self._note_failure(url, error)
        except Exception as error:  # noqa: BLE001 - the thread belongs to other writes too
            self._end(error)
        self._check_budget(url)

    def result(self) -> dict[str, MediaFile]:
        """Return the files by URL.

        Raises InvalidFields for what cannot be had, FetchFailed where another attempt may succeed, and what else a
        fetch raised.
        """
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if self._problems:
                raise InvalidFields(self._messages(self._problems))
            return dict(self._fetched)

    def _note_problem(self, url: str, problem: str) -> None:
        with self._lock:
            self._problems[url] = problem

    def _note_failure(self, url: str, error: FetchFailed) -> None:
        if self._is_last_attempt:
            self._note_problem(url, UNREACHABLE)
        else:
            self._end(error)

    def _end(self, error: Exception) -> None:
        with self._lock:
            self._failure = self._failure or error

    def _check_budget(self, url: str) -> None:
        """End the job if it exceeded its time or size."""
        shown = url[:_SHOWN_CHARACTERS]
        if self._budget.is_out_of_bytes():
            text = TOO_LARGE.format(megabytes=self._budget.max_bytes // MEGABYTE, url=shown)
        elif self._budget.seconds_left() <= 0 and not self.is_over():
            missing = next((each for each in self.urls if each not in self._fetched), url)
            text = TOO_SLOW.format(seconds=self._budget.seconds, url=missing[:_SHOWN_CHARACTERS])
        else:
            return
        self._end(InvalidFields({self._fields[url]: [text]}))

    def _messages(self, problems: dict[str, str]) -> dict[str, list[str]]:
        """Return the problems by field, with the address where a field can name several."""
        messages: dict[str, list[str]] = {}
        for url in (each for each in self.urls if each in problems):
            field, problem = self._fields[url], problems[url]
            is_plain = field == "featured_image" or problem != UNREACHABLE
            messages.setdefault(field, []).append(problem if is_plain else f"{problem} {url[:_SHOWN_CHARACTERS]}")
        return messages


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
    return (urlsplit(url).hostname or "").rstrip(".")


def remember_media(transaction: Transaction, media: FetchedMedia) -> None:
    """Store the descriptions of the files and their source URLs."""
    for url, file in media.files().items():
        save_media(transaction, file)
        save_source(transaction, url, file.name)


THREADS = 8
THREADS_PER_HOST = 2
MAX_JOBS = 1000


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
    the fetches that run already. The pool stores nothing: the write of a job that is lost with its process is claimed
    by another worker.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: OrderedDict[str, deque[_HostBatch]] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._jobs: set[FetchJob] = set()
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
            part.job.fetch(url)
            self._finish(host, part)

    def _next(self) -> tuple[str, str, _HostBatch] | None:
        """Wait for an address to fetch; None when the pool is stopped."""
        with self._changed:
            while not self._is_stopped:
                if (task := self._take()) is not None:
                    self._running[task[0]] += 1
                    return task
                self._changed.wait()
        return None

    def _take(self) -> tuple[str, str, _HostBatch] | None:
        """Return the next address of the host that waited longest, among hosts that may have one more thread."""
        for host, parts in tuple(self._waiting.items()):
            while parts and parts[0].job.is_over():
                parts.popleft()
            if not parts:
                del self._waiting[host]
            elif self._running[host] < THREADS_PER_HOST:
                part = parts.popleft()
                url = part.urls.popleft()
                if part.urls:
                    parts.append(part)
                self._waiting.move_to_end(host)
                return host, url, part
        return None

    def _finish(self, host: str, part: _HostBatch) -> None:
        with self._changed:
            self._running[host] -= 1
            if not self._running[host]:
                del self._running[host]
            is_last = part.job in self._jobs and part.job.is_over()
            if is_last:
                self._jobs.discard(part.job)
            self._changed.notify()
        if is_last:
            part.done()
