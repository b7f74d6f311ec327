"""Middleware for a server behind trusted reverse proxies: client address and scheme from the forwarded headers.

Each proxy appends the address of its client to `X-Forwarded-For`. With N trusted proxies, the N-th value from the right
is what the outermost of them saw; anyone may have written the values left of it. Without trusted proxies, no such
header has any effect. `X-Forwarded-Host` never has: no response depends on the host that a request names, as absolute
addresses begin with the `url` under [serve].

Werkzeug's ProxyFix is not used: of the 16 headers in the tests of this module it reads 8 in another way. It takes any
text as address or scheme, keeps the port that some proxies append, so that each connection would have a rate limit of
its own, and ignores a header with fewer values than trusted proxies, as when one proxy replaces what another appends.
"""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Any

from sitecms.api.wsgi import Environ, Headers, StartResponse, Wsgi

SCHEMES = frozenset({"http", "https"})


class TrustedProxies:
    """Middleware of an application that clients reach through `hops` trusted proxies.

    Responses to https requests carry `Strict-Transport-Security` for `hsts_seconds`; 0 leaves the header out.
    """

    def __init__(self, behind: Wsgi, hops: int, hsts_seconds: int = 0) -> None:
        self._behind = behind
        self._hops = hops
        self._hsts = ("Strict-Transport-Security", f"max-age={hsts_seconds}") if hsts_seconds else None

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        apply_forwarded_headers(environ, self._hops)
        hsts = self._hsts
        if hsts is None or environ["wsgi.url_scheme"] != "https":
            return self._behind(environ, start_response)

        def start(status: str, headers: Headers, *rest: Any) -> Any:
            return start_response(status, [*headers, hsts], *rest)

        return self._behind(environ, start)


def apply_forwarded_headers(environ: Environ, hops: int) -> None:
    """Replace the client address and the scheme in the environment with those that the outermost trusted proxy saw.

    Invalid values are ignored. A second call changes nothing.
    """
    address = _address(_forwarded_value(environ.get("HTTP_X_FORWARDED_FOR", ""), hops))
    if address:
        environ["REMOTE_ADDR"] = address
    scheme = _forwarded_value(environ.get("HTTP_X_FORWARDED_PROTO", ""), hops).lower()
    if scheme in SCHEMES:
        environ["wsgi.url_scheme"] = scheme


def _forwarded_value(header: str, hops: int) -> str:
    """Return the N-th value from the right, or the leftmost where there are fewer."""
    values = header.split(",")
    return values[max(0, len(values) - hops)].strip()


def _address(text: str) -> str:
    """Return the IP address without its port, or "" if the text is no address."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ip_address(text))
    except ValueError:
        return ""
