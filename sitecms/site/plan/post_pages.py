"""The page of each post of one locale, known by the place of the post among them."""

from collections.abc import Iterator
from datetime import datetime
from functools import cached_property

from sitecms.content.fingerprint import digest
from sitecms.content.media import MEDIA_PREFIX
from sitecms.content.post import Post
from sitecms.site.images.image_plan import file_name
from sitecms.site.plan.page_job import Bodies, Planned
from sitecms.site.routes import Routes
from sitecms.site.template_values import HeadView, LocaleLink
from sitecms.site.theme.assets import media_named
from sitecms.site.views.alternates import Alternates
from sitecms.site.views.page_metadata import Heads
from sitecms.site.views.related import Related, related_posts
from sitecms.site.views.view_builder import ViewBuilder, published_at

_MEDIA_IN_JSON = MEDIA_PREFIX.encode()


class PostPages:
    """Plans and composes them."""

    def __init__(self, views: ViewBuilder, routes: Routes, alternates: Alternates, heads: Heads) -> None:
        self._views = views
        self._posts = views.posts
        self._images = views.images
        self._routes = routes
        self._alternates = alternates
        self._locale = views.locale
        self._heads = heads

    def pages(self) -> Iterator[Planned]:
        """The page of each post, newest first."""
        return map(self._planned, range(len(self._posts)))

    def shows(self, number: int) -> str:
        """What the page is, for messages."""
        return f"post {self._posts[number].slug}"

    def bodies(self, number: int) -> tuple[int, ...]:
        """The one that it shows."""
        return (self._posts[number].id,)

    def newest(self, number: int) -> datetime:
        """When the post was published."""
        return published_at(self._posts[number])

    def context(self, number: int, bodies: Bodies) -> dict[str, object]:
        """What post.html is given."""
        post = self._posts[number]
        years = self._alternates.years(self._locale)
        body = self._views.html(bodies[post.id])
        return {
            "head": self._head(post),
            "post": self._views.post(post, body, self._newer(number), self._older(number)),
            "related": tuple(map(self._views.card, self._related[number])),
            "year": years.link(years.of(post)),
        }

    def _planned(self, number: int) -> Planned:
        post = self._posts[number]
        data = self._views.post_data(post)
        translations = self._translations(post)
        neighbours = (
            (other.slug, other.title) if other else None for other in (self._newer(number), self._older(number))
        )
        years, related = self._alternates.years(self._locale), map(self._views.card_digest, self._related[number])
        return Planned(
            path=self._routes.post(post),
            template="post.html",
            inputs=(digest(data), *neighbours, translations, years.path(years.of(post)), list(related)),
            pages=self,
            number=number,
            media=post.body_media + (self._media_in(data) if _MEDIA_IN_JSON in data else ()),
            shared=file_name(self._images.of_post(post)),
            updated_at=post.updated_at,
            translations=translations,
        )

    @cached_property
    def _related(self) -> Related:
        return related_posts(self._posts)

    def _newer(self, number: int) -> Post | None:
        return self._posts[number - 1] if number else None

    def _older(self, number: int) -> Post | None:
        return self._posts[number + 1] if number + 1 < len(self._posts) else None

    def _translations(self, post: Post) -> tuple[LocaleLink, ...]:
        return self._alternates.links(("post", post.group_id), self._locale)

    def _head(self, post: Post) -> HeadView:
        return self._heads.head(
            post.seo_title or post.title,
            post.meta_description or post.summary,
            self._routes.post(post),
            "post",
            self._translations(post),
            self._images.of_post(post),
        )

    def _media_in(self, data: bytes) -> tuple[str, ...]:
        return tuple(file.name for file in media_named(data, self._images.variants.media))
