"""Thread pool that fetches the remote media of many writes; a slow host delays only the writes that name it."""

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable

from sitecms.actions.writing.apply.fetching import FetchJob, host_of

THREADS = 8
THREADS_PER_HOST = 2
MAX_JOBS = 1000


class FetchQueueFull(Exception):
    """Raised if too many writes wait for remote media; the write is claimed again later."""


class _Part:
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

    def __init__(self, threads: int = THREADS, per_host: int = THREADS_PER_HOST, max_jobs: int = MAX_JOBS) -> None:
        self._max_threads = threads
        self._per_host = per_host
        self._max_jobs = max_jobs
        self._changed = threading.Condition()
        self._waiting: OrderedDict[str, deque[_Part]] = OrderedDict()
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
            if self._is_stopped or len(self._jobs) >= self._max_jobs:
                raise FetchQueueFull
            self._jobs.add(job)
            for host, urls in by_host.items():
                self._waiting.setdefault(host, deque()).append(_Part(job, done, urls))
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
        wanted = min(waiting + self._running.total(), self._max_threads)
        while self._threads < wanted:
            self._threads += 1
            threading.Thread(target=self._run, name=f"fetch-{self._threads}", daemon=True).start()

    def _run(self) -> None:
        while (task := self._next()) is not None:
            host, url, part = task
            part.job.fetch(url)
            self._finish(host, part)

    def _next(self) -> tuple[str, str, _Part] | None:
        """Wait for an address to fetch; None when the pool is stopped."""
        with self._changed:
            while not self._is_stopped:
                if (task := self._take()) is not None:
                    self._running[task[0]] += 1
                    return task
                self._changed.wait()
        return None

    def _take(self) -> tuple[str, str, _Part] | None:
        """Return the next address of the host that waited longest, among hosts that may have one more thread."""
        for host, parts in tuple(self._waiting.items()):
            while parts and parts[0].job.is_over():
                parts.popleft()
            if not parts:
                del self._waiting[host]
            elif self._running[host] < self._per_host:
                part = parts.popleft()
                url = part.urls.popleft()
                if part.urls:
                    parts.append(part)
                self._waiting.move_to_end(host)
                return host, url, part
        return None

    def _finish(self, host: str, part: _Part) -> None:
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
