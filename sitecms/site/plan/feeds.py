"""Feeds: their kinds, their paths, and the contexts of their templates, for the built site and for the API."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from urllib.parse import quote

from msgspec import Struct

from sitecms.clock import EPOCH
from sitecms.content.entry import Entry
from sitecms.site.plan.planned_page import Bodies, PlannedPage, UniquePage
from sitecms.site.routes import Routes
from sitecms.site.template_values import FeedLink, FeedView
from sitecms.site.views.view_builder import ViewBuilder, published_at


class FeedKind(Struct, frozen=True):
    """One kind of feed: its file beside the page that it belongs to, template, media type and names for people."""

    file: str
    template: str
    type: str
    name: str
    label: str


FEED_KINDS: Mapping[str, FeedKind] = {
    "rss": FeedKind("rss.xml", "feeds/rss.xml", "application/rss+xml", "RSS", "RSS feed"),
    "atom": FeedKind("atom.xml", "feeds/atom.xml", "application/atom+xml", "Atom", "Atom feed"),
    "json": FeedKind("feed.json", "feeds/feed.json", "application/feed+json", "JSON", "JSON feed"),
}


class Subject(Struct, frozen=True):
    """The subject of a feed: the page at `path`, and its heading; "" for the whole site."""

    path: str
    heading: str = ""


class FeedPlan:
    """Plans the feeds of one locale."""

    def __init__(self, views: ViewBuilder, routes: Routes, text: Callable[[str], str]) -> None:
        self._views = views
        self._routes = routes
        self._settings = routes.settings.feeds
        self._labels = {"rss": text("RSS feed"), "atom": text("Atom feed"), "json": text("JSON feed")}
        self.site = Subject(routes.root(views.locale))

    def links(self, subject: Subject) -> tuple[FeedLink, ...]:
        """Return links to the feeds of the subject; to those of the site if archives have none."""
        if not self._kinds(subject):
            subject = self.site
        ending = f": {subject.heading}" if subject.heading else ""
        return tuple(
            FeedLink(FEED_KINDS[kind].name, self._labels[kind] + ending, self._routes.url(path), FEED_KINDS[kind].type)
            for kind in self._kinds(subject)
            for path in (subject.path + FEED_KINDS[kind].file,)
        )

    def pages(self, subject: Subject, posts: Sequence[Entry]) -> Iterator[PlannedPage]:
        """Yield the feeds of the subject with these posts, newest first."""
        newest = posts[: self._settings.length]
        since = published_at(newest[0]) if newest else None
        digests, ids = [self._views.post_inputs(post)[0] for post in newest], tuple(post.id for post in newest)
        for kind in map(FEED_KINDS.__getitem__, self._kinds(subject)):
            path = subject.path + kind.file
            yield PlannedPage(
                path=path,
                template=kind.template,
                inputs=(subject, *digests),
                pages=UniquePage(f"feed {path}", partial(self._context, kind, subject, newest), ids, since),
                listed=False,
            )

    def _kinds(self, subject: Subject) -> tuple[str, ...]:
        return self._settings.archives if subject.heading else self._settings.kinds

    def _context(self, kind: FeedKind, subject: Subject, posts: Sequence[Entry], bodies: Bodies) -> dict[str, object]:
        return feed_context(subject, subject.path + kind.file, posts, bodies, self._views, self._routes)


def feed_context(
    subject: Subject, self_path: str, posts: Sequence[Entry], bodies: Bodies, views: ViewBuilder, routes: Routes
) -> dict[str, object]:
    """Return the context of templates/feeds/. `self_path`: the path of this feed on the built site, "" for none."""
    name = views.text(routes.settings.name)
    page = routes.absolute(subject.path)
    address = routes.absolute(self_path) if self_path else ""
    feed = FeedView(
        title=f"{name}: {subject.heading}" if subject.heading else name,
        description=views.text(routes.settings.description),
        id=address or f"{page}#{quote(subject.heading)}",
        absolute_url=page,
        absolute_self_url=address,
        updated_at=newest_change(posts) or EPOCH,
    )
    return {"feed": feed, "entries": tuple(views.feed_post(post, bodies[post.id]) for post in posts)}


def newest_change(posts: Sequence[Entry]) -> datetime | None:
    """Return the time of the last change to any of the posts; None without posts."""
    return max((post.updated_at for post in posts), default=None)
