"""Metadata of pages: title, description, share image, links in the <head>, and links to other locales."""

from collections.abc import Hashable, Mapping
from functools import cached_property

from sitecms.actions.entry_paths import item_paths
from sitecms.content.entry import Entry
from sitecms.content.term import Term
from sitecms.content.text.html import plain_text
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import FeedLink, HeadView, ImageView, LocaleLink, PageView
from sitecms.site.theme.addresses import absolute
from sitecms.site.views.post_lists import Years
from sitecms.translations import language_names

DESCRIPTION_LENGTH = 160


def locale_link(locale: str, path: str, routes: Routes) -> LocaleLink:
    """Return the link to a page at that path in a locale."""
    language = routes.settings.language_tag(locale)
    name = language_names(tuple(routes.settings.language_tags.values())).get(language, locale)
    return LocaleLink(locale, language, name, routes.url(path), routes.absolute(path))


class Alternates:
    """The paths of pages by locale: entries by locale group, lists by term, author or year."""

    def __init__(self, snapshot: Snapshot, routes: Routes) -> None:
        self._snapshot = snapshot
        self._routes = routes
        self._paths: dict[Hashable, dict[str, str]] = {}
        self._years: dict[str, Years] = {}
        if len(routes.settings.locales) > 1:
            self._add_all(snapshot)

    def links(self, key: Hashable, locale: str) -> tuple[LocaleLink, ...]:
        """Return links to the other locales that have the page, in the order of the settings."""
        paths = self._paths.get(key)
        if not paths:
            return ()
        others = (code for code in self._routes.settings.locales if code != locale and code in paths)
        return tuple(locale_link(code, paths[code], self._routes) for code in others)

    def has_posts(self, locale: str) -> bool:
        """Return whether the locale has a list of posts and feeds, as the default locale has in any case."""
        return locale == self._routes.settings.default_locale or bool(self.years(locale).posts)

    def has_home(self, locale: str) -> bool:
        """Return whether the locale has a home page, which shows its posts or is a page of it."""
        return self.has_posts(locale) or any(map(self._routes.is_home, self._pages_in(locale)))

    def has_pages(self, locale: str) -> bool:
        """Return whether anything is in the locale."""
        is_used = bool(self._pages_in(locale)) or any(locale == of for _id, of in self._items)
        return self.has_posts(locale) or is_used

    @cached_property
    def _items(self) -> Mapping[tuple[int, str], str]:
        return item_paths(self._snapshot.items, self._snapshot.schema, self._routes.settings)

    def _pages_in(self, locale: str) -> tuple[Entry, ...]:
        return tuple(page for page in self._snapshot.pages if page.locale == locale)

    def years(self, locale: str) -> Years:
        """Return the years of a locale."""
        if locale not in self._years:
            posts = tuple(post for post in self._snapshot.posts if post.locale == locale)
            pages = self._pages_in(locale)
            self._years[locale] = Years(posts, pages, locale, self._routes)
        return self._years[locale]

    def _add_all(self, snapshot: Snapshot) -> None:
        routes, locales = self._routes, self._routes.settings.locales
        for locale in locales:
            years = self.years(locale)
            for year in years.posts:
                self._add(("year", year), locale, years.path(year))
            if self.has_home(locale):
                self._add("home", locale, routes.root(locale))
            if self.has_posts(locale):
                self._add("blog", locale, routes.blog(locale))
            if self.has_pages(locale):
                self._add("search", locale, routes.search(locale))
        lists: set[tuple[str, str | Term]] = set()
        for entry in snapshot.all_entries:
            path = routes.find(entry, self._items)
            if path and entry.locale in locales:
                self._add((entry.kind.value, entry.group_id), entry.locale, path)
                lists.update((entry.locale, term) for term in snapshot.terms_of(entry))
                if entry.author.slug:
                    lists.add((entry.locale, entry.author.slug))
        for locale, listed in lists:
            if isinstance(listed, Term):
                self._add((listed.kind, listed.slug), locale, routes.term(listed, locale))
            else:
                self._add(("author", listed), locale, routes.author(listed, locale))

    def _add(self, key: Hashable, locale: str, path: str) -> None:
        self._paths.setdefault(key, {})[locale] = path


class PageMetadata:
    """Makes metadata; the links to the feeds are those of the site, `image` is for pages that have none.

    `about_list` describes lists without a description of their own, by their `%(heading)s`.
    """

    def __init__(
        self, routes: Routes, feeds: tuple[FeedLink, ...], image: ImageView | None = None, about_list: str = ""
    ) -> None:
        self._about_list = about_list
        self._routes = routes
        self._feeds = feeds
        self._image = image

    def head(
        self,
        title: str,
        description: str,
        path: str,
        kind: str,
        translations: tuple[LocaleLink, ...] = (),
        image: ImageView | None = None,
        feeds: tuple[FeedLink, ...] | None = None,
    ) -> HeadView:
        """Return the metadata of the page at the path; `path` "" for a page without an address of its own."""
        url = self._routes.settings.url
        shared = (image or self._image) if path and url else None
        return HeadView(
            title=title,
            description=description or (self._about_list % {"heading": title} if kind == "list" else ""),
            absolute_url=self._routes.absolute(path) if path and url else "",
            kind=kind,
            translations=translations,
            absolute_image=absolute(shared.src, url) if shared else "",
            image=shared,
            feeds=self._feeds if feeds is None else feeds,
            noindex=not path,
        )


def titled(page: PageView | None, title: str) -> str:
    """Return the page's title for search engines and the tab of the browser: of its `seo` component, else this one."""
    text = getattr(page.fields.get("seo"), "fields", {}).get("title") if page else None
    return text.strip() if isinstance(text, str) and text.strip() else title


def described(page: PageView | None) -> str:
    """Return the page's description for search engines: of its `seo` component, else its description or summary."""
    if page is None:
        return ""
    seo = getattr(page.fields.get("seo"), "fields", {})
    for text in (seo.get("description"), *(page.fields.get(name) for name in ("description", "summary", "intro"))):
        if isinstance(text, str) and text.strip():
            return plain_text(text).strip()[:DESCRIPTION_LENGTH]
    return ""
