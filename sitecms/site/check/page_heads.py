"""Rules for search engines and screen readers: titles, descriptions, headings, alternative texts."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import PurePosixPath

from sitecms.content.item import Item
from sitecms.content.post import Post
from sitecms.documents import Step
from sitecms.findings import Finding
from sitecms.site.check.entries import Entries, Showable
from sitecms.site.check.finding import CheckKind, check_finding
from sitecms.site.check.pages import PageFacts

MAX_TITLE_LENGTH = 60
"""Google and Bing cut titles at about 600 pixels, which is 60 letters of this script or another."""
MAX_DESCRIPTION_LENGTH = 160
"""Google shows about 155 to 160 letters of a description, Bing as many."""
_SHOWN_URLS = 3
_JOINTS = " \u2013\u2014-|·:"


class Heads:
    """Rules over all pages that search engines may show."""

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

        yield from self._told(CheckKind.TITLE_LONG, long, what, remedy, ("seo_title", "title"))

    def _descriptions(self) -> Iterator[Finding]:
        long = [page for page in self._facts if len(page.description) > MAX_DESCRIPTION_LENGTH]
        remedy = f"search engines show about {MAX_DESCRIPTION_LENGTH}; meta_description may be a shorter one"

        def what(page: PageFacts) -> str:
            return f"has a description of {len(page.description)} characters"

        yield from self._told(CheckKind.DESCRIPTION_LONG, long, what, remedy, ("meta_description", "summary"))
        missing = [page for page in self._facts if not page.description and page.path in self._entries.shown]
        remedy = "search engines show what they find instead; write a summary or a meta_description"
        yield from self._told(
            CheckKind.DESCRIPTION_MISSING, missing, lambda _: "has no description", remedy, ("summary",)
        )

    def _same_titles(self) -> Iterator[Finding]:
        """Return equal titles. The archive of an author or term may share the title of an entry."""

        def named(page: PageFacts) -> tuple[str, str]:
            return page.locale, page.title.casefold()

        for (_locale, title), group in groupby(sorted(self._facts, key=named), key=named):
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

        yield from self._told(
            CheckKind.HEADING_SKIPPED, mine, what, "use the next level, one # more at a time", ("body",)
        )

    def _pictures(self) -> Iterator[Finding]:
        """Report pictures of templates: those of entries are reported by their files."""
        reported = {src for page in self._all if self._is_reported(page) for src in page.without_alt}
        mine = [page for page in self._all if not reported.issuperset(page.without_alt)]
        remedy = 'write what it shows; alt="" for one that says nothing'

        def what(page: PageFacts) -> str:
            src = next(src for src in page.without_alt if src not in reported)
            return f"has a picture without alt text: {self._media_names.get(PurePosixPath(src).name, src)[:100]}"

        yield from self._told(CheckKind.ALT_MISSING, mine, what, remedy, ())

    def _is_reported(self, page: PageFacts) -> bool:
        entry = self._entries.shown.get(page.path)
        return entry is not None and (self._entries.file_of(entry) or self._entries.words(entry)) in self._without_alt

    def _told(
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
        file = self._entries.file_of(entry) if entry else ""
        if not entry or not file:
            return check_finding(
                kind, what, remedy, place=self._entries.words(entry) if entry else "", url=url, pages=1
            )
        return check_finding(kind, what, remedy, file, self._line(entry, file, places), url, url, 1)

    def _line(self, entry: Showable, file: str, places: tuple[Step, ...]) -> int | None:
        item = self._entries.sources.item_place(file, entry.id) if isinstance(entry, Item) else ()
        table: tuple[Step, ...] = () if isinstance(entry, Post) else (*item, "fields")
        top = self._entries.sources.line(file, *table)
        lines = [self._entries.sources.line(file, *table, place) for place in places]
        return next((line for line in lines if line != top), top)

    def _plain_title(self, page: PageFacts) -> str:
        """Return the title without the site's name at its end."""
        name = self._entries.settings.name
        if page.title.endswith(name) and page.title != name:
            return page.title.removesuffix(name).rstrip(_JOINTS)
        return page.title

    def _some(self, pages: Sequence[PageFacts]) -> str:
        urls = ", ".join(self._url_of(page.path) for page in pages[:_SHOWN_URLS])
        more = len(pages) - _SHOWN_URLS
        return f"{urls} and {more} more" if more > 0 else urls
