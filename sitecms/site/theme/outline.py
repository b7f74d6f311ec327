"""The outline of a text: its headings, each with an id that links can lead to."""

import re
from dataclasses import dataclass, field
from html import unescape

from markupsafe import Markup

from sitecms.content.text.html import plain_text
from sitecms.content.text.slug import numbered, slugify

_UNTITLED = "section"
# Both read sanitised HTML, where every attribute stands in double quotes and holds neither `"` nor `>`.
_HEADING = re.compile(r"<(h[23])((?: [^>]*)?)>(.*?)</\1>", re.DOTALL)
_ID = re.compile(r'(<[a-z][^>]*?) id="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and those below it, for a table of contents."""

    id: str
    text: str
    children: "tuple[Heading, ...]" = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """A text in which every h2 and h3 has an id; `count` is of all headings, those below others included."""

    html: Markup
    headings: tuple[Heading, ...] = ()
    count: int = 0


@dataclass(slots=True)
class _Open:
    """A heading while those below it are gathered."""

    id: str
    text: str
    children: list[Heading] = field(default_factory=list)

    def closed(self) -> Heading:
        return Heading(self.id, self.text, tuple(self.children))


def outline(html: Markup) -> Outline:
    """The outline of some sanitised HTML. Headings without an id get one from their words, as those of Markdown do.

    An id that stands twice is left to the first.
    """
    ids = [match[2] for match in _ID.finditer(html)] if ' id="' in html else []
    if len(ids) != len(set(ids)):
        html = _without_repeated(html)
    if "<h2" not in html and "<h3" not in html:
        return Outline(html)
    html = _with_ids(html, dict.fromkeys(ids, 1))
    tops: list[_Open] = []
    count = 0
    for match in _HEADING.finditer(html):
        text, name = plain_text(match[3]), _id_of(match[2])
        if not text or not name:
            continue
        count += 1
        if match[1] == "h3" and tops:
            tops[-1].children.append(Heading(unescape(name), text))
        else:
            tops.append(_Open(unescape(name), text))
    return Outline(html, tuple(top.closed() for top in tops), count)


def _with_ids(html: Markup, taken: dict[str, int]) -> Markup:
    """The HTML with an id on every h2 and h3, none of those that are taken."""

    def named(match: re.Match[str]) -> str:
        if _id_of(match[2]):
            return match[0]
        name = _free(slugify(plain_text(match[3])) or _UNTITLED, taken)
        attributes = match[2].replace(' id=""', "")
        return f'<{match[1]}{attributes} id="{name}">{match[3]}</{match[1]}>'

    return Markup(_HEADING.sub(named, html))  # noqa: S704  # sanitised, and slugs hold no markup


def _without_repeated(html: Markup) -> Markup:
    seen: set[str] = set()

    def once(match: re.Match[str]) -> str:
        is_new = match[2] not in seen
        seen.add(match[2])
        return match[0] if is_new else match[1]

    return Markup(_ID.sub(once, html))  # noqa: S704  # sanitised


def _id_of(attributes: str) -> str:
    found = re.search(r' id="([^"]+)"', attributes)
    return found[1] if found else ""


def _free(slug: str, taken: dict[str, int]) -> str:
    """The slug, or the first of `slug-2`, `slug-3`, ... that is free; `taken` remembers the last one tried."""
    candidate = slug
    while candidate in taken:
        taken[slug] = taken.get(slug, 1) + 1
        candidate = numbered(slug, taken[slug])
    taken[candidate] = 1
    return candidate
