"""Fetching of remote media: guarded, within budgets of time and bytes, with errors that disclose nothing."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import unquote, urljoin, urlsplit

import requests

from sitecms import __version__
from sitecms.errors import FetchFailed, FetchRefused, RemoteMissing
from sitecms.media.fetching.addresses import AddressGate, is_fetchable, system_resolver
from sitecms.media.fetching.guarded_http import BROKEN_EXCHANGE, Deadline, GuardedAdapter, Terms
from sitecms.media.fetching.name_lookup import Resolver
from sitecms.values import dataclass


class Budget:
    """Seconds and bytes for several fetches, which may run at once. Safe to share between threads.

    Time counts while at least one of the fetches runs, not while they wait for other writes.
    """

    def __init__(self, seconds: float, max_bytes: int) -> None:
        self.seconds = seconds
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._running = 0
        self._since = 0.0
        self._used_seconds = 0.0
        self._used_bytes = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the time of one fetch."""
        with self._lock:
            if not self._running:
                self._since = time.monotonic()
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1
                if not self._running:
                    self._used_seconds += time.monotonic() - self._since

    def seconds_left(self) -> float:
        """Return the remaining seconds; 0 or less if none remain."""
        with self._lock:
            current = time.monotonic() - self._since if self._running else 0.0
            return self.seconds - self._used_seconds - current

    def add_bytes(self, count: int) -> None:
        """Count received bytes."""
        with self._lock:
            self._used_bytes += count

    def is_out_of_bytes(self) -> bool:
        """Return True if more bytes were received than allowed."""
        with self._lock:
            return self._used_bytes > self.max_bytes


MAX_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MISSING = frozenset({404, 410})
_CHUNK_BYTES = 64 * 1024
_MAX_NAME_CHARACTERS = 200
_HEADERS = {
    "User-Agent": f"sitecms/{__version__}",
    "Accept": "image/*,application/pdf,audio/*,video/*;q=0.9,*/*;q=0.5",
    "Accept-Encoding": "identity",
    "Connection": "close",
}
_PROBES: tuple[tuple[str, dict[str, str]], ...] = (("HEAD", {}), ("GET", {"Range": "bytes=0-0"}))


@dataclass(frozen=True, slots=True)
class FetchRules:
    """Limits and allowed hosts of fetches. `ca_file` replaces certifi's authorities."""

    allow_hosts: tuple[str, ...] = ()
    resolve: Resolver = system_resolver
    ca_file: str | None = None
    max_bytes: int = 10 * 1024 * 1024
    connect_seconds: float = 3.0
    total_seconds: float = 20.0
    probe_seconds: float = 3.0


@dataclass(frozen=True, slots=True)
class Fetched:
    """Remote file; `name` comes from its final address and must be escaped before it is shown."""

    data: bytes
    name: str


def fetch(url: str, rules: FetchRules) -> Fetched:
    """Return the file at the address, of 1 to `max_bytes` bytes.

    Raises RemoteMissing if the remote host answers 404 or 410, FetchRefused for what the rules forbid, FetchFailed for
    everything else. Their messages do not distinguish the last two.
    """
    with followed("GET", url, {}, rules, rules.total_seconds) as response:
        if response.status_code in _MISSING:
            raise RemoteMissing(response.status_code)
        if response.status_code != 200:
            raise FetchFailed(f"the remote answered {response.status_code}")
        return Fetched(_body(response, rules.max_bytes), file_name_of(response.url))


def probe(url: str, rules: FetchRules) -> None:
    """Raise RemoteMissing if the remote host reports within `probe_seconds` that the file does not exist.

    A failed HEAD request is followed by a request for the first byte, since many servers answer HEAD incorrectly.
    Blocked, refused, slow and broken addresses pass; the later fetch reports them (API reference, Writes).
    """
    deadline = Deadline(rules.probe_seconds)
    status = 0
    for method, headers in _PROBES:
        status = 0
        with suppress(FetchFailed), followed(method, url, headers, rules, deadline.remaining()) as response:
            status = response.status_code
            if status < 400:
                return
    if status in _MISSING:
        raise RemoteMissing(status)


def status_of(method: str, url: str, rules: FetchRules) -> int:
    """Return the status at the end of redirects, without reading the body.

    Raises FetchRefused, FetchFailed.
    """
    with followed(method, url, {"Accept": "*/*"}, rules, rules.total_seconds) as response:
        return response.status_code


@contextmanager
def followed(
    method: str, url: str, headers: dict[str, str], rules: FetchRules, seconds: float
) -> Iterator[requests.Response]:
    """Follow at most MAX_REDIRECTS redirects, each checked like the first address; give the last answer, unread.

    Raises FetchRefused, FetchFailed.
    """
    gate = AddressGate(rules.allow_hosts, rules.resolve)
    # Chunks and their extensions may take as much again as what they frame, and no more.
    terms = Terms(gate, Deadline(seconds), rules.connect_seconds, 2 * rules.max_bytes)
    adapter = GuardedAdapter(terms)
    try:
        for _ in range(MAX_REDIRECTS + 1):
            if not is_fetchable(url):
                raise FetchRefused("not an http(s) address with a host and without credentials")
            response = adapter.exchange(method, url, _HEADERS | headers, rules.ca_file)
            with response:
                if response.status_code not in _REDIRECTS:
                    yield response
                    return
                url = _target(response)
        raise FetchFailed(f"more than {MAX_REDIRECTS} redirects")
    finally:
        adapter.close()


def _target(response: requests.Response) -> str:
    location = response.headers.get("Location", "")
    if not location:
        raise FetchFailed("a redirect to nowhere")
    try:  # header bytes arrive as Latin-1 and are UTF-8 where servers do not quote them
        return urljoin(response.url, location.encode("latin-1").decode("utf-8", "replace"))
    except ValueError as error:
        raise FetchFailed(f"a redirect to no address ({error})") from error


def _body(response: requests.Response, max_bytes: int) -> bytes:
    """Read the body and count its bytes; a Content-Length above the limit fails at once."""
    coding = response.headers.get("Content-Encoding", "").strip().lower()
    transfer = response.headers.get("Transfer-Encoding", "").strip().lower()
    if coding not in ("", "identity") or transfer not in ("", "chunked"):
        raise FetchFailed(f"the answer is compressed ({coding or transfer})")
    if (response.raw.length_remaining or 0) > max_bytes:
        raise FetchFailed("the file is too large")
    body = bytearray()
    try:
        for chunk in response.raw.stream(_CHUNK_BYTES, decode_content=False):
            body += chunk
            if len(body) > max_bytes:
                raise FetchFailed("the file is too large")
    except BROKEN_EXCHANGE as error:
        raise FetchFailed(f"the answer broke off: {error}") from error
    if not body:
        raise FetchFailed("the file is empty")
    return bytes(body)


def file_name_of(url: str) -> str:
    """Return the last part of an address as a file name; that of its host if it has no path."""
    parts = urlsplit(url)
    last = unquote(parts.path).rpartition("/")[2] or parts.hostname or "file"
    return "".join(sign for sign in last if sign.isprintable())[-_MAX_NAME_CHARACTERS:] or "file"
