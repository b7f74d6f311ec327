"""Downloads of many files: a few at once from each host, tried again, slowed down when a host asks for it."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sitecms.content.fingerprint import digest
from sitecms.errors import FetchFailed, FetchRefused, RemoteMissing
from sitecms.importing.media.needed_media import NeededMedia
from sitecms.media.fetching.download import Download, TryLater, download
from sitecms.media.fetching.fetch import FetchRules

AT_ONCE = 12
AT_ONCE_OF_HOST = 4
TRIES = 3
PATIENT_TRIES = 12
"""Tries at a host that names the time to wait."""
MAX_WAIT_SECONDS = 300.0
_WAITS = (1.0, 5.0, 20.0)

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result for one file: a download, or a problem. `address` is the one that was downloaded."""

    wanted: NeededMedia
    address: str = ""
    file: Download | None = None
    problem: str = ""


@dataclass(slots=True)
class _Job:
    """A file to download, with its next address and the number of attempts for it."""

    wanted: NeededMedia
    place: int = 0
    tries: int = 0

    @property
    def address(self) -> str:
        return self.wanted.addresses[self.place]

    @property
    def host(self) -> str:
        return (urlsplit(self.address).hostname or "").lower()


class _Queue:
    """Jobs by host, with the time from which a host may be requested again."""

    def __init__(self) -> None:
        self._jobs: dict[str, deque[_Job]] = {}
        self._running: dict[str, int] = {}
        self._not_before: dict[str, float] = {}

    def add(self, job: _Job, *, first: bool = False) -> None:
        jobs = self._jobs.setdefault(job.host, deque())
        (jobs.appendleft if first else jobs.append)(job)

    def pause(self, host: str, until: float) -> None:
        self._not_before[host] = max(until, self._not_before.get(host, 0.0))

    def take(self, at: float) -> _Job | None:
        """Return a job whose host may be requested now, or None."""
        for host, jobs in self._jobs.items():
            if jobs and self._running.get(host, 0) < AT_ONCE_OF_HOST and self._not_before.get(host, 0.0) <= at:
                self._running[host] = self._running.get(host, 0) + 1
                return jobs.popleft()
        return None

    def done(self, host: str) -> None:
        self._running[host] -= 1

    def seconds_to_next(self, at: float) -> float | None:
        """Return the seconds until a waiting host may be requested; None if no job waits."""
        times = [self._not_before.get(host, 0.0) - at for host, jobs in self._jobs.items() if jobs]
        return max(0.0, min(times)) if times else None


def fetch_all(
    wanted: Iterable[NeededMedia],
    folder: Path,
    rules: FetchRules,
    sleep: Callable[[float], None] = time.sleep,
    clock: Clock = time.monotonic,
) -> Iterator[Outcome]:
    """Yield the outcome of each file when it is finished; unfinished files stay in `folder` for the next run."""
    queue = _Queue()
    for each in wanted:
        queue.add(_Job(each))
    running: dict[Future[Download], _Job] = {}
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="import-media") as pool:
        try:
            while True:
                while len(running) < AT_ONCE and (job := queue.take(clock())):
                    part = folder / f"{digest(job.address.encode())[:24]}.part"
                    running[pool.submit(download, job.address, part, rules)] = job
                pause = queue.seconds_to_next(clock())
                if not running and pause is None:
                    return
                if not running:
                    sleep(min(pause or 0.0, 1.0))
                    continue
                done, _waiting = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
                for future in done:
                    job = running.pop(future)
                    queue.done(job.host)
                    if outcome := _settled(job, future, queue, clock()):
                        yield outcome
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _settled(job: _Job, future: "Future[Download]", queue: _Queue, at: float) -> Outcome | None:
    """Return the outcome of a job, or None after it was queued again."""
    try:
        return Outcome(job.wanted, job.address, future.result())
    except (RemoteMissing, FetchRefused) as error:
        problem = str(error) if isinstance(error, RemoteMissing) else f"refused: {error.reason}"
    except TryLater as error:
        job.tries += 1
        if error.seconds > MAX_WAIT_SECONDS:
            return Outcome(job.wanted, job.address, problem=f"{error} It asks to wait {error.seconds:.0f} s.")
        if job.tries < (PATIENT_TRIES if error.seconds else TRIES):
            queue.pause(job.host, at + (error.seconds or _WAITS[min(job.tries, len(_WAITS)) - 1]))
            queue.add(job, first=True)
            return None
        problem = str(error)
    except FetchFailed as error:
        job.tries += 1
        if job.tries < TRIES:
            queue.pause(job.host, at + _WAITS[job.tries - 1])
            queue.add(job)
            return None
        problem = f"{error.reason}"
    except OSError as error:
        problem = f"cannot be written: {error.strerror}"
    if job.place + 1 < len(job.wanted.addresses):  # the original is gone: the copy that the text names
        queue.add(_Job(job.wanted, job.place + 1), first=True)
        return None
    return Outcome(job.wanted, job.address, problem=problem)
