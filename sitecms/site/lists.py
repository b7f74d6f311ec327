"""Paginated lists of posts: blog, archives of terms and of authors."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from sitecms.content.post import Post
from sitecms.site.compose import Composer, published_at
from sitecms.site.feeds import FeedPlan, Subject, newest_change
from sitecms.site.heads import Heads
from sitecms.site.planned import Bodies, Planned
from sitecms.site.routes import Routes, numbered_path
from sitecms.site.views import Link, ListView, LocaleLink

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
    """Plans the pages of the lists of one locale."""

    def __init__(
        self, composer: Composer, routes: Routes, heads: Heads, feeds: FeedPlan, text: Callable[[str], str]
    ) -> None:
        self._composer = composer
        self._feeds = feeds
        self._routes = routes
        self._heads = heads
        self._text = text
        self._size = routes.settings.build.page_size

    def pages(self, posts: PostList) -> Iterator[Planned]:
        """The pages of the list; there is always a first one."""
        count = max(1, -(-len(posts.posts) // self._size))
        digests = [self._composer.card_digest(post) for post in posts.posts]
        head = (posts.heading, posts.description, posts.extra, len(posts.posts), self._size)
        for number in range(1, count + 1):
            shown = slice((number - 1) * self._size, number * self._size)
            translations = posts.translations if number == 1 else ()
            yield Planned(
                path=numbered_path(posts.path, number),
                template=posts.template,
                shows=f"{posts.heading}, page {number} ({self._composer.locale})",
                inputs=(*head, number, translations, digests[shown]),
                compose=partial(self._compose, posts, number),
                updated_at=newest_change(posts.posts) if number == 1 else None,
                newest=published_at(posts.posts[shown.start]) if posts.posts else None,
                translations=translations,
            )

    def _compose(self, posts: PostList, number: int, _bodies: Bodies) -> dict[str, object]:
        path, title = numbered_path(posts.path, number), posts.heading
        if number > 1:
            title = f"{title} – {self._text('Page %(number)s') % {'number': number}}"
        translations = posts.translations if number == 1 else ()
        feeds = self._feeds.links(posts.subject) if posts.has_feeds else None
        head = self._heads.head(title, posts.description, path, "list", translations, feeds=feeds)
        return {"head": head, "list": self._view(posts, number), **posts.extra}

    def _view(self, posts: PostList, number: int) -> ListView:
        count = max(1, -(-len(posts.posts) // self._size))
        shown = posts.posts[(number - 1) * self._size : number * self._size]

        def url(page: int) -> str:
            return self._routes.url(numbered_path(posts.path, page))

        return ListView(
            heading=posts.heading,
            intro="",
            posts=tuple(map(self._composer.card, shown)),
            total=len(posts.posts),
            url=url(number),
            number=number,
            pages=tuple(Link(str(page), url(page)) if page else None for page in _numbers(number, count)),
            newer_url=url(number - 1) if number > 1 else "",
            older_url=url(number + 1) if number < count else "",
        )


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
