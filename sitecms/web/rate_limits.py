"""Rate limits of tokens and addresses: too many requests get 429 before anything else, cached responses included.

`SignInLimits` delays attempts to sign in. Its counts stand in a file of their own, where no other requester can take
their places.

Tokens and addresses are counted apart, and so are reads and writes. An IPv6 address counts as its /64 network, which
belongs to one subscriber. Health and metrics are never refused. The web processes of a host share the counts, in a file
of fixed size that they map into memory; each host counts for itself.

The algorithm is GCRA. Each requester has one number: the time at which all requests so far would have been due if they
had come evenly at the allowed rate. The distance of that time from now is the part of the burst that is used up. Times
that have passed count as none, so nothing has to be cleaned up. There is no lock: of two requests of one requester that
two processes answer in the same microsecond, one may not be counted.

The file holds 16 random bytes, then slots of two 64-bit words: the requester's tag (a keyed digest) and its time in
nanoseconds of the monotonic clock, which all processes of a host share. A tag can stand in any of WAYS slots. If all of
them are taken, the requester with the earliest time is forgotten, so that none is refused for requests of another.

The library `limits` is not used. Its memory storage counts for each process alone, so that a token could send as many
times the limit as there are processes, and grows with the number of addresses. Its Redis storage asks a server for each
limit and request, on the thread that answers reads.
"""

import fcntl
import mmap
import os
import time
from collections.abc import Callable, Iterable
from functools import cached_property
from hashlib import blake2b
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import Path

import orjson
import structlog
from msgspec import Struct

from sitecms.api.auth import secret_of
from sitecms.api.errors import too_many_requests
from sitecms.api.headers import READ_HEADERS
from sitecms.api.responses import NO_STORE
from sitecms.api.wsgi import READ_METHODS, REQUEST_ID, STATUS, Environ, Headers, StartResponse, Wsgi, query_of
from sitecms.cache import BoundedCache
from sitecms.content.token import secret_digest
from sitecms.files import make_private_folder
from sitecms.settings.operations import RateLimitSettings
from sitecms.settings.site import SiteSettings

SETS = 16_384
WAYS = 4
KEY_BYTES = 16
_FIRST_SLOT = 2
_SLOT_WORDS = 2
SIZE_BYTES = KEY_BYTES + SETS * WAYS * _SLOT_WORDS * 8
_MINUTE_NS = 60_000_000_000
_log = structlog.get_logger("sitecms.api")
_COUNT_BITS = 0xFF
FORGOTTEN_AFTER_SECONDS = 3600
"""Seconds without attempts, after the delay, until the next attempt counts as the first."""
FREE_PATHS = frozenset({"/health/live", "/health/ready", "/metrics"})
IPV6_PREFIX = 64
_IS_COUNTED = "sitecms.is_counted"
_MAX_CACHED = 5_000
_MAX_CACHED_LENGTH = 500
_SECOND_NS = 1_000_000_000


class Rate:
    """A number of requests a minute, of which those of `burst_seconds`, and at least one, may come at once."""

    __slots__ = ("ahead_ns", "interval_ns", "max_ahead_ns")

    def __init__(self, per_minute: int, burst_seconds: int) -> None:
        self.interval_ns = _MINUTE_NS // per_minute
        self.ahead_ns = max(0, burst_seconds * 1_000_000_000 - self.interval_ns)
        self.max_ahead_ns = self.ahead_ns + self.interval_ns + _MINUTE_NS
        """No time is further ahead, even in a process that was suspended since it read the clock."""


class Requester:
    """The tag of a token or an address, and the slot where it was last. Tag 0 marks free slots."""

    __slots__ = ("slot", "tag")

    def __init__(self, tag: int) -> None:
        self.tag = tag
        self.slot = 0


class RateTable:
    """The table of all requesters: in the file, or in this process alone if there is no room for a file."""

    def __init__(self, path: Path | None = None) -> None:
        self._memory = mmap.mmap(-1, SIZE_BYTES)
        if path is not None:
            try:
                self._memory = _open(path)
            except OSError as error:
                _log.warning("rate_limits_not_shared", problem=str(error))
        self._words = memoryview(self._memory).cast("q")
        self._key = self._memory[:KEY_BYTES]

    def requester(self, name: str) -> Requester:
        """Return the requester of that name."""
        digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=8, key=self._key).digest()
        return Requester(int.from_bytes(digest, "little", signed=True) or 1)

    def due_ns(self, requester: Requester, rate: Rate, now_ns: int) -> int:
        """Return the requester's time, or now if it has passed."""
        words = self._words
        slot = requester.slot
        if words[slot] != requester.tag:
            slot = requester.slot = self._slot_of(requester.tag)
        due_ns: int = words[slot + 1]
        # A time too far ahead was written before the machine was restarted.
        return due_ns if now_ns < due_ns < now_ns + rate.max_ahead_ns else now_ns

    def word(self, requester: Requester) -> int:
        """Return what was put for the requester, 0 for nothing."""
        if self._words[requester.slot] != requester.tag:
            requester.slot = self._slot_of(requester.tag)
        word: int = self._words[requester.slot + 1]
        return word

    def put(self, requester: Requester, due_ns: int) -> None:
        """Set the requester's time, right after `due_ns` or `word` has found its slot."""
        self._words[requester.slot + 1] = due_ns

    def _slot_of(self, tag: int) -> int:
        """Return the slot of the tag; a tag without one takes the slot with the earliest time."""
        words = self._words
        first = _FIRST_SLOT + tag % SETS * WAYS * _SLOT_WORDS
        slots = range(first, first + WAYS * _SLOT_WORDS, _SLOT_WORDS)
        for slot in slots:
            if words[slot] == tag:
                return slot
        slot = min(slots, key=lambda slot: words[slot + 1])
        words[slot + 1] = 0
        words[slot] = tag
        return slot


def _open(path: Path) -> mmap.mmap:
    """Map the file, and create it with all of its blocks if it is incomplete, as on a full disk. Raises OSError."""
    make_private_folder(path.parent)
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_size != SIZE_BYTES:
            os.ftruncate(handle, 0)  # no process has mapped it: they map complete files, under the lock
            if os.write(handle, os.urandom(KEY_BYTES) + bytes(SIZE_BYTES - KEY_BYTES)) < SIZE_BYTES:
                raise OSError("the disk is full")
        return mmap.mmap(handle, SIZE_BYTES)
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)  # closing is not enough: the map has a handle of its own
        os.close(handle)


class RateLimits:
    """The limits of one site: counts requests, and computes how long the sender of one has to wait."""

    def __init__(self, settings: RateLimitSettings, table: RateTable) -> None:
        self._table = table
        burst = settings.burst_seconds
        self._token_reads = _rate(settings.token_reads_per_minute, burst)
        self._token_writes = _rate(settings.token_writes_per_minute, burst)
        self._address_reads = _rate(settings.address_reads_per_minute, burst)
        self._address_writes = _rate(settings.address_writes_per_minute, burst)
        self._requesters: BoundedCache[Requester] = BoundedCache(_MAX_CACHED)

    def wait_seconds(self, environ: Environ) -> int:
        """Count the request and return 0, or return how many seconds its sender has to wait, and count nothing."""
        if environ["PATH_INFO"] in FREE_PATHS:
            return 0
        is_read = environ["REQUEST_METHOD"] in READ_METHODS
        address_rate = self._address_reads if is_read else self._address_writes
        token_rate = self._token_reads if is_read else self._token_writes
        address = self._address(environ, is_read) if address_rate else None
        token = self._token(environ, is_read) if token_rate else None
        table, now_ns, wait_ns = self._table, time.monotonic_ns(), 0
        if address and address_rate:
            address_ns = table.due_ns(address, address_rate, now_ns)
            wait_ns = address_ns - now_ns - address_rate.ahead_ns
        if token and token_rate:
            token_ns = table.due_ns(token, token_rate, now_ns)
            wait_ns = max(wait_ns, token_ns - now_ns - token_rate.ahead_ns)
        if wait_ns > 0:
            return -(-wait_ns // _SECOND_NS)
        if address and address_rate:
            table.put(address, address_ns + address_rate.interval_ns)
        if token and token_rate:
            table.put(token, token_ns + token_rate.interval_ns)
        return 0

    def allow(self, environ: Environ) -> bool:
        """Return whether the sender need not wait; the request is then counted, and not again when it is answered."""
        if self.wait_seconds(environ):
            return False
        environ[_IS_COUNTED] = True
        return True

    def _address(self, environ: Environ, is_read: bool) -> Requester:
        key = environ.get("REMOTE_ADDR", ""), "", is_read
        return self._requesters.get(key) or self._add(key, f"address {is_read} {subscriber_of(key[0])}")

    def _token(self, environ: Environ, is_read: bool) -> Requester | None:
        """Return the requester of the token, however it is sent; None for a request without a token."""
        query = environ.get("QUERY_STRING", "")
        key = environ.get("HTTP_AUTHORIZATION", ""), query if query and "auth_token" in query else "", is_read
        if not key[0] and not key[1]:
            return None
        requester = self._requesters.get(key)
        if requester is not None:
            return requester
        secret = secret_of(key[0], query_of(key[1]))
        return self._add(key, f"token {is_read} {secret_digest(secret)}") if secret else None

    def _add(self, key: tuple[str, str, bool], name: str) -> Requester:
        requester = self._table.requester(name)
        if len(key[0]) + len(key[1]) <= _MAX_CACHED_LENGTH:
            self._requesters.put(key, requester)
        return requester


class RateLimitMiddleware:
    """Middleware that answers 429 with `Retry-After` to clients that have to wait."""

    def __init__(self, app: Wsgi, limits: RateLimits) -> None:
        self._app = app
        self._limits = limits

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        wait = 0 if _IS_COUNTED in environ else self._limits.wait_seconds(environ)
        if not wait:
            return self._app(environ, start_response)
        body = orjson.dumps({"detail": too_many_requests(wait)})
        headers: Headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Cache-Control", NO_STORE),
            ("Retry-After", str(wait)),
            *READ_HEADERS,
        ]
        if REQUEST_ID in environ:
            headers.append(("X-Request-ID", environ[REQUEST_ID]))
        environ[STATUS] = "429"
        start_response("429 TOO MANY REQUESTS", headers)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]


def subscriber_of(address: str) -> str:
    """Return an IPv4 address, also one written as IPv6, as it is, and the /64 network of any other IPv6 address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ip_network((parsed.packed, IPV6_PREFIX), strict=False))
    return str(parsed)


def _rate(per_minute: int, burst_seconds: int) -> Rate | None:
    return Rate(per_minute, burst_seconds) if per_minute else None


class Delay(Struct, frozen=True):
    """A delay: none for the first attempts, then `first_seconds`, doubled each time up to `longest_seconds`."""

    free: int
    first_seconds: int
    longest_seconds: int

    def seconds_after(self, count: int) -> int:
        """Return the seconds to wait after so many attempts."""
        steps = count - self.free
        return 0 if steps < 0 else min(self.first_seconds << min(steps, 20), self.longest_seconds)


OF_NAME = Delay(5, 10, 900)
"""For one name from one address, or in one known browser; and for the codes of one user."""
OF_ADDRESS = Delay(20, 5, 300)
"""For one address, whichever names: an office has many users."""


class SignInLimits:
    """Limits of attempts to sign in: a delay that grows with each attempt that failed, and ends by itself.

    Nobody can keep a user from signing in by failing in the user's name. Attempts are counted by name and address
    together, and by address alone. A browser in which the user has signed in before is counted for itself, and waits
    for nobody else. There is no limit of a name alone, which strangers could use up; a password of twelve characters
    is not guessed in a few attempts from many addresses. A code of six digits could be, so codes are counted by user;
    they can be tried only by somebody who knows the password (OWASP, Slow Down Online Guessing Attacks with Device
    Cookies).

    An attempt counts before its password is checked, so that many at once are not free; one that succeeds is taken
    back. The 64-bit word of a requester is the time from which the next attempt is allowed, in nanoseconds, with the
    number of attempts in its last eight bits. `name` is that of a user, or of something else that is attempted.
    """

    def __init__(self, settings: SiteSettings, monotonic_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._settings = settings
        self._monotonic_ns = monotonic_ns

    @cached_property
    def _table(self) -> RateTable:
        return RateTable(self._settings.sign_in_limits_path)

    def wait_seconds(self, name: str, address: str = "", device: str = "") -> int:
        """Count an attempt and return 0, or return how many seconds its sender has to wait, and count nothing.

        With a known `device`, the address does not count.
        """
        now_ns = self._monotonic_ns()
        limited = self._limited(name, address, device)
        wait_ns = max(self._state(requester, delay, now_ns)[0] - now_ns for requester, delay in limited)
        if wait_ns > 0:
            return -(-wait_ns // _SECOND_NS)
        for requester, delay in limited:
            _until_ns, count = self._state(requester, delay, now_ns)
            self._put(requester, now_ns + delay.seconds_after(count + 1) * _SECOND_NS, count + 1)
        return 0

    def succeeded(self, name: str, address: str = "", device: str = "") -> None:
        """Take back the attempt that succeeded, and forget those before it but for other names from the address."""
        now_ns = self._monotonic_ns()
        (by_name, _delay), *others = self._limited(name, address, device)
        self._put(by_name, now_ns, 0)
        for requester, delay in others:
            _until_ns, count = self._state(requester, delay, now_ns)
            self._put(requester, now_ns, max(count - 1, 0))

    def _limited(self, name: str, address: str, device: str) -> tuple[tuple[Requester, Delay], ...]:
        subscriber = subscriber_of(address) if address else ""
        by_name = self._table.requester(f"sign-in {device or subscriber} {name.strip().casefold()}"), OF_NAME
        if device or not subscriber:
            return (by_name,)
        return by_name, (self._table.requester(f"sign-in address {subscriber}"), OF_ADDRESS)

    def _state(self, requester: Requester, delay: Delay, now_ns: int) -> tuple[int, int]:
        """Return the time from which an attempt is allowed, and the number of attempts."""
        word = self._table.word(requester)
        until_ns, count = word & ~_COUNT_BITS, word & _COUNT_BITS
        is_from_before_restart = until_ns > now_ns + (delay.longest_seconds + 1) * _SECOND_NS
        if is_from_before_restart or now_ns - until_ns > FORGOTTEN_AFTER_SECONDS * _SECOND_NS:
            return now_ns, 0
        return until_ns, count

    def _put(self, requester: Requester, until_ns: int, count: int) -> None:
        self._table.word(requester)  # finds the slot again, which another requester may have taken
        self._table.put(requester, until_ns & ~_COUNT_BITS | min(count, _COUNT_BITS))
