"""Addresses that requests may go to: http(s), and public networks or those of allowed hosts."""

import ipaddress
import socket
from urllib.parse import urlsplit  # noqa: TID251 - the package stands alone, and ValueError is an answer here

from msgspec import Struct
from urllib3.exceptions import HTTPError
from urllib3.util import parse_url

from sitecms.guarded_http.errors import ExchangeFailed, ExchangeRefused
from sitecms.guarded_http.name_lookup import Lookups, Resolver

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

MAX_URL_CHARACTERS = 4096
_SCHEMES = {"http": 80, "https": 443}
_WEB_PORTS = (80, 443)
_FIRST_FREE_PORT = 1024  # below stand mail, shells and other things that must never get a request of ours
_MAX_ADDRESSES = 64
_LOOKUPS = Lookups()
# The IANA special-purpose registries, RFC 6890 and its updates, written out: `is_global` differs between Pythons.
_SPECIAL_V4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",  # this network; 0.0.0.0 reaches this machine
            "10.0.0.0/8",
            "100.64.0.0/10",  # carrier-grade NAT, RFC 6598
            "127.0.0.0/8",
            "168.63.129.16/32",  # the host below every Azure machine
            "169.254.0.0/16",  # link-local; the metadata services of clouds
            "172.16.0.0/12",
            "192.0.0.0/24",  # IETF protocol assignments
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # automatic multicast tunnelling
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarking
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved; broadcast
        ),
    )
)
# Everything outside it is refused: unspecified, loopback, IPv4-mapped and -compatible, NAT64, discard, segment
# routing, unique local, link-local, site-local, multicast. An IPv4 address embedded in one is not looked at.
_GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
_SPECIAL_V6 = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",  # IETF protocol assignments: Teredo, benchmarking, ORCHID, multicast tunnelling, DRIP
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4
            "2620:4f:8000::/48",  # AS112
            "3ffe::/16",  # 6bone, given back
            "3fff::/20",  # documentation, RFC 9637
        ),
    )
)


def is_public(address: str) -> bool:
    """Return True for one address of the public internet, in any standard spelling."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv4Address):
        return not any(parsed in network for network in _SPECIAL_V4)
    scoped = parsed.scope_id is not None
    return not scoped and parsed in _GLOBAL_V6 and not any(parsed in network for network in _SPECIAL_V6)


def system_resolver(host: str, port: int) -> tuple[str, ...]:
    """Return every address that the system resolves for the host, in order. Raises OSError, UnicodeError."""
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(answer[4][0]) for answer in answers))


class AddressGate(Struct, frozen=True):
    """Resolver that returns only permitted addresses.

    `allow_hosts` are host names or addresses, each with or without `:port`, that may be private (`media.allow_hosts`).
    They are compared with the spelling in the URL. `first_port` is the port of the address that a person wrote:
    redirects of another host lead to it, or to the ports of the web, and to no others.
    """

    allow_hosts: tuple[str, ...] = ()
    resolve: Resolver = system_resolver
    first_port: int | None = None

    def addresses(self, host: str, port: int, timeout_seconds: float) -> tuple[Address, ...]:
        """Return the checked addresses of a host, in the resolver's order. They must not be resolved again.

        Raises ExchangeRefused if any address is not public or the port is not one for the web, ExchangeRejected if
        there is no such name, ExchangeFailed if it has no address, the resolver does not answer in time, or too many
        look-ups run.
        """
        allowed = self._is_allowed(host, port)
        is_free = _FIRST_FREE_PORT <= port < 65536 and self.first_port in (None, port)
        if not allowed and port not in _WEB_PORTS and not is_free:
            raise ExchangeRefused(f"port {port} is not a port of the web", f"Port {port} is not a port of the web.")
        found = _LOOKUPS.find(self.resolve, host, port, timeout_seconds)
        if not found or len(found) > _MAX_ADDRESSES:
            raise ExchangeFailed(f"{host} has {len(found)} addresses", "The remote host has no usable address.")
        hidden = [] if allowed else [address for address in found if not is_public(address)]
        if hidden:
            remedy = "allow_hosts in site.toml names private hosts that may be reached"
            raise ExchangeRefused(
                f"{host} has the address {hidden[0]}, which is not public ({remedy})",
                f"The remote host is not on the public internet ({remedy}).",
            )
        return tuple(ipaddress.ip_address(address) for address in found)

    def _is_allowed(self, host: str, port: int) -> bool:
        plain = host.lower().rstrip(".").strip("[]")
        spellings = {plain, f"[{plain}]", f"{plain}:{port}", f"[{plain}]:{port}"}
        return any(entry.lower() in spellings for entry in self.allow_hosts)


def port_of(url: str) -> int | None:
    """Return the port that the address names, or that of its scheme; None if it cannot be read."""
    try:
        parts = parse_url(url)
    except (HTTPError, ValueError):
        return None
    return parts.port or _SCHEMES.get(parts.scheme or "")


def is_fetchable(url: str) -> bool:
    """Return True for an http(s) address with a host and without credentials. No request is made."""
    if len(url) > MAX_URL_CHARACTERS or "\\" in url or any(sign < " " or sign == "\x7f" for sign in url):
        return False
    try:
        parts = parse_url(url)
        bare = parts.auth is None and "@" not in urlsplit(url).netloc
        port_is_sound = parts.port is None or 0 < parts.port < 65536
    except (HTTPError, ValueError):
        return False
    return parts.scheme in ("http", "https") and bool(parts.host) and bare and port_is_sound
