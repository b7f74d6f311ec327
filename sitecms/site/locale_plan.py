"""The pages of one locale, each as template and context."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import zip_longest

from sitecms.content.author import Author
from sitecms.content.html import plain_text
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.term import Term, TermKind
from sitecms.site.alternates import Alternates, text_direction
from sitecms.site.compose import Composer
from sitecms.site.environment import absolute
from sitecms.site.feeds import FEED_KINDS, feed_context, newest_change
from sitecms.site.routes import Routes, alias_path, numbered_path
from sitecms.site.snapshot import Snapshot
from sitecms.site.theme import Theme
from sitecms.site.translations import Translations
from sitecms.site.views import (
    HeadView,
    Link,
    ListView,
    LocaleLink,
    MenuEntry,
    PageView,
    PostCard,
    SiteView,
)

MENU_COLLECTION = "menu"
_DESCRIPTION_LENGTH = 160


@dataclass(frozen=True, slots=True)
class Planned:
    """One page: its path, template and own context. `listed` pages stand in the sitemap."""

    path: str
    template: str
    context: dict[str, object]
    shows: str
    updated_at: datetime | None = None
    listed: bool = True
    translations: tuple[LocaleLink, ...] = field(default=())


class LocalePlan:
    """Plans the pages of one locale of a snapshot."""

    def __init__(
        self,
        snapshot: Snapshot,
        routes: Routes,
        theme: Theme,
        locale: str,
        alternates: Alternates,
        translations: Translations,
        assets: dict[str, str],
    ) -> None:
        self._snapshot = snapshot
        self._routes = routes
        self._settings = routes.settings
        self._theme = theme
        self._locale = locale
        self._alternates = alternates
        self._translations = translations
        self._assets = assets
        self._composer = Composer(snapshot, routes, locale)
        self._posts = self._composer.posts

    def site(self) -> SiteView:
        """What every page of the locale knows of its site."""
        url, locale = self._routes.url, self._locale
        used = {term.slug for post in self._posts for term in post.categories}
        return SiteView(
            name=self._settings.name,
            description=self._settings.description,
            url=self._settings.url,
            locale=locale,
            default_locale=self._settings.default_locale,
            direction=text_direction(locale),
            home_url=url(self._routes.root(locale)),
            blog_url=url(self._routes.blog(locale)),
            rss_url=url(self._routes.feed(locale, "rss")),
            atom_url=url(self._routes.feed(locale, "atom")),
            menu=self._menu(),
            categories=tuple(self._composer.term(term) for term in self._snapshot.categories if term.slug in used),
            theme={"accent": self._settings.accent},
            assets=self._assets,
        )

    def pages(self) -> Iterator[Planned]:
        """Every page of the locale, feeds and 404 included."""
        yield self._home()
        yield from self._list(
            self._routes.blog(self._locale), self._posts, "blog.html", self._text("All posts"), "blog"
        )
        yield from self.post_pages()
        yield from self._term_pages(self._snapshot.categories + self._snapshot.tags)
        yield from self._author_pages(self._snapshot.authors)
        for page in self._composer.pages:
            yield self._moved_home(page) if self._routes.is_home(page) else self._page(page)
        for kind in FEED_KINDS:
            yield self._feed(kind)
        yield self._not_found()

    def _text(self, message: str) -> str:
        return self._translations.text(self._locale, message)

    def _head(
        self,
        title: str,
        description: str,
        path: str,
        kind: str,
        key: Hashable = None,
        image: str = "",
    ) -> HeadView:
        feeds = (
            Link(self._text("RSS feed"), self._routes.url(self._routes.feed(self._locale, "rss"))),
            Link(self._text("Atom feed"), self._routes.url(self._routes.feed(self._locale, "atom"))),
        )
        return HeadView(
            title=title,
            description=description,
            absolute_url=self._routes.absolute(path) if path and self._settings.url else "",
            kind=kind,
            translations=self._alternates.links(key, self._locale) if key else (),
            absolute_image=absolute(image, self._settings.url) if self._settings.url else "",
            feeds=feeds,
            noindex=not path,
        )

    def _planned(
        self,
        path: str,
        template: str,
        shows: str,
        head: HeadView,
        updated_at: datetime | None = None,
        **context: object,
    ) -> Planned:
        translations = head.translations
        return Planned(path, template, {"head": head, **context}, shows, updated_at, True, translations)

    def _home(self) -> Planned:
        newest = self._posts[: self._settings.build.page_size]
        landing = next((page for page in self._composer.pages if self._routes.is_home(page)), None)
        view = self._composer.page(landing) if landing else None
        path = self._routes.root(self._locale)
        return self._planned(
            path,
            "home.html",
            f"home page ({self._locale})",
            self._head(self._settings.name, _described(view) or self._settings.description, path, "home", "home"),
            newest_change(newest),
            landing=view,
            list=ListView("", "", tuple(map(self._composer.card, newest)), len(self._posts), 1, (), "", ""),
        )

    def _list(
        self,
        path: str,
        posts: Sequence[Post],
        template: str,
        heading: str,
        key: Hashable,
        description: str = "",
        **context: object,
    ) -> Iterator[Planned]:
        """The pages of a paginated list; there is always a first one."""
        size = self._settings.build.page_size
        count = max(1, -(-len(posts) // size))
        paths = [numbered_path(path, number) for number in range(1, count + 1)]
        links = tuple(Link(str(number), self._routes.url(each)) for number, each in enumerate(paths, 1))
        cards = [self._composer.card(post) for post in posts]
        for number, here in enumerate(paths, 1):
            shown = cards[(number - 1) * size : number * size]
            title = heading if number == 1 else f"{heading} – {self._text('Page %(number)s') % {'number': number}}"
            yield self._planned(
                here,
                template,
                f"{heading}, page {number} ({self._locale})",
                self._head(title, description, here, "list", key if number == 1 else None),
                newest_change(posts) if number == 1 else None,
                list=_list_view(heading, shown, len(posts), number, links),
                **context,
            )

    def post_pages(self) -> Iterator[Planned]:
        """The page of each post."""
        newer: Post | None = None
        for post, older in zip_longest(self._posts, self._posts[1:]):
            path = self._routes.post(post)
            view = self._composer.post(post, newer, older)
            description = post.meta_description or post.summary
            image = view.card.image.src if view.card.image else ""
            head = self._head(post.seo_title or post.title, description, path, "post", ("post", post.group_id), image)
            yield self._planned(path, "post.html", f"post {post.slug}", head, post.updated_at, post=view)
            for alias in dict.fromkeys(map(alias_path, post.aliases)):
                yield self._redirect(alias, view.card.url, head, f"redirect from {alias} to the post {post.slug}")
            newer = post

    def _term_pages(self, terms: Sequence[Term]) -> Iterator[Planned]:
        by_term: dict[tuple[TermKind, str], list[Post]] = {}
        for post in self._posts:
            for term in post.categories + post.tags:
                by_term.setdefault((term.kind, term.slug), []).append(post)
        for term in terms:
            key = (term.kind, term.slug)
            if posts := by_term.get(key):
                path = self._routes.term(term, self._locale)
                yield from self._list(path, posts, "term.html", term.name, key, kind=term.kind.value)

    def _author_pages(self, authors: Sequence[Author]) -> Iterator[Planned]:
        by_author: dict[str, list[Post]] = {}
        for post in self._posts:
            by_author.setdefault(post.author.slug, []).append(post)
        for author in authors:
            if posts := by_author.get(author.slug):
                path = self._routes.author(author.slug, self._locale)
                key = ("author", author.slug)
                bio = author.bio[:_DESCRIPTION_LENGTH]
                view = self._composer.author(author)
                yield from self._list(path, posts, "author.html", author.name, key, bio, author=view)

    def _page(self, page: Page) -> Planned:
        view = self._composer.page(page)
        path = self._routes.page(page)
        template = self._theme.choose(f"page/{page.page_type or '_single'}.html", "page/_default.html")
        head = self._head(page.title, _described(view), path, "page", ("page", page.id))
        shows = f"page {page.page_type or '*'}/{page.slug} ({self._locale})"
        return self._planned(path, template, shows, head, page.updated_at, page=view)

    def _moved_home(self, page: Page) -> Planned:
        """The home page's own address leads to the root, so that links to it hold."""
        root = self._routes.root(self._locale)
        head = self._head(page.title, "", root, "page")
        shows = f"redirect from the page {page.slug} to the home page ({self._locale})"
        return self._redirect(self._routes.own_path(page), self._routes.url(root), head, shows)

    def _redirect(self, path: str, target_url: str, head: HeadView, shows: str) -> Planned:
        """A page at an old address that leads to where its content is now."""
        context: dict[str, object] = {"head": replace(head, noindex=True, translations=()), "target_url": target_url}
        return Planned(path, "redirect.html", context, shows, listed=False)

    def _feed(self, kind: str) -> Planned:
        path = self._routes.feed(self._locale, kind)
        context = feed_context(kind, self._posts, self._composer, self._routes)
        return Planned(path, f"feeds/{kind}.xml", context, f"{kind} feed ({self._locale})", listed=False)

    def _not_found(self) -> Planned:
        head = self._head(self._text("Page not found"), "", "", "404")
        path = self._routes.root(self._locale) + "404.html"
        return Planned(path, "404.html", {"head": head}, f"page for unknown addresses ({self._locale})", listed=False)

    def _menu(self) -> tuple[MenuEntry, ...]:
        """The collection `menu`, its top entries those that stand under no other; else the Single Pages."""
        entries = {
            item.id: item
            for item in self._snapshot.items
            if (item.collection, item.locale) == (MENU_COLLECTION, self._locale)
        }
        if not entries:
            blog = MenuEntry(self._text("All posts"), self._routes.url(self._routes.blog(self._locale)))
            single = [page for page in self._composer.pages if page.page_type is None]
            ordered = sorted(single, key=lambda page: page.id)
            return (blog, *(MenuEntry(page.title, self._routes.url(self._routes.page(page))) for page in ordered))
        below = self._composer.children_of(MENU_COLLECTION)
        inner = {child for children in below.values() for child in children}

        def entry(item_id: int, above: frozenset[int]) -> MenuEntry:
            fields = entries[item_id].fields
            children = [child for child in below.get(item_id, ()) if child in entries and child not in above]
            made = tuple(entry(child, above | {child}) for child in children)
            return MenuEntry(str(fields.get("label") or ""), self._composer.address(str(fields.get("url") or "")), made)

        return tuple(entry(item_id, frozenset({item_id})) for item_id in entries if item_id not in inner)


def _list_view(heading: str, posts: Sequence[PostCard], total: int, number: int, pages: tuple[Link, ...]) -> ListView:
    return ListView(
        heading=heading,
        intro="",
        posts=tuple(posts),
        total=total,
        number=number,
        pages=pages,
        newer_url=pages[number - 2].url if number > 1 else "",
        older_url=pages[number].url if number < len(pages) else "",
    )


def _described(page: PageView | None) -> str:
    """The page's own description for search engines: of its `seo` component, else its description or summary."""
    if page is None:
        return ""
    seo = getattr(page.fields.get("seo"), "fields", {})
    for text in (seo.get("description"), *(page.fields.get(name) for name in ("description", "summary", "intro"))):
        if isinstance(text, str) and text.strip():
            return plain_text(text).strip()[:_DESCRIPTION_LENGTH]
    return ""
