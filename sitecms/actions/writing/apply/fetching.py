"""Fetching of the remote media of a write, before its transaction, into files named by their content."""

import threading
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from sitecms.actions.writing.request_media import UNREACHABLE, FetchedMedia
from sitecms.content.media import MediaFile
from sitecms.errors import FetchFailed, FetchRefused, InvalidFields, InvalidMedia, RemoteMissing
from sitecms.media.fetching.fetch import Budget
from sitecms.store.database import Transaction
from sitecms.store.entries.media_files import save_media, save_source

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
