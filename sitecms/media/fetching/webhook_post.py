"""POST requests to receivers of webhooks: guarded, never redirected, bounded in time and size."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import requests

from sitecms import __version__
from sitecms.errors import FetchFailed, FetchRefused
from sitecms.media.fetching.addresses import AddressGate, system_resolver
from sitecms.media.fetching.fetch import is_fetchable
from sitecms.media.fetching.guarded_http import BROKEN_EXCHANGE, Deadline, GuardedAdapter, Terms
from sitecms.media.fetching.name_lookup import Resolver

_MAX_FRAMED_BYTES = 64 * 1024
_HEADERS = {
    "Content-Type": "application/json",
    "User-Agent": f"sitecms/{__version__}",
    "Accept-Encoding": "identity",
    "Connection": "close",
}


@dataclass(frozen=True, slots=True)
class PostRules:
    """Allowed private hosts and time limit of messages. `ca_file` replaces certifi's authorities."""

    allow_hosts: tuple[str, ...] = ()
    resolve: Resolver = system_resolver
    ca_file: str | None = None
    total_seconds: float = 15.0


@dataclass(frozen=True, slots=True)
class Answer:
    """Response of a receiver: status and beginning of the body."""

    status: int
    beginning: bytes


def post(url: str, body: bytes, headers: Mapping[str, str], rules: PostRules, keep_bytes: int) -> Answer:
    """Send JSON to an address. Raises FetchRefused if the rules forbid it, FetchFailed without an answer in time.

    The connection itself checks every address of the host; nothing is taken from the environment.
    """
    if not is_fetchable(url):
        raise FetchRefused("not an http(s) address with a host and without credentials")
    deadline = Deadline(rules.total_seconds)
    gate = AddressGate(rules.allow_hosts, rules.resolve)
    adapter = GuardedAdapter(Terms(gate, deadline, rules.total_seconds, _MAX_FRAMED_BYTES))
    try:
        request = requests.Request("POST", url, headers={**_HEADERS, **headers}, data=body).prepare()
        waits = (rules.total_seconds, deadline.remaining())
        with adapter.send(request, stream=True, timeout=waits, verify=rules.ca_file or True) as response:
            return Answer(response.status_code, _beginning(response, keep_bytes))
    except BROKEN_EXCHANGE as error:
        raise FetchFailed(f"no answer: {error}") from error
    finally:
        adapter.close()


def _beginning(response: requests.Response, keep_bytes: int) -> bytes:
    """Return the beginning of the body. The status decides, so a broken, slow or long body is no error."""
    kept = b""
    with suppress(FetchFailed, *BROKEN_EXCHANGE):
        while len(kept) < keep_bytes and (part := response.raw.read(keep_bytes - len(kept), decode_content=False)):
            kept += part
    return kept
