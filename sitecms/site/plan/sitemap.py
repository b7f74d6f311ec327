"""Files for crawlers: the sitemap, in several files if it is large, and robots.txt."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import TypeAlias, overload

import orjson

from sitecms.content.fingerprint import digest
from sitecms.site.plan.planned_page import Bodies, PlannedPage, SitemapPage, UniquePage
from sitecms.site.routes import Routes
from sitecms.site.template_values import LocaleLink, SitemapUrl
from sitecms.site.theme.translations import language_name

MAX_URLS = 50_000
"""The limit of the sitemap protocol for one file."""
ROWS_PER_CHUNK = 500


def sitemap_page(planned: PlannedPage, locale: str) -> SitemapPage:
    """Return the entry of a page of that locale in the sitemap."""
    return SitemapPage(planned.path, locale, planned.updated_at, planned.translations)


SitemapPart: TypeAlias = tuple[bytes, ...]
"""The pages of one file, a few hundred in each chunk of JSON."""


class SitemapListing:
    """All pages of the sitemap, at most `max_urls` in a part.

    They are stored as JSON, which takes a tenth of the memory of the values; and a process that read the values of the
    plan would copy their shared memory.
    """

    def __init__(self, max_urls: int = MAX_URLS) -> None:
        self._max_urls = max_urls
        self._full: list[SitemapPart] = []
        self._chunks: list[bytes] = []
        self._rows: list[tuple[object, ...]] = []
        self._count = 0

    def add(self, page: SitemapPage) -> None:
        """Add a page after all others."""
        if self._count == self._max_urls:
            self._close_part()
        self._rows.append((page.path, page.locale, page.updated_at, *map(_plain_link, page.translations)))
        self._count += 1
        if len(self._rows) == ROWS_PER_CHUNK:
            self._close_chunk()

    def parts(self) -> tuple[SitemapPart, ...]:
        """Return the parts; one empty part for a site without pages."""
        self._close_chunk()
        return (*self._full, tuple(self._chunks))

    def _close_part(self) -> None:
        self._close_chunk()
        self._full.append(tuple(self._chunks))
        self._chunks, self._count = [], 0

    def _close_chunk(self) -> None:
        if self._rows:
            chunk = orjson.dumps(self._rows)
            self._chunks.append(bytes(memoryview(chunk)))  # a copy: the result of orjson holds several times its size
            self._rows = []


def sitemap_pages(part: SitemapPart) -> Iterator[SitemapPage]:
    """Yield the pages of a part."""
    for chunk in part:
        for path, locale, updated, *links in orjson.loads(chunk):
            updated_at = datetime.fromisoformat(updated) if updated else None
            yield SitemapPage(path, locale, updated_at, tuple([LocaleLink(*link) for link in links]) if links else ())


def _plain_link(link: LocaleLink) -> tuple[str, ...]:
    return link.code, link.name, link.url, link.absolute_url


def crawler_pages(listing: SitemapListing, routes: Routes) -> Iterator[PlannedPage]:
    """Yield the sitemap, for a site that has a `url`, and robots.txt, which names it."""
    sitemap = routes.absolute("/sitemap.xml") if routes.settings.url else ""
    if sitemap:
        yield from _sitemap(listing.parts(), routes)
    yield PlannedPage(
        "/robots.txt", "robots.txt", (sitemap,), UniquePage("robots.txt", partial(_robots_context, sitemap))
    )


def sitemap_url(page: SitemapPage, routes: Routes) -> SitemapUrl:
    """Return the entry of a page in a sitemap file."""
    absolute = routes.absolute(page.path)
    return SitemapUrl(absolute, page.updated_at, _variants(page, absolute, routes))


def _variants(page: SitemapPage, absolute: str, routes: Routes) -> tuple[LocaleLink, ...]:
    """Return the page in all its locales, itself included; nothing if there is only one."""
    if not page.translations:
        return ()
    own = LocaleLink(page.locale, language_name(page.locale), routes.url(page.path), absolute)
    return tuple(sorted((own, *page.translations), key=lambda link: routes.settings.locales.index(link.code)))


def _sitemap(parts: tuple[SitemapPart, ...], routes: Routes) -> Iterator[PlannedPage]:
    """Yield one file, or several and an index of them."""
    if len(parts) == 1:
        yield _planned("/sitemap.xml", "sitemap", parts[0], routes)
        return
    named: list[SitemapUrl] = []
    for number, part in enumerate(parts, 1):
        path = f"/sitemap-{number}.xml"
        changed = max((page.updated_at for page in sitemap_pages(part) if page.updated_at), default=None)
        named.append(SitemapUrl(routes.absolute(path), changed))
        yield _planned(path, f"sitemap, part {number}", part, routes)
    pages = UniquePage("index of the sitemap", partial(_index_context, tuple(named)))
    yield PlannedPage("/sitemap.xml", "sitemap-index.xml", tuple(named), pages)


def _planned(path: str, what: str, part: SitemapPart, routes: Routes) -> PlannedPage:
    return PlannedPage(
        path, "sitemap.xml", tuple(map(digest, part)), UniquePage(what, partial(_urls_context, part, routes))
    )


class SitemapUrls(Sequence[SitemapUrl]):
    """The addresses of one file, made while they are read: all at once take more memory than the rest of a build."""

    def __init__(self, part: SitemapPart, routes: Routes) -> None:
        self._part = part
        self._routes = routes

    def __len__(self) -> int:
        return sum(1 for _page in sitemap_pages(self._part))

    def __iter__(self) -> Iterator[SitemapUrl]:
        return (sitemap_url(page, self._routes) for page in sitemap_pages(self._part))

    @overload
    def __getitem__(self, place: int) -> SitemapUrl: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[SitemapUrl, ...]: ...
    def __getitem__(self, place: int | slice) -> SitemapUrl | tuple[SitemapUrl, ...]:
        return tuple(self)[place]


def _urls_context(part: SitemapPart, routes: Routes, _bodies: Bodies) -> dict[str, object]:
    return {"urls": SitemapUrls(part, routes)}


def _index_context(parts: tuple[SitemapUrl, ...], _bodies: Bodies) -> dict[str, object]:
    return {"parts": parts}


def _robots_context(sitemap: str, _bodies: Bodies) -> dict[str, object]:
    return {"absolute_sitemap_url": sitemap}
