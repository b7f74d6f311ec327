"""Paginated lists of posts: the blog, and the archives of terms, authors and years."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct, field

from sitecms.content.author import Author
from sitecms.content.entry import Entry
from sitecms.content.term import Term, TermKind
from sitecms.site.plan.feeds import FeedPlan, Subject, newest_change
from sitecms.site.plan.planned_page import Bodies, PlannedPage
from sitecms.site.routes import Routes, numbered_path
from sitecms.site.template_values import Link, ListView, LocaleLink, PostCard
from sitecms.site.views.page_metadata import DESCRIPTION_LENGTH, Alternates, PageMetadata
from sitecms.site.views.post_lists import Years
from sitecms.site.views.view_builder import ViewBuilder, published_at

NEAR = 2
"""Number of pages before and after a page of a list that it links to."""


class PostList(Struct, frozen=True):
    """One list, newest post first. `translations` are those of its first page.

    `extra`: small values that its pages show beside the list, part of the inputs of each page. Without feeds of its own
    it links to those of the site.
    """

    path: str
    template: str
    heading: str
    posts: Sequence[Entry]
    translations: tuple[LocaleLink, ...] = ()
    description: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)
    has_feeds: bool = True

    @property
    def subject(self) -> Subject:
        """Return the subject of its feeds."""
        return Subject(self.path, self.heading)


class ListPlan:
    """Plans the pages of the lists of one locale and builds their contexts; `size`: number of posts on a page."""

    def __init__(
        self, views: ViewBuilder, routes: Routes, metadata: PageMetadata, feeds: FeedPlan, text: Callable[[str], str]
    ) -> None:
        self._views = views
        self._feeds = feeds
        self._routes = routes
        self._metadata = metadata
        self._text = text
        self.size = routes.settings.build.page_size

    def pages(self, posts: PostList) -> Iterator[PlannedPage]:
        """Yield the pages of the list; an empty list has one page."""
        digests = [self._views.card_digest(post) for post in posts.posts]
        head = (posts.heading, posts.description, posts.extra, len(posts.posts), self.size)
        pages = ListPages(posts, self)
        for number in range(1, self.count(posts) + 1):
            translations = posts.translations if number == 1 else ()
            yield PlannedPage(
                path=numbered_path(posts.path, number),
                template=posts.template,
                inputs=(*head, number, translations, digests[self.shown(number)]),
                pages=pages,
                number=number,
                updated_at=newest_change(posts.posts) if number == 1 else None,
                translations=translations,
            )

    @property
    def locale(self) -> str:
        """The locale of the lists."""
        return self._views.locale

    def count(self, posts: PostList) -> int:
        """Return the number of pages of the list."""
        return max(1, -(-len(posts.posts) // self.size))

    def shown(self, number: int) -> slice:
        """Return the slice of the posts of a list that its page of that number shows."""
        return slice((number - 1) * self.size, number * self.size)

    def context(self, posts: PostList, number: int) -> dict[str, object]:
        """Return the context of the page of that number."""
        path, title = numbered_path(posts.path, number), numbered_title(posts.heading, number, self._text)
        translations = posts.translations if number == 1 else ()
        feeds = self._feeds.links(posts.subject) if posts.has_feeds else None
        head = self._metadata.head(title, posts.description, path, "list", translations, feeds=feeds)
        return {"head": head, "list": self._view(posts, number), **posts.extra}

    def _view(self, posts: PostList, number: int) -> ListView:
        count, posts_of_page = self.count(posts), posts.posts[self.shown(number)]

        def url(page: int) -> str:
            return self._routes.url(numbered_path(posts.path, page))

        return list_view(
            posts.heading, tuple(map(self._views.card, posts_of_page)), len(posts.posts), number, count, url
        )


class ListPages(Struct, frozen=True):
    """The pages of one list, numbered from 1."""

    posts: PostList
    plan: ListPlan

    def shows(self, number: int) -> str:
        """Return the name of the page in messages."""
        return f"{self.posts.heading}, page {number} ({self.plan.locale})"

    def entry(self, _number: int) -> None:
        """Return None: a list is no entry's page."""

    def bodies(self, _number: int) -> tuple[int, ...]:
        """Return no ids: lists show cards."""
        return ()

    def newest(self, number: int) -> datetime | None:
        """Return the time of publication of the first post on the page."""
        posts = self.posts.posts
        return published_at(posts[self.plan.shown(number).start]) if posts else None

    def context(self, number: int, _bodies: Bodies) -> dict[str, object]:
        """Return the context of the page of that number."""
        return self.plan.context(self.posts, number)


def numbered_title(heading: str, number: int, text: Callable[[str], str]) -> str:
    """Return the title of a page of a list; `text` translates."""
    return f"{heading} – {text('Page %(number)s') % {'number': number}}" if number > 1 else heading


def list_view(
    heading: str, posts: tuple[PostCard, ...], total: int, number: int, count: int, url: Callable[[int], str]
) -> ListView:
    """Return page `number` of the `count` pages of a list; `url` returns the address of a page."""
    return ListView(
        heading=heading,
        intro="",
        posts=posts,
        total=total,
        url=url(number),
        number=number,
        pages=tuple(Link(str(page), url(page)) if page else None for page in page_numbers(number, count)),
        newer_url=url(number - 1) if number > 1 else "",
        older_url=url(number + 1) if number < count else "",
    )


def page_numbers(number: int, count: int) -> Iterator[int | None]:
    """Yield the first page, the last, and those around this one; None where pages are left out."""
    near = range(max(1, number - NEAR), min(count, number + NEAR) + 1)
    if near.start > 1:
        yield 1
    if near.start > 2:  # the second page is left out
        yield None
    yield from near
    if near.stop < count:
        yield None
    if near.stop <= count:
        yield count


class Archives:
    """The lists of one locale besides the blog: one for each category, tag, author and year that is in use."""

    def __init__(self, views: ViewBuilder, routes: Routes, alternates: Alternates, years: Years) -> None:
        self._views = views
        self._routes = routes
        self._alternates = alternates
        self._locale = views.locale
        self._years = years

    def lists(self, terms: Iterable[Term], authors: Iterable[Author]) -> Iterator[PostList]:
        """Yield the lists of terms, authors and years, in this order."""
        by_term: dict[tuple[TermKind, str], list[Entry]] = {}
        by_author: dict[str, list[Entry]] = {}
        for post in self._views.posts:
            by_author.setdefault(post.author.slug, []).append(post)
            for term in post.categories + post.tags:
                by_term.setdefault((term.kind, term.slug), []).append(post)
        for term in terms:
            key = term.kind, term.slug
            if key in by_term or key in self._views.entries_by_term:
                yield self._of_term(term, by_term.get(key, []))
        for author in authors:
            if posts := by_author.get(author.slug):
                yield self._of_author(author, posts)
        for year, posts in self._years.posts.items():
            yield self._of_year(year, posts)

    def _of_term(self, term: Term, posts: list[Entry]) -> PostList:
        translations = self._alternates.links((term.kind, term.slug), self._locale)
        entries = self._views.entries_by_term.get((term.kind, term.slug), ())
        extra = {"kind": term.kind.value, "entries": tuple(map(self._views.entry_card, entries))}
        path, label = self._routes.term(term, self._locale), self._views.term(term).label
        return PostList(path, "term.html", label, posts, translations, "", extra, has_feeds=bool(posts))

    def _of_author(self, author: Author, posts: list[Entry]) -> PostList:
        translations = self._alternates.links(("author", author.slug), self._locale)
        view = self._views.author(author)
        path, extra = self._routes.author(author.slug, self._locale), {"author": view}
        bio = view.bio[:DESCRIPTION_LENGTH]
        return PostList(path, "author.html", author.name, posts, translations, bio, extra)

    def _of_year(self, year: int, posts: list[Entry]) -> PostList:
        translations = self._alternates.links(("year", year), self._locale)
        extra = {"year": self._years.link(year), "years": self._years.links()}
        return PostList(self._years.path(year), "year.html", str(year), posts, translations, "", extra)
