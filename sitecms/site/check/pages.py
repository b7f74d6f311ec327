"""Facts about a rendered page, read from its HTML in one pass."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from sys import intern

from sitecms.content.text.allowed_html import CONTENT_DROPPED
from sitecms.content.text.html import plain_text
from sitecms.content.text.media_links import replace_in_srcset
from sitecms.content.text.nesting import TOKEN, after_content

_ATTRIBUTE = re.compile(
    r"""[\s/]*+([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)(?:"|\Z)|'([^']*+)(?:'|\Z)|([^\s>]++))?)?"""
)
_LINKS = {
    "a": ("href",),
    "area": ("href",),
    "audio": ("src",),
    "form": ("action",),
    "iframe": ("src",),
    "img": ("src", "srcset"),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "video": ("src", "poster"),
}
_READ = frozenset({*_LINKS, "html", "meta"})
_HEADING = re.compile(r"h([1-6])")
_HINTS = frozenset({"preconnect", "dns-prefetch"})
_IMAGE_PROPERTIES = frozenset({"og:image", "og:image:url", "twitter:image"})
_REFRESH = re.compile(r"url=\s*['\"]?([^'\"]+)", re.I)


@dataclass(slots=True)
class PageFacts:
    """Facts about one page; `path` is that of its output, `links` are as written, each once.

    `skips` are headings more than one level below the one before: (level before, level, text).
    """

    path: str
    title: str = ""
    description: str = ""
    locale: str = ""
    is_indexed: bool = True
    links: dict[str, None] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    without_alt: list[str] = field(default_factory=list)
    skips: list[tuple[int, int, str]] = field(default_factory=list)


def read_page(path: str, html: str) -> PageFacts:
    """Return the facts of a page."""
    facts = PageFacts(path)
    level = position = 0
    for match in TOKEN.finditer(html):
        slash, tag, text, _closing, _stray = match.groups()
        if not tag or slash or match.start() < position:
            continue
        name = tag.lower()
        if text and (name in _READ or "id" in text.lower()):
            _note(facts, name, dict(_attributes(text)))
        elif name == "img":
            _note(facts, name, {})
        if name == "title" and not facts.title:
            facts.title = plain_text(html[match.end() : html.find("</title", match.end())])
        if name in CONTENT_DROPPED or name == "iframe":
            position = after_content(html, match.end(), name)
        elif heading := _HEADING.fullmatch(name):
            before, level = level, int(heading[1])
            if before and level > before + 1:
                text = plain_text(html[match.end() : html.find(f"</{tag}", match.end())])
                facts.skips.append((before, level, text))
    return facts


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        value = double or single or bare
        yield name.lower(), unescape(value) if "&" in value else value


def _note(facts: PageFacts, name: str, attributes: dict[str, str]) -> None:
    if "id" in attributes:
        facts.ids.add(attributes["id"])
    if name == "a" and "name" in attributes:
        facts.ids.add(attributes["name"])
    for attribute in _LINKS.get(name, ()):
        value = attributes.get(attribute, "").strip()
        if value and not (name == "link" and _HINTS.intersection(attributes.get("rel", "").lower().split())):
            for url in _candidates(value) if attribute == "srcset" else (value,):
                facts.links[intern(url)] = None
    if name == "img" and "alt" not in attributes:
        facts.without_alt.append(attributes.get("src", ""))
    elif name == "html":
        facts.locale = attributes.get("lang", "")
    elif name == "meta":
        _note_meta(facts, attributes)


def _note_meta(facts: PageFacts, attributes: dict[str, str]) -> None:
    name, content = attributes.get("name", "").lower(), attributes.get("content", "")
    if name == "description":
        facts.description = " ".join(content.split())
    elif name == "robots" and "noindex" in content.lower():
        facts.is_indexed = False
    elif attributes.get("property", name) in _IMAGE_PROPERTIES and content:
        facts.links[content] = None
    elif attributes.get("http-equiv", "").lower() == "refresh" and (target := _REFRESH.search(content)):
        facts.links[target[1].strip()] = None


def _candidates(srcset: str) -> tuple[str, ...]:
    """Return the addresses of a srcset."""
    found: list[str] = []

    def note(address: str) -> str:
        found.append(address)
        return address

    replace_in_srcset(srcset, note)
    return tuple(found)
