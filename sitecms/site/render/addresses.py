"""Addresses in outputs: those on the site that a page or stylesheet names, and the build has no file for.

The build makes most addresses itself: of variants of images, assets, feeds, further pages of lists, translations. One
of them without a file is an error of the program or of a template, and fails the page by name. Addresses that people
wrote are left to `sitecms check`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from html import unescape
from urllib.parse import unquote

from sitecms.content.media import MEDIA_PREFIX
from sitecms.content.permalink import url_path
from sitecms.content.text.media_links import addresses_in_srcset
from sitecms.settings.site import SiteSettings
from sitecms.site.images.media_links import linked_at
from sitecms.site.routes import INDEX, SEARCH_FOLDER, output_path
from sitecms.site.theme.addresses import addresses_in_css
from sitecms.web_address import join_address

CHECKED = (".html", ".xml", ".json", ".css")
_ROOTED = re.compile(rb'="(/[^"]*)"')
_NAME = re.compile(rb"([\w:-]+)\Z")
_ATTRIBUTES = frozenset({b"href", b"src", b"srcset", b"imagesrcset", b"poster", b"data", b"action", b"content", b"url"})
_SRCSETS = frozenset({b"srcset", b"imagesrcset"})
_ESCAPED_QUOTE = re.compile(r"&(?:amp;)*(?:#3[49]|#x27|quot|apos|lt|gt);")
_PUNCTUATION = ").,;:!?]}*_`"
_MOST_KNOWN = 50_000
_ANYWHERE = "http://site.invalid"
_MOST_NEEDLES = 40


class OutputAddresses:
    """The addresses that lead to a file of the built site: `outputs` are the paths of all its files."""

    def __init__(self, outputs: Collection[str], settings: SiteSettings) -> None:
        self._outputs = frozenset(outputs)
        self._base = settings.base_path
        self._url = settings.url
        self._absolute = re.compile(re.escape(settings.url.encode()) + rb"(/[^\s\"'<>\\]*)") if settings.url else None
        self._later = (f"/{SEARCH_FOLDER}/", *((MEDIA_PREFIX,) if linked_at(settings) else ()))
        self._rooted_known: set[bytes] = set()
        self._absolute_known: set[bytes] = set()

    def missing(self, path: str, data: bytes) -> tuple[str, ...]:
        """Return the addresses on the site that an output names and that lead to no file, as they are written."""
        if not path.endswith(CHECKED):
            return ()
        if path.endswith(".css"):
            return tuple(dict.fromkeys(self._missing_in_style(path, data)))
        addresses: dict[str, None] = {}
        for raw in {*_ROOTED.findall(data)} - self._rooted_known:
            addresses |= dict.fromkeys(self._missing_rooted(raw, data))
        if self._absolute is not None:
            for raw in {*self._absolute.findall(data)} - self._absolute_known:
                if self._leads_somewhere(raw.decode("utf-8", "replace")):
                    _keep(self._absolute_known, raw)
                else:
                    addresses[f"{self._url}{_plain(raw.decode('utf-8', 'replace'))}"] = None
        return tuple(sorted(addresses))

    def has(self, address: str) -> bool:
        """Return whether an address below the root of the site, without its base path, leads to a file."""
        place = unquote(re.split("[?#]", address, maxsplit=1)[0])
        target = output_path(place)
        return target in self._outputs or f"{target}/{INDEX}" in self._outputs or place.startswith(self._later)

    def path_of(self, written: str) -> str:
        """Return the path of the output that an address on the site leads to."""
        rest = written.removeprefix(self._url) if self._url and written.startswith(self._url) else written
        place = unquote(re.split("[?#]", rest, maxsplit=1)[0])
        return output_path(place.removeprefix(self._base) if rest is written else place)

    def _missing_rooted(self, raw: bytes, data: bytes) -> Iterator[str]:
        text = unescape(raw.decode("utf-8", "replace"))
        if self._has_rooted(text):
            _keep(self._rooted_known, raw)
            return
        names = {name for name in _names(raw, data) if name in _ATTRIBUTES}
        if any(map(str.isspace, text)):
            names -= {b"content"}  # a title or description that begins with a slash
        if names & _SRCSETS:
            yield from (
                each for each in addresses_in_srcset(text) if each.startswith("/") and not self._has_rooted(each)
            )
        elif names:
            yield text

    def _has_rooted(self, address: str) -> bool:
        """Return whether an address leads to a file; True for one that is not on the site."""
        if address.startswith("//") or not f"{address}/".startswith(f"{self._base}/"):
            return True
        return self.has(address.removeprefix(self._base) or "/")

    def _leads_somewhere(self, written: str) -> bool:
        """Return whether an address in any text leads to a file, perhaps without the punctuation at its end."""
        plain = _plain(written)
        return self.has(plain) or self.has(plain.rstrip(_PUNCTUATION) or "/")

    def _missing_in_style(self, path: str, data: bytes) -> Iterator[str]:
        for written in addresses_in_css(data.decode("utf-8", "replace")):
            if written.startswith("#") or re.match(r"[a-z][a-z0-9+.-]*:", written, re.IGNORECASE):
                continue
            place = join_address(f"{_ANYWHERE}{self._base}{url_path(f'/{path}')}", written)
            if place.startswith(f"{_ANYWHERE}/") and not self._has_rooted(place.removeprefix(_ANYWHERE)):
                yield written


def naming_removed(
    paths: Iterable[str], read: Callable[[str], bytes], removed: Collection[str], addresses: OutputAddresses
) -> dict[str, tuple[str, ...]]:
    """Return the addresses of removed outputs that these outputs name, which the build keeps as they are."""
    needles = tuple(_address_of(path).encode() for path in removed)
    naming = {}
    for path in paths:
        if not path.endswith(CHECKED):
            continue
        data = read(path)
        if len(needles) > _MOST_NEEDLES or any(needle in data for needle in needles):
            missing = addresses.missing(path, data)
            if removed_addresses := tuple(each for each in missing if addresses.path_of(each) in removed):
                naming[path] = removed_addresses
    return naming


def _address_of(path: str) -> str:
    return url_path(f"/{path}".removesuffix(INDEX) if f"/{path}".endswith(f"/{INDEX}") else f"/{path}")


def _keep(addresses: set[bytes], raw: bytes) -> None:
    if len(addresses) >= _MOST_KNOWN:
        addresses.clear()
    addresses.add(raw)


def _names(raw: bytes, data: bytes) -> Iterator[bytes]:
    """Yield the name of each attribute with this value."""
    written, position = b'="' + raw + b'"', -1
    while (position := data.find(written, position + 1)) >= 0:
        if name := _NAME.search(data, max(0, position - 40), position):
            yield name[1].lower()


def _plain(written: str) -> str:
    """Return an address without what follows it in escaped HTML, and without escapes."""
    text = _ESCAPED_QUOTE.split(written, maxsplit=1)[0]
    while "&" in text and (plain := unescape(text)) != text:
        text = plain
    return text
