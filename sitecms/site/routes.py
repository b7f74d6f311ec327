"""Addresses of the built site: the path of each entry and list, and the URL and output file of each path."""

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType

from msgspec import Struct

from sitecms.actions.permalinks import EntryPaths
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS
from sitecms.content.permalink import BLOG, entry_path, is_dated, locale_root, url_path
from sitecms.content.term import Term
from sitecms.settings.site import SiteSettings
from sitecms.web_address import ascii_address

INDEX = "index.html"
SEARCH_FOLDER = "pagefind"
SEARCH_SCRIPT = f"/{SEARCH_FOLDER}/pagefind.js"
NO_ITEMS: Mapping[tuple[int, str], str] = MappingProxyType({})


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

    @cached_property
    def entries(self) -> EntryPaths:
        """Return the paths of posts and pages by their own addresses."""
        return EntryPaths(self.settings)

    def path(self, entry: Entry) -> str:
        """Return the path of a post or page; that of the home page is the root."""
        return self.root(entry.locale) if self.is_home(entry) else self.entries.own(entry)

    def find(self, entry: Entry, items: Mapping[tuple[int, str], str] = NO_ITEMS) -> str:
        """Return the path of an entry, "" if it has no page; `items` are the paths of items, by id and locale."""
        if not KINDS[entry.kind].has_slug:
            return items.get((entry.id, entry.locale), "")
        try:
            return self.path(entry)
        except OverflowError:  # a day of publication that the time zone does not have
            return ""

    def post_inputs(self, post: Entry) -> str:
        """Return the values that the path of a post depends on, besides the settings."""
        return self.path(post) if post.path or is_dated(self.settings.permalinks.post) else post.slug

    def is_home(self, entry: Entry) -> bool:
        """Return whether the settings name this entry as the home page."""
        return self.entries.is_home(entry.kind, entry.type, entry.slug)

    def term(self, term: Term, locale: str) -> str:
        """Return the path of the archive of a category or tag."""
        return self.archive(term.kind.value, term.slug, locale)

    def author(self, slug: str, locale: str) -> str:
        """Return the path of the archive of an author."""
        return self.archive("author", slug, locale)

    def archive(self, kind: str, slug: str, locale: str) -> str:
        """Return the path of the archive of a "category", "tag" or "author"."""
        pattern = getattr(self.settings.permalinks, kind)
        return entry_path(pattern, locale, self.settings.default_locale, slug=slug)

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


def numbered_path(path: str, number: int) -> str:
    """Return the path of the n-th page of a paginated list, counted from 1."""
    return path if number == 1 else f"{path}page/{number}/"


def output_path(path: str) -> str:
    """Return the file, relative to the output folder, that a web server sends for a path."""
    relative = path.lstrip("/")
    return relative + INDEX if not relative or relative.endswith("/") else relative
