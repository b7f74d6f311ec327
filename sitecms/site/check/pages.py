"""Facts about rendered pages, read from their HTML in one pass, and rules for them."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from html import unescape
from itertools import groupby
from pathlib import PurePosixPath
from sys import intern

from msgspec import Struct, field

from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS
from sitecms.content.text.allowed_html import CONTENT_DROPPED
from sitecms.content.text.html import plain_text
from sitecms.content.text.media_links import addresses_in_srcset
from sitecms.content.text.nesting import TOKEN, after_content
from sitecms.documents import Step
from sitecms.findings import Finding
from sitecms.plurals import listed
from sitecms.site.check.entries import Entries
from sitecms.site.check.finding import CheckKind, check_finding
from sitecms.site.theme.addresses import addresses_in_css

_ATTRIBUTE = re.compile(
    r"""[\s/]*+([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)(?:"|\Z)|'([^']*+)(?:'|\Z)|([^\s>]++))?)?"""
)
_LINKS = {
    "a": ("href",),
    "area": ("href",),
    "audio": ("src",),
    "button": ("formaction",),
    "embed": ("src",),
    "form": ("action",),
    "iframe": ("src",),
    "img": ("src", "srcset"),
    "input": ("src", "formaction"),
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
MAX_TITLE_LENGTH = 60
"""Google and Bing cut titles at about 600 pixels, which is 60 letters of this script or another."""
MAX_DESCRIPTION_LENGTH = 160
"""Google shows about 155 to 160 letters of a description, Bing as many."""
_SHOWN_URLS = 3
_JOINTS = " \u2013\u2014-|·:"


class PageFacts(Struct):
    """Facts about one page; `path` is that of its output, `links` are as written, each once.

    `skips` are headings more than one level below the one before: (level before, level, text).
    """

    path: str
    title: str = ""
    description: str = ""
    language: str = ""
    is_indexed: bool = True
    is_redirect: bool = False
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
        if text and (name in _READ or "url(" in text or "id" in text.lower()):
            _note(facts, name, dict(_attributes(text)))
        elif name == "img":
            _note(facts, name, {})
        if name == "title" and not facts.title:
            facts.title = plain_text(html[match.end() : html.find("</title", match.end())])
        if name in CONTENT_DROPPED or name == "iframe":
            position = after_content(html, match.end(), name)
            if name == "style":
                _note_css(facts, html[match.end() : position])
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
            for url in addresses_in_srcset(value) if attribute == "srcset" else (value,):
                facts.links[intern(url)] = None
    if "style" in attributes:
        _note_css(facts, attributes["style"])
    if name == "img" and "alt" not in attributes:
        facts.without_alt.append(attributes.get("src", ""))
    elif name == "html":
        facts.language = attributes.get("lang", "")
    elif name == "meta":
        _note_meta(facts, attributes)


def _note_css(facts: PageFacts, css: str) -> None:
    for address in addresses_in_css(css):
        if not address.startswith("#"):  # a part of a drawing
            facts.links[address] = None


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
        facts.is_redirect = content.startswith("0")


class PageRules:
    """Rules for pages that search engines may show: titles, descriptions, headings, alt texts."""

    def __init__(
        self,
        entries: Entries,
        facts: Sequence[PageFacts],
        url_of: Callable[[str], str],
        media_names: Mapping[str, str],
        without_alt: Collection[str],
    ) -> None:
        """Take the pages, original file names by media file, and the files or entries reported for missing alt text."""
        self._media_names = media_names
        self._without_alt = without_alt
        self._entries = entries
        self._all = facts
        self._facts = [page for page in facts if page.is_indexed]
        self._url_of = url_of

    def findings(self) -> Iterator[Finding]:
        """Return findings: for pages of entries one by one, for pages of templates together."""
        yield from self._titles()
        yield from self._descriptions()
        yield from self._same_titles()
        yield from self._headings()
        yield from self._pictures()

    def _titles(self) -> Iterator[Finding]:
        long = [page for page in self._facts if len(self._plain_title(page)) > MAX_TITLE_LENGTH]
        remedy = f"search engines show about {MAX_TITLE_LENGTH}; seo_title may be a shorter one"

        def what(page: PageFacts) -> str:
            return f"has a title of {len(self._plain_title(page))} characters"

        yield from self._findings_of(CheckKind.TITLE_LONG, long, what, remedy, ("seo_title", "title"))

    def _descriptions(self) -> Iterator[Finding]:
        long = [page for page in self._facts if len(page.description) > MAX_DESCRIPTION_LENGTH]
        remedy = f"search engines show about {MAX_DESCRIPTION_LENGTH}; meta_description may be a shorter one"

        def what(page: PageFacts) -> str:
            return f"has a description of {len(page.description)} characters"

        yield from self._findings_of(CheckKind.DESCRIPTION_LONG, long, what, remedy, ("meta_description", "summary"))
        missing = [page for page in self._facts if not page.description and page.path in self._entries.shown]
        remedy = (
            "search engines show what they find instead; posts have a summary, pages a field description or summary"
        )
        yield from self._findings_of(
            CheckKind.DESCRIPTION_MISSING, missing, lambda _: "has no description", remedy, ("summary",)
        )

    def _same_titles(self) -> Iterator[Finding]:
        """Return equal titles. The archive of an author or term may share the title of an entry."""

        def named(page: PageFacts) -> tuple[str, str]:
            first = page.path.partition("/")[0]
            other = first if first in self._entries.settings.locales else ""  # its language may not be known
            return page.language or other, page.title.casefold()

        for (_language, title), group in groupby(sorted(self._facts, key=named), key=named):
            pages = sorted(group, key=lambda page: page.path)
            first, *others = [page for page in pages if page.path in self._entries.shown] or pages
            if title and others:
                what = f'has the title "{first.title}", as {self._some(others)}'
                yield self._at(CheckKind.TITLE_DUPLICATE, first, what, "give each its own", ("seo_title", "title"))

    def _headings(self) -> Iterator[Finding]:
        mine = [page for page in self._all if page.skips]

        def what(page: PageFacts) -> str:
            before, level, text = page.skips[0]
            return f'goes from a heading of level {before} to one of level {level}: "{text[:60]}"'

        yield from self._findings_of(
            CheckKind.HEADING_SKIPPED, mine, what, "use the next level, one # more at a time", ("body",)
        )

    def _pictures(self) -> Iterator[Finding]:
        """Report pictures of templates: those of entries are reported by their files."""
        reported = {src for page in self._all if self._is_reported(page) for src in page.without_alt}
        mine = [page for page in self._all if not reported.issuperset(page.without_alt)]
        remedy = 'describe what it shows; alt="" for a decorative image'

        def what(page: PageFacts) -> str:
            src = next(src for src in page.without_alt if src not in reported)
            return f"has a picture without alt text: {self._media_names.get(PurePosixPath(src).name, src)[:100]}"

        yield from self._findings_of(CheckKind.ALT_MISSING, mine, what, remedy, ())

    def _is_reported(self, page: PageFacts) -> bool:
        entry = self._entries.shown.get(page.path)
        return (
            entry is not None and (self._entries.sources.of(entry) or self._entries.words(entry)) in self._without_alt
        )

    def _findings_of(
        self,
        kind: CheckKind,
        pages: Sequence[PageFacts],
        what: Callable[[PageFacts], str],
        remedy: str,
        places: tuple[Step, ...],
    ) -> Iterator[Finding]:
        others = []
        for page in pages:
            if page.path in self._entries.shown:
                yield self._at(kind, page, what(page), remedy, places)
            else:
                others.append(page)
        if others:
            first, count = others[0], len(others)
            words = what(first) if count == 1 else f"{what(first)}; so do {self._some(others[1:])}"
            yield check_finding(kind, words, remedy, url=self._url_of(first.path), pages=count)

    def _at(self, kind: CheckKind, page: PageFacts, what: str, remedy: str, places: tuple[Step, ...]) -> Finding:
        """Return the finding at the first of these places that the entry's file has."""
        url = self._url_of(page.path)
        entry = self._entries.shown.get(page.path)
        file = self._entries.sources.of(entry) if entry else ""
        if not entry or not file:
            return check_finding(
                kind, what, remedy, place=self._entries.words(entry) if entry else "", url=url, pages=1
            )
        return check_finding(kind, what, remedy, file, self._line(entry, places), url, url, 1)

    def _line(self, entry: Entry, places: tuple[Step, ...]) -> int | None:
        line_of = self._entries.sources.line_of
        table: tuple[Step, ...] = () if KINDS[entry.kind].has_body else ("fields",)
        top = line_of(entry, *table)
        lines = [line_of(entry, *table, place) for place in places]
        return next((line for line in lines if line != top), top)

    def _plain_title(self, page: PageFacts) -> str:
        """Return the title without the site's name at its end."""
        name = self._entries.settings.name
        if page.title.endswith(name) and page.title != name:
            return page.title.removesuffix(name).rstrip(_JOINTS)
        return page.title

    def _some(self, pages: Sequence[PageFacts]) -> str:
        return listed([self._url_of(page.path) for page in pages], _SHOWN_URLS)
