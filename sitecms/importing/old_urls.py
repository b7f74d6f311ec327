"""Check of old addresses: each is kept, redirected or gone on the built site."""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import parse_qsl, unquote

from msgspec import Struct

from sitecms.documents import read_yaml
from sitecms.errors import ConfigurationError, FetchFailed, InvalidFiles, InvalidRequest
from sitecms.importing.formats.xml import read_xml
from sitecms.importing.reader import Fetcher
from sitecms.importing.source import Source
from sitecms.settings.site import REDIRECTS_FILE
from sitecms.web_address import split_address

_MAX_SITEMAPS = 500
_MAX_STEPS = 5
_HOSTED_FILE = "_redirects"


class UrlOutcome(StrEnum):
    """The result for an old address on the built site."""

    KEPT = "kept"
    REDIRECTED = "redirected"
    GONE = "gone"


class OldUrl(Struct, frozen=True):
    """An old address, its result, and the address that it leads to."""

    url: str
    outcome: UrlOutcome
    target: str = ""


def read_urls(given: str, fetch: Fetcher) -> Iterator[str]:
    """Yield the addresses of a sitemap, of the sitemaps that it names, or of a text with one address in a line.

    `given` is a file or an address. Raises InvalidRequest if it cannot be read.
    """
    waiting: list[str] = [given]
    seen: set[str] = set()
    while waiting and len(seen) < _MAX_SITEMAPS:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        data = _data(name, fetch)
        if b"<" not in data[:2000]:
            yield from (line.strip() for line in data.decode("utf-8", "replace").splitlines() if "/" in line)
            continue
        for kind, address in _locations(BytesIO(data), name):
            if kind == "sitemap":
                local = Path(given).parent / Path(split_address(address).path).name
                is_file = not given.startswith("http") and local.is_file()
                waiting.append(str(local) if is_file else address)
            else:
                yield address


def _data(name: str, fetch: Fetcher) -> bytes:
    if not name.startswith(("https://", "http://")):
        return Source([name]).files[0].read()
    try:
        answer = fetch(name, {})
    except FetchFailed as error:
        raise InvalidRequest(f"{name} cannot be fetched: {error.reason}.") from error
    if answer.status != 200:
        raise InvalidRequest(f"{name} cannot be fetched: HTTP {answer.status}.")
    if answer.body.startswith(b"\x1f\x8b"):
        import zlib

        return zlib.decompressobj(31).decompress(answer.body, 256 * 1024**2)
    return answer.body


def _locations(file: BinaryIO, name: str) -> Iterator[tuple[str, str]]:
    """Yield `url` or `sitemap`, and the address, of each entry of a sitemap."""
    wanted = (("urlset", "url"), ("sitemapindex", "sitemap"))
    for element in read_xml(file, name, lambda path: path in wanted, lambda *_where: None):
        if address := element.value("loc").strip():
            yield element.name, address


class BuiltSite:
    """The built site: files of the output folder, and its redirects.

    `base_path` is the path of the site on its host: `/blog`, or "" for a site at the root.
    """

    def __init__(self, folder: Path, output: Path, base_path: str = "") -> None:
        if not output.is_dir():
            raise ConfigurationError(f"{output} does not exist; build the site first: sitecms build {folder}")
        self._output, self._base_paths = output, (base_path, unquote(base_path))
        self._exact: dict[str, str] = {}
        self._prefixes: list[tuple[str, str]] = []
        self._with_query: dict[tuple[str, str, str], list[tuple[Mapping[str, str], str]]] = {}
        for source, target in _hosted(output / _HOSTED_FILE):
            self._add(self._below_base(source) or source, target and (self._below_base(target) or target))
        for source, target in _rules(folder / REDIRECTS_FILE):
            self._add(source, target)

    def check(self, url: str) -> OldUrl:
        """Return the result for an old address."""
        parts = split_address(url)
        below = self._below_base(parts.path)
        if below is None:
            return OldUrl(url, UrlOutcome.GONE)
        path, query = unquote(below), dict(parse_qsl(parts.query, keep_blank_values=True))
        target = self._redirect(path, query)
        if target is None and self._is_page(path):
            return OldUrl(url, UrlOutcome.KEPT)
        for _step in range(_MAX_STEPS):
            if not target:
                break
            if "://" in target:
                return OldUrl(url, UrlOutcome.REDIRECTED, target)
            place = unquote(split_address(target).path)
            further = self._redirect(place, {})
            if further is None:
                return OldUrl(url, UrlOutcome.REDIRECTED if self._is_page(place) else UrlOutcome.GONE, target)
            target = further
        return OldUrl(url, UrlOutcome.GONE)

    def _below_base(self, path: str) -> str | None:
        """Return the path without the base path; None if it is not a path of the site."""
        below = (path[len(base) :] for base in self._base_paths if f"{path}/".startswith(f"{base}/"))
        return next((each or "/" for each in below), None)

    def _add(self, source: str, target: str) -> None:
        path, _, query = source.partition("?")
        path = unquote(path)
        if query:
            parameters = dict(parse_qsl(query, keep_blank_values=True))
            name, value = next(iter(parameters.items()), ("", ""))
            self._with_query.setdefault((path.rstrip("/"), name, value), []).append((parameters, target))
        elif path.endswith("*"):
            self._prefixes.append((path[:-1], target))
        else:
            self._exact.setdefault(path, target)

    def _redirect(self, path: str, query: Mapping[str, str]) -> str | None:
        """Return the target of the rule for an address: "" if the page is gone, None without a rule."""
        place = path.rstrip("/")
        rules = (rule for name, value in query.items() for rule in self._with_query.get((place, name, value), ()))
        matches = [(len(wanted), target) for wanted, target in rules if wanted.items() <= query.items()]
        if matches:
            return max(matches, key=lambda each: each[0])[1]  # as web servers, the one with most parameters
        for each in (path, path + "/" if not path.endswith("/") else path.rstrip("/")):
            if each in self._exact:
                return self._exact[each]
        if self._is_page(path):
            return None
        for prefix, target in self._prefixes:
            if path.startswith(prefix):
                return target.replace("*", path[len(prefix) :]).replace(":splat", path[len(prefix) :])
        return None

    def _is_page(self, path: str) -> bool:
        relative = path.strip("/")
        if ".." in relative.split("/"):
            return False
        file = self._output / relative
        try:
            return (file / "index.html").is_file() or (bool(relative) and file.is_file())
        except OSError:
            return False


def _hosted(path: Path) -> Iterator[tuple[str, str]]:
    """Yield source and target of the lines of a `_redirects` file."""
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if len(words) < 2 or words[0].startswith("#"):
            continue
        queries = [word for word in words[1:] if re.fullmatch(r"[^/:=]+=\S+", word)]
        rest = [word for word in words[1:] if word not in queries]
        source = words[0] + ("?" + "&".join(queries) if queries else "")
        if rest:
            yield source, "" if rest[-1].startswith(("404", "410")) else rest[0]


def _rules(path: Path) -> Iterator[tuple[str, str]]:
    """Yield source and target of the rules of redirects.yaml."""
    try:
        data = read_yaml(path) if path.is_file() else None
    except InvalidFiles:
        return
    for rule in data if isinstance(data, list) else ():
        if isinstance(rule, Mapping) and rule.get("from"):
            yield str(rule["from"]), "" if rule.get("gone") else str(rule.get("to") or "")


def old_urls(site: BuiltSite, urls: Iterable[str]) -> Iterator[OldUrl]:
    """Yield the result for each distinct address."""
    return (site.check(url) for url in dict.fromkeys(urls))
