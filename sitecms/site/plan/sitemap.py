"""What crawlers are told: the sitemap, in parts where it is large, and robots.txt."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import TypeAlias, overload

import orjson

from sitecms.content.fingerprint import digest
from sitecms.site.plan.page_job import Bodies, Listed, OnePage, Planned
from sitecms.site.routes import Routes
from sitecms.site.template_values import LocaleLink, SitemapUrl
from sitecms.site.theme.translations import language_name

MAX_URLS = 50_000
"""As many as the protocol allows in one file."""
ROWS_AT_ONCE = 500


def listed_as(planned: Planned, locale: str) -> Listed:
    """The page, which is one of that locale, as the sitemap needs it."""
    return Listed(planned.path, locale, planned.updated_at, planned.translations)


Part: TypeAlias = tuple[bytes, ...]
"""The pages of one file, a few hundred in each piece of JSON."""


class Listing:
    """All pages that the sitemap names, at most `max_urls` to a part.

    They are kept as JSON, which is a tenth of what its values take; and processes that share a plan would each come to
    hold all of it, had one of them to look at every page.
    """

    def __init__(self, max_urls: int = MAX_URLS) -> None:
        self._max_urls = max_urls
        self._full: list[Part] = []
        self._pieces: list[bytes] = []
        self._rows: list[tuple[object, ...]] = []
        self._count = 0

    def add(self, page: Listed) -> None:
        """One more page, after all others."""
        if self._count == self._max_urls:
            self._close_part()
        self._rows.append((page.path, page.locale, page.updated_at, *map(_plain_link, page.translations)))
        self._count += 1
        if len(self._rows) == ROWS_AT_ONCE:
            self._close_piece()

    def parts(self) -> tuple[Part, ...]:
        """What `listed_in` reads; of a site without pages, one without any."""
        self._close_piece()
        return (*self._full, tuple(self._pieces))

    def _close_part(self) -> None:
        self._close_piece()
        self._full.append(tuple(self._pieces))
        self._pieces, self._count = [], 0

    def _close_piece(self) -> None:
        if self._rows:
            piece = orjson.dumps(self._rows)
            self._pieces.append(bytes(memoryview(piece)))  # a copy: what orjson gives keeps several times its room
            self._rows = []


def listed_in(part: Part) -> Iterator[Listed]:
    """The pages of a part of a listing."""
    for piece in part:
        for path, locale, updated, *links in orjson.loads(piece):
            updated_at = datetime.fromisoformat(updated) if updated else None
            yield Listed(path, locale, updated_at, tuple([LocaleLink(*link) for link in links]) if links else ())


def _plain_link(link: LocaleLink) -> tuple[str, ...]:
    return link.code, link.name, link.url, link.absolute_url


def crawler_pages(listing: Listing, routes: Routes) -> Iterator[Planned]:
    """The sitemap of these pages, for a site that has an address, and robots.txt, which names it."""
    sitemap = routes.absolute("/sitemap.xml") if routes.settings.url else ""
    if sitemap:
        yield from _sitemap(listing.parts(), routes)
    yield Planned("/robots.txt", "robots.txt", (sitemap,), OnePage("robots.txt", partial(_robots_context, sitemap)))


def sitemap_url(page: Listed, routes: Routes) -> SitemapUrl:
    """How the sitemap names a page."""
    absolute = routes.absolute(page.path)
    return SitemapUrl(absolute, page.updated_at, _variants(page, absolute, routes))


def _variants(page: Listed, absolute: str, routes: Routes) -> tuple[LocaleLink, ...]:
    """The page in all its locales, itself included; none where there is only one."""
    if not page.translations:
        return ()
    own = LocaleLink(page.locale, language_name(page.locale), routes.url(page.path), absolute)
    return tuple(sorted((own, *page.translations), key=lambda link: routes.settings.locales.index(link.code)))


def _sitemap(parts: tuple[Part, ...], routes: Routes) -> Iterator[Planned]:
    """One file, or as many as it takes and an index of them."""
    if len(parts) == 1:
        yield _planned("/sitemap.xml", "sitemap", parts[0], routes)
        return
    named: list[SitemapUrl] = []
    for number, part in enumerate(parts, 1):
        path = f"/sitemap-{number}.xml"
        changed = max((page.updated_at for page in listed_in(part) if page.updated_at), default=None)
        named.append(SitemapUrl(routes.absolute(path), changed))
        yield _planned(path, f"sitemap, part {number}", part, routes)
    pages = OnePage("index of the sitemap", partial(_index_context, tuple(named)))
    yield Planned("/sitemap.xml", "sitemap-index.xml", tuple(named), pages)


def _planned(path: str, what: str, part: Part, routes: Routes) -> Planned:
    return Planned(path, "sitemap.xml", tuple(map(digest, part)), OnePage(what, partial(_urls_context, part, routes)))


class SitemapUrls(Sequence[SitemapUrl]):
    """The addresses of one file, made when they are asked for: all at once take more room than all else of a build."""

    def __init__(self, part: Part, routes: Routes) -> None:
        self._part = part
        self._routes = routes

    def __len__(self) -> int:
        return sum(1 for _page in listed_in(self._part))

    def __iter__(self) -> Iterator[SitemapUrl]:
        return (sitemap_url(page, self._routes) for page in listed_in(self._part))

    @overload
    def __getitem__(self, place: int) -> SitemapUrl: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[SitemapUrl, ...]: ...
    def __getitem__(self, place: int | slice) -> SitemapUrl | tuple[SitemapUrl, ...]:
        return tuple(self)[place]


def _urls_context(part: Part, routes: Routes, _bodies: Bodies) -> dict[str, object]:
    return {"urls": SitemapUrls(part, routes)}


def _index_context(parts: tuple[SitemapUrl, ...], _bodies: Bodies) -> dict[str, object]:
    return {"parts": parts}


def _robots_context(sitemap: str, _bodies: Bodies) -> dict[str, object]:
    return {"absolute_sitemap_url": sitemap}
