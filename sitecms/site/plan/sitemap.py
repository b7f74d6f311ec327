"""Files for crawlers: the sitemap, in several files if it is large, and robots.txt."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import TypeAlias, overload

import orjson
from markupsafe import escape

from sitecms.content.fingerprint import digest
from sitecms.errors import InvalidRequest
from sitecms.site.plan.planned_page import Bodies, PlannedPage, SitemapPage, UniquePage
from sitecms.site.routes import Routes
from sitecms.site.template_values import LocaleLink, SitemapUrl
from sitecms.site.views.page_metadata import locale_link

MAX_URLS = 50_000
"""The limit of the sitemap protocol for one file."""
MAX_BYTES = 40 * 2**20
"""Its limit is 50 MB, uncompressed; a template of the site may write more than that of the theme."""
MAX_ADDRESS = 2_047
"""Its limit for one address."""
_URL_BYTES, _LINK_BYTES = 100, 70
"""What the template writes for an address, and for a link to the same page in another locale, without addresses."""
ROWS_PER_CHUNK = 500


def sitemap_page(planned: PlannedPage, locale: str) -> SitemapPage:
    """Return the entry of a page of that locale in the sitemap."""
    return SitemapPage(planned.path, locale, planned.updated_at, planned.translations)


SitemapPart: TypeAlias = tuple[bytes, ...]
"""The pages of one file, a few hundred in each chunk of JSON."""


class SitemapListing:
    """All pages of the sitemap, at most `max_urls` and about `max_bytes` in a part; `too_long` are left out.

    They are stored as JSON, which is small; and a process that read the values of the plan would copy their shared
    memory.
    """

    def __init__(self, routes: Routes, max_urls: int = MAX_URLS, max_bytes: int = MAX_BYTES) -> None:
        self._routes = routes
        self._max_urls = max_urls
        self._max_bytes = max_bytes
        self._bytes = 0
        self.too_long: list[str] = []
        self._full: list[SitemapPart] = []
        self._chunks: list[bytes] = []
        self._rows: list[tuple[object, ...]] = []
        self._count = 0

    def add(self, page: SitemapPage) -> None:
        """Add a page after all others."""
        address = self._routes.absolute(page.path)
        if len(address) > MAX_ADDRESS:
            self.too_long.append(page.path)
            return
        size = entry_bytes(address, page.translations)
        if self._count == self._max_urls or (self._count and self._bytes + size > self._max_bytes):
            self._close_part()
        self._bytes += size
        self._rows.append((page.path, page.locale, page.updated_at, *map(_plain_link, page.translations)))
        self._count += 1
        if len(self._rows) == ROWS_PER_CHUNK:
            self._close_chunk()

    def parts(self) -> tuple[SitemapPart, ...]:
        """Return the parts; one empty part for a site without pages."""
        self._close_chunk()
        return (*self._full, tuple(self._chunks))

    def notes(self) -> Iterator[str]:
        """Yield a note for each page that is left out."""
        for path in self.too_long:
            yield f"{path} is not in the sitemap, whose addresses have at most {MAX_ADDRESS:,} characters"

    def _close_part(self) -> None:
        self._close_chunk()
        self._full.append(tuple(self._chunks))
        self._chunks, self._count, self._bytes = [], 0, 0

    def _close_chunk(self) -> None:
        if self._rows:
            chunk = orjson.dumps(self._rows)
            self._chunks.append(bytes(memoryview(chunk)))  # a copy: the result of orjson holds several times its size
            self._rows = []


def entry_bytes(address: str, translations: Sequence[LocaleLink]) -> int:
    """Return about how many bytes the entry of a page takes, rather too many."""
    links = [_LINK_BYTES + len(link.language) + len(escape(link.absolute_url)) for link in translations]
    length = len(escape(address))
    return (
        _URL_BYTES + length + (sum(links) + 2 * (_LINK_BYTES + length) + max(links) if links else 0)
    )  # itself, x-default


def sitemap_pages(part: SitemapPart) -> Iterator[SitemapPage]:
    """Yield the pages of a part."""
    for chunk in part:
        for path, locale, updated, *links in orjson.loads(chunk):
            updated_at = datetime.fromisoformat(updated) if updated else None
            yield SitemapPage(path, locale, updated_at, tuple([LocaleLink(*link) for link in links]) if links else ())


def _plain_link(link: LocaleLink) -> tuple[str, ...]:
    return link.code, link.language, link.name, link.url, link.absolute_url


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
    return SitemapUrl(absolute, page.updated_at, _variants(page, routes))


def in_one_file(urls: Iterable[SitemapUrl]) -> tuple[SitemapUrl, ...]:
    """Return the entries that a single file may hold. Raises InvalidRequest if there are more than it may hold."""
    short_urls = tuple(url for url in urls if len(url.absolute_url) <= MAX_ADDRESS)
    if len(short_urls) > MAX_URLS:
        raise InvalidRequest(
            f"The sitemap has {len(short_urls):,} addresses, and one file holds {MAX_URLS:,}. Take sitemap.xml of the "
            "built site, which is in parts, or ask for one category_slug or tag_slug."
        )
    return short_urls


def _variants(page: SitemapPage, routes: Routes) -> tuple[LocaleLink, ...]:
    """Return the page in all its locales, itself included; nothing if there is only one."""
    if not page.translations:
        return ()
    own_link = locale_link(page.locale, page.path, routes)
    return tuple(sorted((own_link, *page.translations), key=lambda link: routes.settings.locales.index(link.code)))


def _sitemap(parts: tuple[SitemapPart, ...], routes: Routes) -> Iterator[PlannedPage]:
    """Yield one file, or several and an index of them."""
    if len(parts) == 1:
        yield _planned("/sitemap.xml", "sitemap", parts[0], routes)
        return
    urls: list[SitemapUrl] = []
    for number, part in enumerate(parts, 1):
        path = f"/sitemap-{number}.xml"
        changed = max((page.updated_at for page in sitemap_pages(part) if page.updated_at), default=None)
        urls.append(SitemapUrl(routes.absolute(path), changed))
        yield _planned(path, f"sitemap, part {number}", part, routes)
    pages = UniquePage("index of the sitemap", partial(_index_context, tuple(urls)))
    yield PlannedPage("/sitemap.xml", "sitemap-index.xml", tuple(urls), pages)


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
