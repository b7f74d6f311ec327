"""Paginated lists of posts: blog, archives of terms and of authors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sitecms.content.post import Post
from sitecms.site.plan.feeds import FeedPlan, Subject, newest_change
from sitecms.site.plan.page_job import Bodies, Planned
from sitecms.site.routes import Routes, numbered_path
from sitecms.site.template_values import Link, ListView, LocaleLink
from sitecms.site.views.page_metadata import Heads
from sitecms.site.views.view_builder import ViewBuilder, published_at

NEAR = 2
"""How many pages to either side of a page of a list it links to."""


@dataclass(frozen=True, slots=True)
class PostList:
    """One list, newest post first. `translations` are those of its first page.

    `extra` is what its pages show beside the list, small enough to be part of the inputs of each. Without feeds of its
    own it names those of the site.
    """

    path: str
    template: str
    heading: str
    posts: Sequence[Post]
    translations: tuple[LocaleLink, ...] = ()
    description: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)
    has_feeds: bool = True

    @property
    def subject(self) -> Subject:
        """What its feeds are of."""
        return Subject(self.path, self.heading)


class ListPlan:
    """Plans and composes the pages of the lists of one locale; `size` is how many posts stand on each."""

    def __init__(
        self, views: ViewBuilder, routes: Routes, heads: Heads, feeds: FeedPlan, text: Callable[[str], str]
    ) -> None:
        self._views = views
        self._feeds = feeds
        self._routes = routes
        self._heads = heads
        self._text = text
        self.size = routes.settings.build.page_size

    def pages(self, posts: PostList) -> Iterator[Planned]:
        """The pages of the list; there is always a first one."""
        digests = [self._views.card_digest(post) for post in posts.posts]
        head = (posts.heading, posts.description, posts.extra, len(posts.posts), self.size)
        pages = ListPages(posts, self)
        for number in range(1, self.count(posts) + 1):
            translations = posts.translations if number == 1 else ()
            yield Planned(
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
        """The one whose lists these are."""
        return self._views.locale

    def count(self, posts: PostList) -> int:
        """How many pages the list has."""
        return max(1, -(-len(posts.posts) // self.size))

    def shown(self, number: int) -> slice:
        """Which of the posts of a list stand on its page of that number."""
        return slice((number - 1) * self.size, number * self.size)

    def context(self, posts: PostList, number: int) -> dict[str, object]:
        """What the template of the list is given for its page of that number."""
        path, title = numbered_path(posts.path, number), posts.heading
        if number > 1:
            title = f"{title} – {self._text('Page %(number)s') % {'number': number}}"
        translations = posts.translations if number == 1 else ()
        feeds = self._feeds.links(posts.subject) if posts.has_feeds else None
        head = self._heads.head(title, posts.description, path, "list", translations, feeds=feeds)
        return {"head": head, "list": self._view(posts, number), **posts.extra}

    def _view(self, posts: PostList, number: int) -> ListView:
        count, shown = self.count(posts), posts.posts[self.shown(number)]

        def url(page: int) -> str:
            return self._routes.url(numbered_path(posts.path, page))

        return ListView(
            heading=posts.heading,
            intro="",
            posts=tuple(map(self._views.card, shown)),
            total=len(posts.posts),
            url=url(number),
            number=number,
            pages=tuple(Link(str(page), url(page)) if page else None for page in _numbers(number, count)),
            newer_url=url(number - 1) if number > 1 else "",
            older_url=url(number + 1) if number < count else "",
        )


@dataclass(frozen=True, slots=True)
class ListPages:
    """The pages of one list, numbered from 1."""

    posts: PostList
    plan: ListPlan

    def shows(self, number: int) -> str:
        """What the page is, for messages."""
        return f"{self.posts.heading}, page {number} ({self.plan.locale})"

    def bodies(self, _number: int) -> tuple[int, ...]:
        """None: lists show cards."""
        return ()

    def newest(self, number: int) -> datetime | None:
        """When the first post on the page was published."""
        posts = self.posts.posts
        return published_at(posts[self.plan.shown(number).start]) if posts else None

    def context(self, number: int, _bodies: Bodies) -> dict[str, object]:
        """Made anew each time."""
        return self.plan.context(self.posts, number)


def _numbers(number: int, count: int) -> Iterator[int | None]:
    """The first page, the last, and those around this one; None where some are left out."""
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
