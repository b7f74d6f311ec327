"""Downloads of many large files to disk: a few at once from each host, tried again, slower where a host is busy.

They are guarded as all fetches (`media.fetching`), and continued after an interruption.
"""

import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

import requests
from msgspec import Struct
from msgspec.structs import replace

from sitecms.content.fingerprint import digest
from sitecms.errors import FetchFailed, FetchRefused, FetchRejected, FileTooLarge, HostBusy, RemoteMissing
from sitecms.guarded_http.client import BROKEN_EXCHANGE
from sitecms.importing.media.needed_media import NeededMedia
from sitecms.media.fetching.fetch import BROKEN_OFF, FetchRules, check_status, file_name_of, followed
from sitecms.web_address import split_address

_CHUNK_BYTES = 256 * 1024
_VALIDATOR_SUFFIX = ".validator"
AT_ONCE = 12
AT_ONCE_OF_HOST = 4
TRIES = 3
PATIENT_TRIES = 12
"""Tries at a host that names the time to wait."""
MAX_WAIT_SECONDS = 300.0
FAILURES_OF_HOST = AT_ONCE_OF_HOST * TRIES
"""Failures in a row after which a host is not asked for its other files: it is down, or sends nothing."""
_WAITS = (1.0, 5.0, 20.0)
_SHARES_OF_TIME = (1 / 15, 1 / 5, *(1.0,) * PATIENT_TRIES)
"""Shares of the time for a file that the attempts have: a host that sends nothing is noticed early."""


class Download(Struct, frozen=True):
    """A file on disk, the name that the remote host gives it, and its validator (ETag or date)."""

    path: Path
    name: str
    validator: str


def download(url: str, part: Path, rules: FetchRules) -> Download:
    """Write the file at the address to `part`, and continue what an interrupted download left there.

    It is continued only if the remote host confirms that the file is the same. Raises RemoteMissing for 404 and 410,
    HostBusy, FileTooLarge, FetchRefused, FetchRejected, FetchFailed.
    """
    note = part.with_name(part.name + _VALIDATOR_SUFFIX)
    validator = note.read_text(encoding="utf-8") if note.is_file() else ""
    have = part.stat().st_size if validator and part.is_file() else 0
    headers = {"Range": f"bytes={have}-", "If-Range": validator} if have else {}
    with followed("GET", url, headers, rules, rules.total_seconds) as response:
        is_rest = response.status_code == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {have}-")
        if response.status_code == 416 and have:
            part.unlink()
            note.unlink()
            raise HostBusy(416, 0)
        check_status(response)
        if response.status_code != 200 and not is_rest:
            raise FetchFailed(f"the remote answered {response.status_code}")
        found = _validator_of(response)
        part.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(found, encoding="utf-8")
        _receive(response, part, rules.max_bytes, have if is_rest else 0)
        note.unlink()
        return Download(part, file_name_of(response.url), found)


def _receive(response: requests.Response, part: Path, max_bytes: int, have: int) -> None:
    coding = response.headers.get("Content-Encoding", "").strip().lower()
    if coding not in ("", "identity"):
        raise FetchFailed(f"the answer is compressed ({coding})")
    expected = response.raw.length_remaining
    if have + (expected or 0) > max_bytes:
        raise FileTooLarge(max_bytes)
    size = have
    try:
        with part.open("ab" if have else "wb") as file:
            for chunk in response.raw.stream(_CHUNK_BYTES, decode_content=False):
                size += len(chunk)
                if size > max_bytes:
                    raise FileTooLarge(max_bytes)
                file.write(chunk)
    except BROKEN_EXCHANGE as error:
        raise FetchFailed(f"the answer broke off: {error}", BROKEN_OFF) from error
    if expected is not None and size != have + expected:
        raise FetchFailed("the answer broke off", BROKEN_OFF)
    if not size:
        raise FetchFailed("the file is empty", "The remote file is empty.")


def _validator_of(response: requests.Response) -> str:
    """Return a strong ETag, else the date of the last change; "" if the host gives none."""
    etag: str = response.headers.get("ETag", "").strip()
    if etag and not etag.startswith("W/"):
        return etag
    modified: str = response.headers.get("Last-Modified", "").strip()
    return modified


class DownloadOutcome(Struct, frozen=True):
    """The result for one file: a download, or a problem."""

    media: NeededMedia
    file: Download | None = None
    problem: str = ""


class _Job(Struct):
    """A file to download, with its next address, the attempts that brought nothing, and the bytes that are there."""

    media: NeededMedia
    place: int = 0
    tries: int = 0
    have: int = 0

    @property
    def address(self) -> str:
        return self.media.addresses[self.place]

    @property
    def host(self) -> str:
        return (split_address(self.address).hostname or "").lower()


class _Queue:
    """Jobs by host, with the time from which a host may be requested again."""

    def __init__(self) -> None:
        self._jobs: dict[str, deque[_Job]] = {}
        self._running: dict[str, int] = {}
        self._not_before: dict[str, float] = {}
        self._failures: dict[str, int] = {}

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

    def answered(self, host: str, *, has_failed: bool) -> None:
        """Count the failures of a host since its last answer."""
        self._failures[host] = self._failures.get(host, 0) + 1 if has_failed else 0

    def is_down(self, host: str) -> bool:
        """Return whether a host has failed so often that its other files need not be asked for."""
        return self._failures.get(host, 0) >= FAILURES_OF_HOST

    def given_up(self) -> Iterator[_Job]:
        """Yield the waiting jobs of hosts that are down, and forget them."""
        for host, jobs in self._jobs.items():
            while jobs and self.is_down(host):
                yield jobs.popleft()

    def seconds_to_next(self, at: float) -> float | None:
        """Return the seconds until a waiting host may be requested; None if no job waits."""
        times = [self._not_before.get(host, 0.0) - at for host, jobs in self._jobs.items() if jobs]
        return max(0.0, min(times)) if times else None


def fetch_all(media: Iterable[NeededMedia], folder: Path, rules: FetchRules) -> Iterator[DownloadOutcome]:
    """Yield the outcome of each file when it is finished; unfinished files stay in `folder` for the next run."""
    queue = _Queue()
    for each in media:
        queue.add(_Job(each))
    running: dict[Future[Download], _Job] = {}
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="import-media") as pool:
        try:
            while True:
                while len(running) < AT_ONCE and (job := queue.take(time.monotonic())):
                    patient = replace(rules, total_seconds=rules.total_seconds * _SHARES_OF_TIME[job.tries])
                    running[pool.submit(download, job.address, _part(folder, job), patient)] = job
                pause = queue.seconds_to_next(time.monotonic())
                if not running and pause is None:
                    return
                if not running:
                    time.sleep(min(pause or 0.0, 1.0))
                    continue
                done, _waiting = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
                for future in done:
                    job = running.pop(future)
                    queue.done(job.host)
                    if _size(_part(folder, job)) > job.have:
                        job.tries, job.have = 0, _size(_part(folder, job))
                    if outcome := _settled(job, future, queue, time.monotonic()):
                        yield outcome
                for job in list(queue.given_up()):
                    if outcome := _next_address(job, queue, f"not tried, since {job.host} does not answer"):
                        yield outcome
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _part(folder: Path, job: _Job) -> Path:
    return folder / f"{digest(job.address.encode())[:24]}.part"


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _settled(job: _Job, future: "Future[Download]", queue: _Queue, at: float) -> DownloadOutcome | None:
    """Return the outcome of a job, or None after it was queued again."""
    try:
        file = future.result()
    except HostBusy as error:
        queue.answered(job.host, has_failed=False)
        job.tries += 1
        if error.seconds > MAX_WAIT_SECONDS:
            return DownloadOutcome(job.media, problem=f"{error} It asks to wait {error.seconds:.0f} s.")
        if job.tries < (PATIENT_TRIES if error.seconds else TRIES):
            queue.pause(job.host, at + (error.seconds or _WAITS[min(job.tries, len(_WAITS)) - 1]))
            queue.add(job, first=True)
            return None
        problem = str(error)
    except FetchFailed as error:
        may_pass = not isinstance(error, FetchRejected) or _is_of_system(error)  # no such name, now
        queue.answered(job.host, has_failed=may_pass and not job.have)
        job.tries += may_pass
        if may_pass and job.tries < TRIES:
            queue.pause(job.host, at + _WAITS[job.tries - 1])
            queue.add(job)
            return None
        problem = _problem(error)
    except OSError as error:
        problem = f"cannot be written: {error.strerror}"
    else:
        queue.answered(job.host, has_failed=False)
        return DownloadOutcome(job.media, file)
    return _next_address(job, queue, problem)


def _is_of_system(error: BaseException) -> bool:
    """Return whether an error began as one of the operating system, such as a look-up that failed."""
    cause = error.__cause__
    return isinstance(cause, OSError) or (cause is not None and _is_of_system(cause))


def _problem(error: FetchFailed) -> str:
    if isinstance(error, RemoteMissing):
        return str(error)
    return f"refused: {error.reason}" if isinstance(error, FetchRefused) else error.reason


def _next_address(job: _Job, queue: _Queue, problem: str) -> DownloadOutcome | None:
    """Queue the copy that the text names where the original is gone; return the outcome if there is none."""
    if job.place + 1 < len(job.media.addresses):
        queue.add(_Job(job.media, job.place + 1), first=True)
        return None
    return DownloadOutcome(job.media, problem=problem)
