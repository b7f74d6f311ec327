"""Fetching of remote media: guarded, within budgets of time and bytes, with errors that disclose nothing."""

import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import unquote

import requests
from msgspec import Struct

from sitecms import __version__
from sitecms.errors import FetchFailed, FetchRefused, FetchRejected, FileTooLarge, HostBusy, RemoteMissing
from sitecms.guarded_http.addresses import AddressGate, is_fetchable, port_of, system_resolver
from sitecms.guarded_http.client import BROKEN_EXCHANGE, Deadline, GuardedAdapter, Terms
from sitecms.guarded_http.errors import ExchangeFailed, ExchangeRefused, ExchangeRejected
from sitecms.guarded_http.name_lookup import Resolver
from sitecms.web_address import is_address, join_address, split_address

MAX_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MISSING = frozenset({404, 410})
_MAY_PASS = frozenset({408, 425, 429})
_NO_MEDIA_TYPES = frozenset(
    {"text/html", "application/xhtml+xml", "application/json", "text/css", "text/javascript", "application/javascript"}
)
_GZIP = zlib.MAX_WBITS | 16
_WINDOW_BITS = {"gzip": _GZIP, "x-gzip": _GZIP, "deflate": zlib.MAX_WBITS}
_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_NO_PAGE = "The address leads to no page."
_CHUNK_BYTES = 64 * 1024
_MAX_NAME_CHARACTERS = 200
_HEADERS = {
    "User-Agent": f"sitecms/{__version__}",
    "Accept": "image/*,application/pdf,audio/*,video/*;q=0.9,*/*;q=0.5",
    "Accept-Encoding": "identity",
    "Connection": "close",
}
_NO_ADDRESS = "not an http(s) address with a host and without credentials"
_BAD_REDIRECT = "The URL redirects to no address."
_REFUSED = "The remote host does not give the file (HTTP {})."
BROKEN_OFF = "The transfer broke off."
_ERRORS = ((ExchangeRefused, FetchRefused), (ExchangeRejected, FetchRejected), (ExchangeFailed, FetchFailed))
_PROBES: tuple[tuple[str, dict[str, str]], ...] = (("HEAD", {}), ("GET", {"Range": "bytes=0-0"}))


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


class FetchRules(Struct, frozen=True):
    """Limits and allowed hosts of fetches. `ca_file` replaces certifi's authorities."""

    allow_hosts: tuple[str, ...] = ()
    resolve: Resolver = system_resolver
    ca_file: str | None = None
    max_bytes: int = 10 * 1024 * 1024
    connect_seconds: float = 3.0
    total_seconds: float = 20.0
    probe_seconds: float = 3.0


class Fetched(Struct, frozen=True):
    """Remote file; `name` comes from its final address and must be escaped before it is shown."""

    data: bytes
    name: str


def fetch(url: str, rules: FetchRules) -> Fetched:
    """Return the file at the address, of 1 to `max_bytes` bytes.

    Raises FetchRejected for what cannot be had, with subclasses: RemoteMissing if the remote host answers 404 or 410,
    FetchRefused for what the rules forbid, FileTooLarge. Raises FetchFailed for what may pass, HostBusy if the host
    says so.
    """
    with followed("GET", url, {}, rules, rules.total_seconds) as response:
        check_status(response)
        if response.status_code != 200:
            raise FetchRejected(f"the remote answered {response.status_code}", _REFUSED.format(response.status_code))
        return Fetched(_body(response, rules.max_bytes), file_name_of(response.url))


class Page(Struct, frozen=True):
    """The beginning of a remote page, and the address at the end of redirects."""

    url: str
    content_type: str
    data: bytes


def fetch_page(url: str, rules: FetchRules) -> Page:
    """Return at most the first `max_bytes` of an HTML page.

    Raises what `fetch` raises; FetchRejected also for what is no HTML.
    """
    with followed("GET", url, {"Accept": "text/html,application/xhtml+xml"}, rules, rules.total_seconds) as response:
        check_status(response)
        content_type = response.headers.get("Content-Type", "")
        if response.status_code != 200 or content_type.partition(";")[0].strip().lower() not in _PAGE_TYPES:
            raise FetchRejected(f"the remote sends {response.status_code} {content_type}", _NO_PAGE)
        return Page(response.url, content_type, _body(response, rules.max_bytes, is_beginning=True))


def check_status(response: requests.Response) -> None:
    """Raise the error of a status from 400 on: RemoteMissing, HostBusy for what may pass, or FetchRejected."""
    status = response.status_code
    if status in _MISSING:
        raise RemoteMissing(status)
    if status in _MAY_PASS or status >= 500:
        raise HostBusy(status, _seconds_to_wait(response.headers.get("Retry-After", "")))
    if status >= 400:
        raise FetchRejected(f"the remote answered {status}", _REFUSED.format(status))


def _seconds_to_wait(value: str) -> float:
    """Return the seconds of a Retry-After header: a number or a date; 0 for any other."""
    if value.strip().isascii() and value.strip().isdigit():
        return float(value)
    with suppress(ValueError, TypeError):
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    return 0.0


def probe(url: str, rules: FetchRules) -> str:
    """Return why the file can never be retrieved, as far as it shows within `probe_seconds`; "" if it may be.

    A HEAD request that does not promise a file is followed by a request for the first byte, since many servers answer
    HEAD incorrectly. Slow and busy hosts pass; the later fetch reports them (API reference, Writes).
    """
    deadline = Deadline(rules.probe_seconds)
    problem = ""
    for method, headers in _PROBES:
        problem = ""
        try:
            with _errors_of_fetches(), followed(method, url, headers, rules, deadline.remaining()) as response:
                check_status(response)
                _check_promise(response, rules.max_bytes)
                return ""
        except FetchRefused as error:
            return str(error)
        except FetchRejected as error:
            problem = str(error)
        except FetchFailed:
            continue
    return problem


def _check_promise(response: requests.Response, max_bytes: int) -> None:
    """Raise FetchRejected for a type that is no media file, FileTooLarge for a length above the limit."""
    content_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if content_type in _NO_MEDIA_TYPES:
        raise FetchRejected(
            f"the remote sends {content_type}", f"The URL leads to {content_type}, which is no media file."
        )
    length = response.headers.get("Content-Range", "").rpartition("/")[2] or response.headers.get("Content-Length", "")
    if length.isascii() and length.isdigit() and int(length) > max_bytes:
        raise FileTooLarge(max_bytes)


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
    gate = AddressGate(rules.allow_hosts, rules.resolve, port_of(url))
    # Chunks and their extensions may take as much again as what they frame, and no more.
    terms = Terms(gate, Deadline(seconds), rules.connect_seconds, 2 * rules.max_bytes)
    with _errors_of_fetches(), closing(GuardedAdapter(terms)) as adapter:
        for _ in range(MAX_REDIRECTS + 1):
            if not is_fetchable(url):
                raise FetchRefused(_NO_ADDRESS, f"The URL is {_NO_ADDRESS}.")
            response = adapter.exchange(method, url, _HEADERS | headers, rules.ca_file)
            with response:
                if response.status_code not in _REDIRECTS:
                    yield response
                    return
                url = _target(response)
        raise FetchRejected(f"more than {MAX_REDIRECTS} redirects", "The URL redirects too often.")


@contextmanager
def _errors_of_fetches() -> Iterator[None]:
    """Raise FetchRefused, FetchRejected or FetchFailed in place of the errors of an exchange."""
    try:
        yield
    except ExchangeFailed as error:
        kind = next(kind for exchange, kind in _ERRORS if isinstance(error, exchange))
        raise kind(error.reason, str(error)) from error


def _target(response: requests.Response) -> str:
    location = response.headers.get("Location", "")
    if not location:
        raise FetchRejected("a redirect to nowhere", _BAD_REDIRECT)
    # header bytes arrive as Latin-1 and are UTF-8 where servers do not quote them
    target = location.encode("latin-1").decode("utf-8", "replace")
    if not is_address(target):
        raise FetchRejected(f"a redirect to no address ({target[:100]})", _BAD_REDIRECT)
    return join_address(response.url, target)


def _body(response: requests.Response, max_bytes: int, *, is_beginning: bool = False) -> bytes:
    """Read the body, decompressed, and count its bytes; a Content-Length above the limit fails at once.

    Only its first `max_bytes` with `is_beginning`, however long it is.
    Objects are often stored compressed, SVG above all, and sent so whatever the request accepts.
    """
    coding = response.headers.get("Content-Encoding", "").strip().lower().replace("identity", "")
    transfer = response.headers.get("Transfer-Encoding", "").strip().lower()
    if coding not in ("", *_WINDOW_BITS) or transfer not in ("", "chunked"):
        reason = f"the answer is compressed ({coding or transfer})"
        raise FetchRejected(reason, f"The remote host compresses the file in an unknown way ({coding or transfer}).")
    if not is_beginning and (response.raw.length_remaining or 0) > max_bytes:
        raise FileTooLarge(max_bytes)
    decoder = zlib.decompressobj(_WINDOW_BITS[coding]) if coding else None
    body = bytearray()
    try:
        for chunk in response.raw.stream(_CHUNK_BYTES, decode_content=False):
            body += decoder.decompress(chunk, max_bytes + 1 - len(body)) if decoder else chunk
            if len(body) > max_bytes and is_beginning:
                return bytes(body[:max_bytes])
            if len(body) > max_bytes:
                raise FileTooLarge(max_bytes)
    except BROKEN_EXCHANGE as error:
        raise FetchFailed(f"the answer broke off: {error}", BROKEN_OFF) from error
    except zlib.error as error:
        raise FetchRejected(f"{coding}: {error}", f"The remote file is no valid {coding}.") from error
    if decoder and not decoder.eof:
        raise FetchFailed("the compressed answer broke off", BROKEN_OFF)
    if not body:
        raise FetchRejected("the file is empty", "The remote file is empty.")
    return bytes(body)


def file_name_of(url: str) -> str:
    """Return the last part of an address as a file name; that of its host if it has no path."""
    parts = split_address(url)
    last = unquote(parts.path).rpartition("/")[2] or parts.hostname or "file"
    return "".join(sign for sign in last if sign.isprintable())[-_MAX_NAME_CHARACTERS:] or "file"
