"""The sitemap: every page once, with its time and its translations; in several files if it is large."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from sitecms.errors import InvalidRequest
from sitecms.settings.site import SiteSettings
from sitecms.site.plan.planned_page import SitemapPage
from sitecms.site.plan.sitemap import MAX_BYTES, MAX_URLS, SitemapListing, crawler_pages, in_one_file
from sitecms.site.routes import Routes
from sitecms.site.template_values import LocaleLink, SitemapUrl
from sitecms.site.theme.environment import make_environment
from sitecms.site.theme.theme import load_theme
from tests.support.sites import ExampleSite

SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
SITE = SimpleNamespace(default_locale="en")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def made(site: SiteSettings, count: int, max_urls: int) -> dict[str, ElementTree.Element]:
    """Return the files of a sitemap of `count` pages, each an hour newer than the one before."""
    pages = SitemapListing(Routes(site), max_urls)
    for number in range(count):
        pages.add(SitemapPage(f"/p/{number}/", "en", NOON + timedelta(hours=number), ()))
    return {path: ElementTree.fromstring(text) for path, text in rendered(site, pages).items()}


def rendered(site: SiteSettings, pages: SitemapListing) -> dict[str, str]:
    """Return the files of a sitemap as the theme writes them."""
    environment = make_environment(load_theme(site.folder, site.theme), site, lambda _src: None)
    planned = [each for each in crawler_pages(pages, Routes(site)) if each.path.endswith(".xml")]
    contexts = {each.path: (each.template, each.pages.context(each.number, {})) for each in planned}
    return {
        path: environment.get_template(template).render(site=SITE, **context)
        for path, (template, context) in contexts.items()
    }


def addresses(root: ElementTree.Element) -> list[str]:
    return [str(each.text) for each in root.iter(f"{SPACE}loc")]


@pytest.mark.parametrize("count", [1, 3])
def test_a_small_sitemap_is_one_file(site: SiteSettings, count: int) -> None:
    """It is one file up to the limit of addresses."""
    files = made(site, count, 3)
    assert list(files) == ["/sitemap.xml"]
    assert addresses(files["/sitemap.xml"]) == [f"https://tide.example/p/{number}/" for number in range(count)]


def test_a_large_sitemap_is_an_index_of_files(site: SiteSettings) -> None:
    """Each page is in one file; the index has the time of the last change of each file."""
    files = made(site, 7, 3)
    index = files.pop("/sitemap.xml")
    assert index.tag == f"{SPACE}sitemapindex"
    assert addresses(index) == [f"https://tide.example{path}" for path in files]
    assert [len(addresses(part)) for part in files.values()] == [3, 3, 1]
    found = [address for part in files.values() for address in addresses(part)]
    assert found == [f"https://tide.example/p/{number}/" for number in range(7)]
    changed = [str(each.text) for each in index.iter(f"{SPACE}lastmod")]
    assert changed == ["2026-03-01T14:00:00Z", "2026-03-01T17:00:00Z", "2026-03-01T18:00:00Z"]


def test_a_file_holds_no_more_than_the_protocol_allows() -> None:
    """The limits are fifty thousand addresses, and fifty megabytes, of which some are left for other templates."""
    assert MAX_URLS == 50_000
    assert MAX_BYTES == 40 * 1024 * 1024


def test_long_addresses_and_many_locales_make_more_files(site: SiteSettings) -> None:
    """No file is larger than the limit of bytes, each but the last is nearly full, and every page is in one file."""
    codes = [f"l{number}" for number in range(31)]
    site = replace(site, locales=("en", *codes))
    far = [f"https://tide.example/{code}/{'%E4' * 80}&'/" for code in codes]
    links = tuple(LocaleLink(code, code, code, "/x/", url) for code, url in zip(codes, far, strict=True))
    pages = SitemapListing(Routes(site), max_bytes=100_000)
    for number in range(40):
        pages.add(SitemapPage(f"/{number}/{'ä&' * 80}/", "en", NOON, links))
    files = rendered(site, pages)
    files.pop("/sitemap.xml")
    sizes = [len(text.encode()) for text in files.values()]
    assert len(sizes) > 5
    assert max(sizes) <= 100_000
    assert min(sizes[:-1]) > 75_000
    found = [address for text in files.values() for address in addresses(ElementTree.fromstring(text))]
    assert [address.split("/")[3] for address in found] == [str(number) for number in range(40)]


def test_an_address_that_no_sitemap_may_hold_is_left_out_with_a_note(site: SiteSettings) -> None:
    """It has 2,048 characters or more."""
    pages = SitemapListing(Routes(site))
    start = len("https://tide.example/")
    fits, long = (f"/{'a' * (length - start - 1)}/" for length in (2_047, 2_048))
    for path in (fits, long):
        pages.add(SitemapPage(path, "en", NOON, ()))
    assert addresses(ElementTree.fromstring(rendered(site, pages)["/sitemap.xml"])) == [f"https://tide.example{fits}"]
    assert list(pages.notes()) == [f"{long} is not in the sitemap, whose addresses have at most 2,047 characters"]
    urls = [SitemapUrl(f"https://tide.example{path}") for path in (fits, long)]
    assert in_one_file(urls) == (urls[0],)


def test_the_api_answers_no_sitemap_that_crawlers_refuse() -> None:
    """It has one file, and says where the parts are."""
    urls = [SitemapUrl("https://tide.example/")] * (MAX_URLS + 1)
    assert len(in_one_file(urls[1:])) == MAX_URLS
    with pytest.raises(InvalidRequest, match=r"50,001 addresses.*sitemap\.xml of the built site"):
        in_one_file(urls)


def test_every_page_is_in_the_sitemap_once(example: ExampleSite) -> None:
    """All pages with a canonical address are in it, with time and translations, and nothing else."""
    example.make()
    root = ElementTree.fromstring(example.text("sitemap.xml"))
    found = addresses(root)
    canonical = [
        data.decode().partition('rel="canonical" href="')[2].partition('"')[0]
        for path, data in example.tree().items()
        if path.endswith(".html") and b'name="robots" content="noindex"' not in data
    ]
    assert len(found) == len(set(found))
    assert set(found) == set(filter(None, canonical))
    entries = {str(each.findtext(f"{SPACE}loc")): each for each in root}
    post = entries["https://tide.example/blog/ebb/"]
    assert post.findtext(f"{SPACE}lastmod") == "2026-02-03T08:00:00Z"
    variants = {each.attrib["hreflang"]: each.attrib["href"] for each in post if each.tag.endswith("link")}
    assert variants == {
        "en": "https://tide.example/blog/ebb/", "es": "https://tide.example/es/blog/marea-baja/",
        "x-default": "https://tide.example/blog/ebb/",
    }  # fmt: skip
    assert "Sitemap: https://tide.example/sitemap.xml" in example.text("robots.txt")
