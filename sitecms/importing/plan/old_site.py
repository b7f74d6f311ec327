"""Addresses of the old site: which of them are its own, and their canonical form."""

from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urlsplit

INDEX_NAMES = ("index.html", "index.htm", "index.php")


@dataclass(frozen=True, slots=True)
class OldSite:
    """The old site: its hosts without `www.`, and its base path ("" or `/blog`)."""

    hosts: frozenset[str] = field(default_factory=frozenset)
    base_path: str = ""

    @classmethod
    def of(cls, *urls: str) -> "OldSite":
        """Return the site of these addresses, of which the first decides the base path."""
        known = [urlsplit(url if "//" in url else f"//{url}") for url in urls if url]
        hosts = frozenset(bare_host(each.hostname or "") for each in known)
        return cls(hosts - {""}, known[0].path.rstrip("/") if known else "")

    def path_of(self, url: str) -> str | None:
        """Return the path of an address of the site as `old_path` writes it; None for other sites and schemes."""
        return _path_of(url, self.hosts, self.base_path)


@lru_cache(512)
def _path_of(url: str, hosts: frozenset[str], base_path: str) -> str | None:
    """Return `OldSite.path_of`; the same address is asked for several times in a row."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme not in ("", "http", "https"):
        return None
    if parts.netloc and bare_host(parts.hostname or "") not in hosts:
        return None
    if not parts.netloc and not parts.path.startswith("/"):
        return None
    return old_path(parts.path, parts.query, base_path)


def bare_host(host: str) -> str:
    """Return the host in lower case without `www.`."""
    return host.lower().removeprefix("www.").rstrip(".")


def old_path(path: str, query: str = "", base_path: str = "") -> str:
    """Return the path, percent-decoded, without base path, index file and trailing slash; then `?query`.

    The root is `/`. Case stays. The parameters of the query are sorted by name.
    """
    plain = unquote(path)
    if base_path and (plain == base_path or plain.startswith(base_path + "/")):
        plain = plain[len(base_path) :]
    head, _, last = plain.rpartition("/")
    if last in INDEX_NAMES:
        plain = head
    plain = "/" + plain.strip("/")
    pairs = sorted(parse_qsl(query, keep_blank_values=True))
    return plain + ("?" + "&".join(f"{name}={value}" for name, value in pairs) if pairs else "")


def without_query(path: str) -> str:
    """Return an old path without its query."""
    return path.partition("?")[0]
