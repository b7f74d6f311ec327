"""Rate limits of tokens and addresses: too many requests get 429 before anything else, cached responses included.

Tokens and addresses are counted apart, and so are reads and writes. An IPv6 address counts as its /64 network, which
belongs to one subscriber. Health and metrics are never refused. The web processes of a host share the counts
(`web.middleware.rate_table`); each host counts for itself.
"""

import time
from collections.abc import Callable, Iterable
from ipaddress import IPv6Address, ip_address, ip_network

import orjson

from sitecms.api.auth import secret_of
from sitecms.api.errors import too_many_requests
from sitecms.api.headers import READ_HEADERS
from sitecms.api.responses import NO_STORE
from sitecms.api.wsgi import READ_METHODS, REQUEST_ID, STATUS, Environ, Headers, StartResponse, Wsgi, query_of
from sitecms.cache import BoundedCache
from sitecms.content.token import secret_digest
from sitecms.settings.operations import RateLimitSettings
from sitecms.web.middleware.rate_table import Rate, RateTable, Requester

FREE_PATHS = frozenset({"/health/live", "/health/ready", "/metrics"})
IPV6_PREFIX = 64
_IS_COUNTED = "sitecms.is_counted"
_MAX_CACHED = 5_000
_MAX_CACHED_LENGTH = 500
_SECOND_NS = 1_000_000_000


class RateLimits:
    """The limits of one site: counts requests, and computes how long the sender of one has to wait."""

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
        table, now_ns, wait_ns = self._table, self._monotonic_ns(), 0
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

    def __init__(self, behind: Wsgi, limits: RateLimits) -> None:
        self._behind = behind
        self._limits = limits

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        wait = 0 if _IS_COUNTED in environ else self._limits.wait_seconds(environ)
        if not wait:
            return self._behind(environ, start_response)
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
