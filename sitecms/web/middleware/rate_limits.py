"""Rate limits: who asks too often gets 429 in front of everything else, answers that are kept included.

Tokens and addresses are counted apart, and so are reads and writes. An IPv6 address counts as its /64, which one
subscriber has to himself. Health and metrics are never refused. What is counted is shared by the web processes of a
host (`web.middleware.rate_table`); several hosts count each for themselves.
"""

import time
from collections.abc import Callable, Iterable
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

import orjson

from sitecms.api.auth import secret_of
from sitecms.api.envelope import NEVER_KEPT
from sitecms.api.errors import too_many_requests
from sitecms.api.headers import READ_HEADERS
from sitecms.api.read_handler import query_of
from sitecms.api.wsgi import REQUEST_ID, STATUS, Environ, Headers, Wsgi
from sitecms.cache import BoundedCache
from sitecms.content.token import secret_digest
from sitecms.settings.operations import RateLimitSettings
from sitecms.web.middleware.rate_table import Rate, RateTable, Requester

READS = frozenset({"GET", "HEAD", "OPTIONS"})
FREE_PATHS = frozenset({"/health/live", "/health/ready", "/metrics"})
IPV6_PREFIX = 64
_LET_IN = "sitecms.let_in"
_MAX_KNOWN = 5_000
_MAX_KNOWN_LENGTH = 500
_SECOND_NS = 1_000_000_000


class RateLimits:
    """Says of each request how long its sender has to wait, and counts those that need not."""

    def __init__(
        self, settings: RateLimitSettings, table: RateTable, monotonic_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._table = table
        self._monotonic_ns = monotonic_ns
        burst = settings.burst_seconds
        self._token_reads = _rate(settings.token_reads_per_minute, burst)
        self._token_writes = _rate(settings.token_writes_per_minute, burst)
        self._address_reads = _rate(settings.address_reads_per_minute, burst)
        self._address_writes = _rate(settings.address_writes_per_minute, burst)
        self._known: BoundedCache[Requester] = BoundedCache(_MAX_KNOWN)

    def wait_seconds(self, environ: Environ) -> int:
        """0: go on, and it is counted."""
        if environ["PATH_INFO"] in FREE_PATHS:
            return 0
        reads = environ["REQUEST_METHOD"] in READS
        by_address = self._address_reads if reads else self._address_writes
        by_token = self._token_reads if reads else self._token_writes
        address = self._address(environ, reads) if by_address else None
        token = self._token(environ, reads) if by_token else None
        table, now_ns, wait_ns = self._table, self._monotonic_ns(), 0
        if address and by_address:
            address_ns = table.due_ns(address, by_address, now_ns)
            wait_ns = address_ns - now_ns - by_address.ahead_ns
        if token and by_token:
            token_ns = table.due_ns(token, by_token, now_ns)
            wait_ns = max(wait_ns, token_ns - now_ns - by_token.ahead_ns)
        if wait_ns > 0:
            return -(-wait_ns // _SECOND_NS)
        if address and by_address:
            table.put(address, address_ns + by_address.interval_ns)
        if token and by_token:
            table.put(token, token_ns + by_token.interval_ns)
        return 0

    def lets_in(self, environ: Environ) -> bool:
        """Whether its sender need not wait; if so it is counted, and not once more when it is answered."""
        if self.wait_seconds(environ):
            return False
        environ[_LET_IN] = True
        return True

    def _address(self, environ: Environ, reads: bool) -> Requester | None:
        asked = environ.get("REMOTE_ADDR", ""), "", reads
        return self._known.get(asked) or self._keep(asked, f"address {reads} {subscriber_of(asked[0])}")

    def _token(self, environ: Environ, reads: bool) -> Requester | None:
        """None for a request without a token. Which letters carry it does not matter."""
        query = environ.get("QUERY_STRING", "")
        asked = environ.get("HTTP_AUTHORIZATION", ""), query if query and "auth_token" in query else "", reads
        if not asked[0] and not asked[1]:
            return None
        known = self._known.get(asked)
        if known is not None:
            return known
        secret = secret_of(asked[0], query_of(asked[1]))
        return self._keep(asked, f"token {reads} {secret_digest(secret)}") if secret else None

    def _keep(self, asked: tuple[str, str, bool], name: str) -> Requester:
        requester = self._table.requester(name)
        if len(asked[0]) + len(asked[1]) <= _MAX_KNOWN_LENGTH:
            self._known.put(asked, requester)
        return requester


class Limited:
    """A WSGI application around another that answers 429 to those who have to wait."""

    def __init__(self, behind: Wsgi, limits: RateLimits) -> None:
        self._behind = behind
        self._limits = limits

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request."""
        wait = 0 if _LET_IN in environ else self._limits.wait_seconds(environ)
        if not wait:
            return self._behind(environ, start_response)
        body = orjson.dumps({"detail": too_many_requests(wait)})
        headers: Headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Cache-Control", NEVER_KEPT),
            ("Retry-After", str(wait)),
            *READ_HEADERS,
        ]
        if REQUEST_ID in environ:
            headers.append(("X-Request-ID", environ[REQUEST_ID]))
        environ[STATUS] = "429"
        start_response("429 TOO MANY REQUESTS", headers)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]


def subscriber_of(address: str) -> str:
    """An IPv4 address as it is, also one that is written as IPv6; of any other IPv6 address its /64."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ip_network((found.packed, IPV6_PREFIX), strict=False))
    return str(found)


def _rate(per_minute: int, burst_seconds: int) -> Rate | None:
    return Rate(per_minute, burst_seconds) if per_minute else None
