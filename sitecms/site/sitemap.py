"""What crawlers are told: the sitemap, in parts where it is large, and robots.txt."""

from collections.abc import Iterator, Sequence
from functools import partial

from sitecms.site.alternates import language_name
from sitecms.site.planned import Bodies, Listed, Planned
from sitecms.site.routes import Routes
from sitecms.site.views import LocaleLink, SitemapUrl

MAX_URLS = 50_000
"""As many as the protocol allows in one file."""


def listing(planned: Planned, locale: str) -> Listed:
    """The page, which is one of that locale, as the sitemap needs it."""
    return Listed(planned.path, locale, planned.updated_at, planned.translations)


def crawler_pages(listed: Sequence[Listed], routes: Routes, max_urls: int = MAX_URLS) -> Iterator[Planned]:
    """The sitemap of these pages, for a site that has an address, and robots.txt, which names it."""
    sitemap = routes.absolute("/sitemap.xml") if routes.settings.url else ""
    if sitemap:
        yield from _sitemap(tuple(listed), routes, max_urls)
    yield Planned("/robots.txt", "robots.txt", "robots.txt", (sitemap,), partial(_robots_context, sitemap))


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


def _sitemap(listed: tuple[Listed, ...], routes: Routes, max_urls: int) -> Iterator[Planned]:
    """One file, or as many as it takes and an index of them."""
    if len(listed) <= max_urls:
        yield Planned("/sitemap.xml", "sitemap.xml", "sitemap", listed, partial(_urls_context, listed, routes))
        return
    parts: list[SitemapUrl] = []
    for start in range(0, len(listed), max_urls):
        part, path = listed[start : start + max_urls], f"/sitemap-{len(parts) + 1}.xml"
        changed = max((page.updated_at for page in part if page.updated_at), default=None)
        parts.append(SitemapUrl(routes.absolute(path), changed))
        yield Planned(path, "sitemap.xml", f"sitemap, part {len(parts)}", part, partial(_urls_context, part, routes))
    yield Planned(
        "/sitemap.xml", "sitemap-index.xml", "index of the sitemap", tuple(parts), partial(_index_context, tuple(parts))
    )


def _urls_context(listed: tuple[Listed, ...], routes: Routes, _bodies: Bodies) -> dict[str, object]:
    return {"urls": tuple(sitemap_url(page, routes) for page in listed)}


def _index_context(parts: tuple[SitemapUrl, ...], _bodies: Bodies) -> dict[str, object]:
    return {"parts": parts}


def _robots_context(sitemap: str, _bodies: Bodies) -> dict[str, object]:
    return {"absolute_sitemap_url": sitemap}
