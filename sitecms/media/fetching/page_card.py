"""Title, description, picture and site of a page of another host, for a card of a link to it."""

import codecs
import re
from collections.abc import Iterator, Mapping
from html import unescape

from msgspec import Struct
from msgspec.structs import replace

from sitecms.guarded_http.addresses import is_fetchable
from sitecms.media.fetching.fetch import FetchRules, fetch_page
from sitecms.web_address import join_address

MAX_PAGE_BYTES = 1024 * 1024
MAX_SECONDS = 6.0
_MAX_TITLE, _MAX_DESCRIPTION = 200, 300
_MAX_TAGS, _MAX_TAG_CHARACTERS = 300, 4_000
_META = re.compile(r"<(?:meta|title)\b", re.IGNORECASE)
_BODY = re.compile(r"<body\b", re.IGNORECASE)
_TAG = re.compile(r"<meta((?:[^>\"']|\"[^\"]*\"|'[^']*')*+)>", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>([^<]*)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"(?<![a-zA-Z:-])([a-zA-Z:-]++)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w:-]+)", re.IGNORECASE)
_CHARSET_WITHIN = 2_048
_NO_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
"""Codecs of Python in which no page is written: some refuse to go on after an error, or take minutes."""
_TITLES, _DESCRIPTIONS = (
    ("og:title", "twitter:title", "title"),
    ("og:description", "twitter:description", "description"),
)
_IMAGES = ("og:image:secure_url", "og:image:url", "og:image", "twitter:image", "twitter:image:src")


class PageCard(Struct, frozen=True):
    """Facts that a page states about itself, "" for each missing one. `image` is an address that may be fetched."""

    title: str = ""
    description: str = ""
    image: str = ""
    site: str = ""


def read_card(url: str, rules: FetchRules) -> PageCard:
    """Return what the page at an address says about itself, within MAX_PAGE_BYTES and MAX_SECONDS.

    Raises FetchFailed, and FetchRejected for what is no page.
    """
    page = fetch_page(url, replace(rules, max_bytes=MAX_PAGE_BYTES, total_seconds=MAX_SECONDS))
    found = _meta(_text(page.content_type, page.data))
    image = join_address(page.url, _first(found, _IMAGES))
    return PageCard(
        _clipped(_first(found, _TITLES), _MAX_TITLE),
        _clipped(_first(found, _DESCRIPTIONS), _MAX_DESCRIPTION),
        image if image != page.url and is_fetchable(image) else "",
        _clipped(found.get("og:site_name", ""), _MAX_TITLE),
    )


def _text(content_type: str, data: bytes) -> str:
    """Return the page as text, in the encoding that its header or its beginning names, else UTF-8."""
    match = _CHARSET.search(content_type) or _CHARSET.search(data[:_CHARSET_WITHIN].decode("ascii", "replace"))
    try:
        if match and codecs.lookup(match[1]).name not in _NO_CHARSETS:
            return data.decode(match[1], "replace")
    except (LookupError, ValueError):
        pass
    return data.decode("utf-8", "replace")


def _meta(html: str) -> dict[str, str]:
    """Return the content of `<meta>` by name or property, the first of each, and that of `<title>`."""
    found: dict[str, str] = {}
    for name, content in _named(html):
        if content.strip():
            found.setdefault(name.lower(), content)
    return found


def _named(html: str) -> Iterator[tuple[str, str]]:
    body = _BODY.search(html)
    for count, match in enumerate(_META.finditer(html, 0, body.start() if body else len(html))):
        if count == _MAX_TAGS:
            return
        start, end = match.start(), match.start() + _MAX_TAG_CHARACTERS
        if title := _TITLE.match(html, start, end):
            yield "title", unescape(title[1])
        elif tag := _TAG.match(html, start, end):
            values = {name.lower(): unescape("".join(parts)) for name, *parts in _ATTRIBUTE.findall(tag[1])}
            yield values.get("property") or values.get("name") or "", values.get("content", "")


def _first(found: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((found[name].strip() for name in names if name in found), "")


def _clipped(text: str, length: int) -> str:
    """Return a text on one line, without signs that are not printed, cut at a word."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line if len(line) <= length else f"{line[:length].rpartition(' ')[0] or line[:length]}…"
