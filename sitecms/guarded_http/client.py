"""HTTP client for hosts named by strangers: one request, one response, nothing from the environment; and its POST.

It is a `requests` transport adapter without a session: no proxies, netrc, cookies, redirects or decompression. The
connection itself resolves the name, checks every address and connects to a checked one, so nothing can change between
check and connection. TLS verifies the name.
"""

import http.client
import io
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import requests
from msgspec import Struct
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError

from sitecms.guarded_http.addresses import Address, AddressGate, is_fetchable, system_resolver
from sitecms.guarded_http.errors import ExchangeFailed, ExchangeRefused
from sitecms.guarded_http.name_lookup import Resolver

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_MAX_HEAD_BYTES = 32 * 1024
_MAX_FRAMED_BYTES = 64 * 1024
_MIN_TIMEOUT_SECONDS = 0.001  # 0 would mean a socket that does not wait at all
BROKEN_EXCHANGE = (requests.RequestException, HTTPError, http.client.HTTPException, OSError, ValueError)
_POST_HEADERS = {"Content-Type": "application/json", "Accept-Encoding": "identity", "Connection": "close"}


class Deadline:
    """Point in time `seconds` from now on the monotonic clock."""

    __slots__ = ("_at",)

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def remaining(self) -> float:
        """Return the seconds left, above 0. Raises ExchangeFailed if none are left."""
        left = self._at - time.monotonic()
        if left <= 0:
            raise ExchangeFailed("the time for it is over")
        return max(left, _MIN_TIMEOUT_SECONDS)


class Terms(Struct, frozen=True):
    """Limits of one exchange. `max_body_bytes` counts everything after the header, chunk framing included."""

    gate: AddressGate
    deadline: Deadline
    connect_seconds: float
    max_body_bytes: int


class GuardedAdapter(HTTPAdapter):
    """Transport adapter that sends prepared requests within limits. Use it without a session, and close it."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        super().__init__(pool_connections=1, pool_maxsize=1)

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """Make connection pools that connect through the address gate."""
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = {
            "http": partial(_PlainPool, terms=self._terms),
            "https": partial(_TLSPool, terms=self._terms),
        }

    def exchange(self, method: str, url: str, headers: dict[str, str], ca_file: str | None = None) -> requests.Response:
        """Return the response with its body unread. Raises ExchangeRefused, ExchangeFailed.

        `ca_file` replaces certifi's certificate authorities.
        """
        try:
            request = requests.Request(method, url, headers=headers).prepare()
            timeout = (self._terms.connect_seconds, self._terms.deadline.remaining())
            return self.send(request, stream=True, timeout=timeout, verify=ca_file or True)
        except BROKEN_EXCHANGE as error:
            raise ExchangeFailed(f"{method} failed: {error}") from error


class _PlainPool(HTTPConnectionPool):
    def __init__(self, *arguments: Any, terms: Terms, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.ConnectionCls = partial(_PlainConnection, terms=terms)  # type: ignore[assignment]


class _TLSPool(HTTPSConnectionPool):
    def __init__(self, *arguments: Any, terms: Terms, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.ConnectionCls = partial(_TLSConnection, terms=terms)  # type: ignore[assignment]


class _Guarded(HTTPConnection):
    """Connection through the address gate, whose responses are read within limits."""

    def __init__(self, *arguments: Any, terms: Terms, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._terms = terms
        self.response_class = partial(_Answer, terms=terms)  # type: ignore[assignment]

    def _new_conn(self) -> socket.socket:
        """Connect to the first address that answers; the rest of the time to connect is for TLS."""
        deadline = Deadline(min(self._terms.connect_seconds, self._terms.deadline.remaining()))
        failure = OSError("no address")
        for address in self._terms.gate.addresses(self._dns_host, self.port, deadline.remaining()):
            try:
                return _connected(address, self.port, deadline)
            except OSError as error:
                failure = error
        raise ExchangeFailed(f"{self.host} cannot be connected to ({failure})")


def _connected(address: Address, port: int, deadline: Deadline) -> socket.socket:
    connection = socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
    try:
        connection.settimeout(deadline.remaining())
        connection.connect((str(address), port))
        connection.settimeout(deadline.remaining())
    except BaseException:
        connection.close()
        raise
    return connection


class _PlainConnection(_Guarded):
    pass


class _TLSConnection(_Guarded, HTTPSConnection):
    pass


class _Answer(http.client.HTTPResponse):
    """Response whose header and body are read within limits, whatever length the header states."""

    def __init__(self, sock: socket.socket, *arguments: Any, terms: Terms, **options: Any) -> None:
        super().__init__(sock, *arguments, **options)
        self.fp.close()
        self._intake = _Intake(sock, terms.deadline, _MAX_HEAD_BYTES)
        self._max_body_bytes = terms.max_body_bytes
        self.fp = io.BufferedReader(self._intake)

    def begin(self) -> None:
        """Read the header, and any number of "100 Continue" responses before it."""
        super().begin()
        self._intake.left = self._max_body_bytes


class _Intake(io.RawIOBase):
    """Reader of a socket: at most `left` bytes until the deadline."""

    def __init__(self, sock: socket.socket, deadline: Deadline, left: int) -> None:
        self._sock, self._file = sock, sock.makefile("rb", buffering=0)
        self._deadline = deadline
        self.left = left

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int | None:
        """Read into a buffer. Raises ExchangeFailed at the deadline, and for a byte more than allowed."""
        if self.left <= 0:
            raise ExchangeFailed("the answer is too long")
        self._sock.settimeout(self._deadline.remaining())
        count = self._file.readinto(memoryview(buffer)[: self.left])
        self.left -= count or 0
        return count

    def close(self) -> None:
        """Release the socket, which closes with its last user."""
        self._file.close()
        super().close()


class PostRules(Struct, frozen=True):
    """Allowed private hosts and time limit of messages. `ca_file` replaces certifi's authorities."""

    allow_hosts: tuple[str, ...] = ()
    resolve: Resolver = system_resolver
    ca_file: str | None = None
    total_seconds: float = 15.0


class PostResponse(Struct, frozen=True):
    """Response of a receiver: status and beginning of the body."""

    status: int
    beginning: bytes


def post(url: str, body: bytes, headers: Mapping[str, str], rules: PostRules, keep_bytes: int) -> PostResponse:
    """Send JSON to an address. Raises ExchangeRefused if the rules forbid it, ExchangeFailed without an answer in time.

    The connection itself checks every address of the host; nothing is taken from the environment.
    """
    if not is_fetchable(url):
        raise ExchangeRefused("not an http(s) address with a host and without credentials")
    deadline = Deadline(rules.total_seconds)
    gate = AddressGate(rules.allow_hosts, rules.resolve)
    adapter = GuardedAdapter(Terms(gate, deadline, rules.total_seconds, _MAX_FRAMED_BYTES))
    try:
        request = requests.Request("POST", url, headers={**_POST_HEADERS, **headers}, data=body).prepare()
        waits = (rules.total_seconds, deadline.remaining())
        with adapter.send(request, stream=True, timeout=waits, verify=rules.ca_file or True) as response:
            return PostResponse(response.status_code, _beginning(response, keep_bytes))
    except BROKEN_EXCHANGE as error:
        raise ExchangeFailed(f"no answer: {error}") from error
    finally:
        adapter.close()


def _beginning(response: requests.Response, keep_bytes: int) -> bytes:
    """Return the beginning of the body. The status decides, so a broken, slow or long body is no error."""
    kept = b""
    with suppress(ExchangeFailed, *BROKEN_EXCHANGE):
        while len(kept) < keep_bytes and (part := response.raw.read(keep_bytes - len(kept), decode_content=False)):
            kept += part
    return kept
