"""Addresses of the built site: the path of each entry and list, and the URL and output file of each path."""

from functools import cached_property

from msgspec import Struct

from sitecms.content.change import EntryKind
from sitecms.content.former_addresses import FormerAddress
from sitecms.content.page import Page
from sitecms.content.permalink import BLOG, day_of, entry_path, is_dated, locale_root, url_path
from sitecms.content.post import Post
from sitecms.content.term import Term
from sitecms.settings.site import SiteSettings
from sitecms.web_address import ascii_address

INDEX = "index.html"
SEARCH_FOLDER = "pagefind"
SEARCH_SCRIPT = f"/{SEARCH_FOLDER}/pagefind.js"


class Routes(Struct, frozen=True, dict=True):
    """The addresses of one site. A path is readable text (`/blog/七十二候/`), a URL is percent-encoded."""

    settings: SiteSettings

    @cached_property
    def base_path(self) -> str:
        """Return the path of the site's `url`."""
        return self.settings.base_path

    def root(self, locale: str) -> str:
        """Return the path of the home page of a locale."""
        return locale_root(locale, self.settings.default_locale) + "/"

    def blog(self, locale: str) -> str:
        """Return the path of the list of all posts."""
        return self.root(locale) + BLOG[1:]

    def post(self, post: Post) -> str:
        """Return the path of a post."""
        return post.path or self._entry(self.settings.permalinks.post, post.locale, post.slug, post)

    def find(self, entry: Post | Page) -> str | None:
        """Return the path of a post or page; None for a day of publication that the time zone does not have."""
        try:
            return self.post(entry) if isinstance(entry, Post) else self.page(entry)
        except OverflowError:
            return None

    def post_inputs(self, post: Post) -> str:
        """Return the values that the path of a post depends on, besides the settings."""
        return self.post(post) if post.path or is_dated(self.settings.permalinks.post) else post.slug

    def page(self, page: Page) -> str:
        """Return the path of a page; that of the home page is the root."""
        return self.root(page.locale) if self.is_home(page) else self.own_path(page)

    def own_path(self, page: Page) -> str:
        """Return its own path, or the one by its permalink, also of the home page."""
        if path := page.addresses.path(page.locale):
            return path
        links = self.settings.permalinks
        pattern = links.single_page if page.page_type is None else links.page
        return self._entry(pattern, page.locale, page.slug, page, page.page_type or "")

    def former(self, former: FormerAddress) -> str:
        """Return a former address by the present permalinks."""
        if former.path:
            return former.path
        links = self.settings.permalinks
        page_pattern = links.page if former.place else links.single_page
        pattern = links.post if former.kind is EntryKind.POST else page_pattern
        day = day_of(former.published_at, self.settings.timezone) if is_dated(pattern) else None
        default = self.settings.default_locale
        return entry_path(pattern, former.locale, default, slug=former.slug, page_type=former.place, day=day)

    def is_home(self, page: Page) -> bool:
        """Return whether the settings name this page as the home page."""
        key = f"{page.page_type}/{page.slug}" if page.page_type else page.slug
        return key == self.settings.build.home

    def term(self, term: Term, locale: str) -> str:
        """Return the path of the archive of a category or tag."""
        return self.archive(term.kind.value, term.slug, locale)

    def author(self, slug: str, locale: str) -> str:
        """Return the path of the archive of an author."""
        return self.archive("author", slug, locale)

    def archive(self, kind: str, slug: str, locale: str) -> str:
        """Return the path of the archive of a "category", "tag" or "author"."""
        return self._entry(getattr(self.settings.permalinks, kind), locale, slug)

    def year(self, locale: str, year: str) -> str:
        """Return the path of the archive of a year."""
        links = self.settings.permalinks
        return self.root(locale).rstrip("/") + links.year.replace("{year}", year)

    def search(self, locale: str) -> str:
        """Return the path of the search page of a locale."""
        return f"{self.root(locale)}search/"

    def url(self, path: str) -> str:
        """Return the root-relative URL of a path."""
        return self.base_path + url_path(path)

    def is_on_site(self, address: str) -> bool:
        """Return whether an absolute address is one of this site."""
        return bool(self.settings.url) and f"{ascii_address(address)}/".startswith(f"{self.settings.url}/")

    def absolute(self, path: str) -> str:
        """Return the absolute URL of a path; the root-relative one for a site without `url`."""
        return self.settings.url + url_path(path)

    def _entry(
        self, pattern: str, locale: str, slug: str, entry: Post | Page | None = None, page_type: str = ""
    ) -> str:
        day = None
        if entry and is_dated(pattern):
            moment = entry.published_at or entry.scheduled_at or entry.created_at
            day = day_of(moment, self.settings.timezone)
        return entry_path(pattern, locale, self.settings.default_locale, slug=slug, page_type=page_type, day=day)


def numbered_path(path: str, number: int) -> str:
    """Return the path of the n-th page of a paginated list, counted from 1."""
    return path if number == 1 else f"{path}page/{number}/"


def output_path(path: str) -> str:
    """Return the file, relative to the output folder, that a web server sends for a path."""
    relative = path.lstrip("/")
    return relative + INDEX if not relative or relative.endswith("/") else relative
