"""Reverse proxies in front of the server: what they say of a request counts as far as they are trusted.

Each proxy adds the address that it was reached from at the right end of `X-Forwarded-For`. So of N trusted ones, the
N-th value from the right is what the outermost of them saw; what stands left of it anyone may have written. Without
the setting, all such headers count for nothing. `X-Forwarded-Host` never does: no answer depends on the host that a
request names, for absolute addresses begin with the `url` under [serve].
"""

from collections.abc import Callable, Iterable
from ipaddress import ip_address
from typing import Any

from sitecms.api.wsgi import Environ, Headers, Wsgi

SCHEMES = frozenset({"http", "https"})


class BehindProxies:
    """A WSGI application around another that is reached through `hops` proxies.

    `hsts_seconds`: how long browsers are to use https only, told to those who came by it; 0: nothing is told.
    """

    def __init__(self, behind: Wsgi, hops: int, hsts_seconds: int = 0) -> None:
        self._behind = behind
        self._hops = hops
        self._transport = ("Strict-Transport-Security", f"max-age={hsts_seconds}") if hsts_seconds else None

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request."""
        believe(environ, self._hops)
        transport = self._transport
        if transport is None or environ["wsgi.url_scheme"] != "https":
            return self._behind(environ, start_response)

        def start(status: str, headers: Headers, *rest: Any) -> Any:
            return start_response(status, [*headers, transport], *rest)

        return self._behind(environ, start)


def believe(environ: Environ, hops: int) -> None:
    """Put the address and the scheme that the proxies saw in the place of those that the server saw.

    A value that is none of its kind is left aside. Done twice, it is as done once.
    """
    address = _address(_seen(environ.get("HTTP_X_FORWARDED_FOR", ""), hops))
    if address:
        environ["REMOTE_ADDR"] = address
    scheme = _seen(environ.get("HTTP_X_FORWARDED_PROTO", ""), hops).lower()
    if scheme in SCHEMES:
        environ["wsgi.url_scheme"] = scheme


def _seen(header: str, hops: int) -> str:
    """The N-th value from the right; the leftmost where there are fewer, as proxies may set it instead of adding."""
    values = header.split(",")
    return values[max(0, len(values) - hops)].strip()


def _address(text: str) -> str:
    """The address without a port; "" for what is none."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ip_address(text))
    except ValueError:
        return ""
