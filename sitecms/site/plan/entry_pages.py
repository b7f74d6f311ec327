"""The pages of posts, pages and items of one locale."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property, partial

from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS
from sitecms.site.images.image_plan import file_name
from sitecms.site.plan.conflicts import name_of
from sitecms.site.plan.planned_page import Bodies, PlannedPage, UniquePage
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import CollectionView, HeadView, ImageView, Link, LocaleLink, PageView, SeriesView
from sitecms.site.theme.theme import Theme
from sitecms.site.views.page_metadata import Alternates, PageMetadata, described, titled
from sitecms.site.views.post_lists import SERIES, related_posts, series_of_posts
from sitecms.site.views.view_builder import ViewBuilder, published_at

_LEAST_PARTS = 2
"""Number of posts from which on they are shown as a series."""


class PostPages:
    """Plans the page of each post, and builds its context; a page is known by the place of its post in the locale."""

    def __init__(self, views: ViewBuilder, routes: Routes, alternates: Alternates, metadata: PageMetadata) -> None:
        self._views = views
        self._posts = views.posts
        self._images = views.images
        self._routes = routes
        self._alternates = alternates
        self._locale = views.locale
        self._metadata = metadata
        self._only: int | None = None

    def pages(self) -> Iterator[PlannedPage]:
        """Yield the page of each post, newest first."""
        return map(self._planned, range(len(self._posts)))

    def page_of(self, post: Entry) -> PlannedPage:
        """Return the page of one post, for an object that plans no other."""
        self._only = next(number for number, each in enumerate(self._posts) if each.id == post.id)
        return self._planned(self._only)

    def shows(self, number: int) -> str:
        """Return the name of the page in messages."""
        return f"post {self._posts[number].slug}"

    def entry(self, number: int) -> Entry:
        """Return the post."""
        return self._posts[number]

    def bodies(self, number: int) -> tuple[int, ...]:
        """Return the id of the post."""
        return (self._posts[number].id,)

    def newest(self, number: int) -> datetime:
        """Return the time of publication."""
        return published_at(self._posts[number])

    def context(self, number: int, bodies: Bodies) -> dict[str, object]:
        """Return the context of post.html."""
        post = self._posts[number]
        years = self._alternates.years(self._locale)
        body = self._views.html(bodies[post.id])
        return {
            "head": self._head(post),
            "post": self._views.post(post, body, self._newer(number), self._older(number)),
            "related": tuple(map(self._views.card, self._related[number])),
            "series": self._series_view(post),
            "edit_url": self._views.edit_url(post),
            "year": years.link(years.of(post)),
        }

    def _planned(self, number: int) -> PlannedPage:
        post = self._posts[number]
        inputs, media = self._views.post_inputs(post)
        translations = self._translations(post)
        neighbours = (
            self._link_inputs(other) if other else None for other in (self._newer(number), self._older(number))
        )
        years, related = self._alternates.years(self._locale), map(self._views.card_digest, self._related[number])
        return PlannedPage(
            path=self._routes.path(post),
            template="post.html",
            inputs=(inputs, *neighbours, translations, years.path(years.of(post)), list(related), *self._extras(post)),
            pages=self,
            number=number,
            media=media,
            shared=file_name(self._images.of_post(post)),
            updated_at=post.updated_at,
            translations=translations,
        )

    @cached_property
    def _series(self) -> Mapping[int, tuple[Entry, ...]]:
        return series_of_posts(self._posts)

    def _extras(self, post: Entry) -> Iterator[object]:
        """Yield everything that the list of the parts of its series, and the link to its file, are built from."""
        for part in self._series.get(post.id, ()):
            yield self._routes.post_inputs(part), part.title
        if edit_url := self._views.edit_url(post):
            yield edit_url

    def _series_view(self, post: Entry) -> SeriesView | None:
        parts = self._series.get(post.id, ())
        if len(parts) < _LEAST_PARTS:
            return None
        links = tuple(Link(part.title, self._routes.url(self._routes.path(part))) for part in parts)
        place = next(place for place, part in enumerate(parts) if part.id == post.id)
        return SeriesView(
            name=str(post.fields[SERIES]).strip(),
            parts=links,
            number=place + 1,
            previous=links[place - 1] if place else None,
            next=links[place + 1] if place + 1 < len(links) else None,
        )

    @cached_property
    def _related(self) -> list[tuple[Entry, ...]]:
        return related_posts(self._posts, self._only)

    def _newer(self, number: int) -> Entry | None:
        return self._posts[number - 1] if number else None

    def _older(self, number: int) -> Entry | None:
        return self._posts[number + 1] if number + 1 < len(self._posts) else None

    def _link_inputs(self, post: Entry) -> tuple[object, ...]:
        """Return everything that the link to a neighbour is built from."""
        image = post.featured_image
        return self._routes.post_inputs(post), post.title, image, post.featured_image_alt, self._views.facts(image)

    def _translations(self, post: Entry) -> tuple[LocaleLink, ...]:
        return self._alternates.links(("post", post.group_id), self._locale)

    def _head(self, post: Entry) -> HeadView:
        return self._metadata.head(
            post.seo_title or post.title,
            post.meta_description or post.summary,
            self._routes.path(post),
            "post",
            self._translations(post),
            self._images.of_post(post),
        )


class EntryPages:
    """Plans the pages of pages, and of items of collections with a `route`."""

    def __init__(
        self, snapshot: Snapshot, views: ViewBuilder, routes: Routes, theme: Theme, alternates: Alternates,
        metadata: PageMetadata,
    ) -> None:  # fmt: skip
        self._snapshot = snapshot
        self._views = views
        self._routes = routes
        self._theme = theme
        self._alternates = alternates
        self._metadata = metadata

    def pages(self) -> Iterator[PlannedPage]:
        """Yield the page of each page but the home page, then of each item that has one, in order."""
        for kind, entries in self._snapshot.by_kind.items():
            for entry in () if KINDS[kind].is_dated else entries:
                is_here = entry.locale == self._views.locale and not self._routes.is_home(entry)
                if is_here and (page := self.page_of(entry)):
                    yield page

    def page_of(self, entry: Entry) -> PlannedPage | None:
        """Return the page of an entry, None for an item that has none."""
        images = self._views.images
        if not KINDS[entry.kind].has_slug:
            path = self._views.item_paths.get((entry.id, entry.locale), "")
            image, shared = images.of_fields(entry.fields), ""
        else:
            path, image = self._routes.path(entry), images.of_page(entry)
            shared = file_name(image)
        return self._planned(entry, path, image, shared) if path else None

    def _planned(self, entry: Entry, path: str, image: ImageView | None, shared: str) -> PlannedPage:
        view = self._views.page(entry)
        inputs, media = self._views.inputs_of(view)
        translations = self._alternates.links((entry.kind.value, entry.group_id), entry.locale)
        values = self._values(entry)
        context = partial(self._context, path, view, values, image, translations)
        return PlannedPage(
            path=path,
            template=self._theme.choose(*_templates(entry)),
            inputs=(inputs, *values.values(), image, translations),
            pages=UniquePage(name_of(entry), context, of=entry),
            media=media,
            shared=shared,
            updated_at=view.updated_at,
            translations=translations,
        )

    def _values(self, entry: Entry) -> dict[str, object]:
        """Return what templates have besides; those of items have their collection."""
        values: dict[str, object] = {"edit_url": self._views.edit_url(entry)}
        if not KINDS[entry.kind].has_slug:
            collection = self._snapshot.schema.collections[entry.type]
            values["collection"] = CollectionView(collection.key, collection.name)
        return values

    def _context(
        self,
        path: str,
        view: PageView,
        values: dict[str, object],
        image: ImageView | None,
        translations: tuple[LocaleLink, ...],
        _bodies: Bodies,
    ) -> dict[str, object]:
        head = self._metadata.head(titled(view, view.title), described(view), path, "page", translations, image)
        return {"head": head, "page": view, **values}


def _templates(entry: Entry) -> tuple[str, ...]:
    """Return the names of templates that an entry may have, the one of its own first."""
    if not KINDS[entry.kind].has_slug:
        return f"collection/{entry.type}.html", "collection/_default.html"
    if entry.type:
        return f"page/{entry.type}.html", "page/_default.html"
    return f"page/_single/{entry.slug}.html", "page/_single.html", "page/_default.html"
