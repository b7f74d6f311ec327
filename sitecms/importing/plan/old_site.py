"""Addresses of the old site: which of them are its own, their canonical form, and the patterns that they follow."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from urllib.parse import parse_qsl, unquote

from msgspec import Struct, field

from sitecms.web_address import ascii_address, is_address, split_address

INDEX_NAMES = ("index.html", "index.htm", "index.php")
MIN_SHARE = 0.5
"""Least share of the addresses that the most frequent pattern must have to become the site's pattern."""
MIN_NESTED = 10
"""Least number of addresses, all of one pattern, that show that a site keeps them in a folder within a folder."""
_DATE_PARTS = (("{year}", "%Y"), ("{month}", "%m"), ("{day}", "%d"))
_ENDINGS = {"": "/", ".html": ".html"}


class OldSite(Struct, frozen=True):
    """The old site: its hosts without `www.`, and its base path ("" or `/blog`)."""

    hosts: frozenset[str] = field(default_factory=frozenset)
    base_path: str = ""

    @classmethod
    def of(cls, *urls: str) -> "OldSite":
        """Return the site of these addresses, of which the first decides the base path."""
        addresses = [url if "//" in url else f"//{url}" for url in urls if url]
        known = [split_address(url) for url in addresses if is_address(url)]
        hosts = frozenset(bare_host(each.hostname or "") for each in known)
        return cls(hosts - {""}, unquote(known[0].path).rstrip("/") if known else "")

    def path_of(self, url: str) -> str | None:
        """Return the path of an address of the site as `old_path` writes it; None for other sites and schemes."""
        if not is_address(url):
            return None
        parts = split_address(url)
        if parts.scheme not in ("", "http", "https"):
            return None
        if parts.netloc and bare_host(parts.hostname or "") not in self.hosts:
            return None
        if not parts.netloc and not parts.path.startswith("/"):
            return None
        return old_path(parts.path, parts.query, self.base_path)


def bare_host(host: str) -> str:
    """Return the host in lower case as DNS has it, without `www.`."""
    plain = host.lower().removeprefix("www.").rstrip(".")
    return ascii_address(f"//{plain}").removeprefix("//")


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


def pattern_of(path: str, slug: str, local: datetime | None) -> str:
    """Return the pattern of one address, such as `/{year}/{month}/{slug}/`; "" if it does not end in the slug.

    `path` is as `old_path` writes it, `local` the time of publication in the site's time zone.
    """
    *before, last = path.strip("/").split("/")
    ending = next((end for known, end in _ENDINGS.items() if last == slug + known), "")
    if not slug or not ending or any(sign in path for sign in "{}"):
        return ""
    wanted = list(_DATE_PARTS) if local else []
    parts = []
    for part in before:
        if wanted and local and part == local.strftime(wanted[0][1]):
            parts.append(wanted.pop(0)[0])
        else:
            parts.append(part)
    return "/" + "/".join((*parts, "{slug}")) + ending


def infer_pattern(found: Iterable[str]) -> str:
    """Return the pattern for the entries of a site, that of most of its addresses; "" if there is none.

    Where fewer are in a folder within a folder, they are taken for parts of the outer one: the next entry of the site
    belongs there.
    """
    patterns = list(found)
    if len(patterns) < MIN_NESTED or len(set(patterns)) > 1:
        patterns = [_in_outer_folder(pattern) for pattern in patterns]
    return most_frequent(patterns)


def most_frequent(patterns: Sequence[str]) -> str:
    """Return the pattern that most of all addresses have; "" if there is none."""
    counts = Counter(patterns)
    del counts[""]
    if not counts:
        return ""
    count, pattern = max((count, pattern) for pattern, count in counts.items())
    return pattern if count > MIN_SHARE * len(patterns) else ""


def _in_outer_folder(pattern: str) -> str:
    """Return a pattern without the constant folders below its first one."""
    first, *folders, last = pattern.strip("/").split("/") if pattern.count("/") > 2 else ("", pattern)
    if not folders:
        return pattern
    kept = [each for each in folders if each.startswith("{")]
    return "/" + "/".join((first, *kept, last)) + ("/" if pattern.endswith("/") else "")


def fill_pattern(pattern: str, slug: str, local: datetime | None, page_type: str = "") -> str:
    """Return the address of an entry by a pattern."""
    path = pattern.replace("{page_type}", page_type)
    if local:
        for name, code in _DATE_PARTS:
            path = path.replace(name, local.strftime(code))
    return path.replace("{slug}", slug)
