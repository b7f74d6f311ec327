"""Planned pages: path, template, inputs, and the functions that build the context when a page is rendered."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol, TypeAlias

from msgspec import Struct

from sitecms.content.entry import Entry
from sitecms.site.template_values import LocaleLink

Bodies: TypeAlias = Mapping[int, str]
"""Bodies of posts by the id of the post: read in batches while pages are rendered."""


class SitemapPage(Struct, frozen=True):
    """A page in the sitemap."""

    path: str
    locale: str
    updated_at: datetime | None
    translations: tuple[LocaleLink, ...]


class PageGroup(Protocol):
    """Pages of one kind, each known by a number.

    Contexts are built when pages are rendered, so that a plan of many pages holds only a number for each.
    """

    def shows(self, number: int) -> str:
        """Return the name of the page in messages."""

    def entry(self, number: int) -> Entry | None:
        """Return the entry whose own page it is."""

    def bodies(self, number: int) -> tuple[int, ...]:
        """Return the ids of the posts whose bodies the context needs."""

    def newest(self, number: int) -> datetime | None:
        """Return the time of publication of its newest post, so that pages of the same posts are rendered together."""

    def context(self, number: int, bodies: Bodies) -> Mapping[str, object]:
        """Return the context of its template, without the values that all pages share."""


class UniquePage(Struct, frozen=True):
    """A page that is the only one of its kind, whatever its number."""

    name: str
    build_context: Callable[[Bodies], Mapping[str, object]]
    needed: tuple[int, ...] = ()
    since: datetime | None = None
    of: Entry | None = None

    def shows(self, _number: int) -> str:
        """Return the name of the page in messages."""
        return self.name

    def entry(self, _number: int) -> Entry | None:
        """Return the entry whose own page it is."""
        return self.of

    def bodies(self, _number: int) -> tuple[int, ...]:
        """Return the ids of the posts whose bodies `build_context` receives."""
        return self.needed

    def newest(self, _number: int) -> datetime | None:
        """Return the time of its newest post; None for a page without posts, which is rendered first."""
        return self.since

    def context(self, _number: int, bodies: Bodies) -> Mapping[str, object]:
        """Return the context of the page."""
        return self.build_context(bodies)


class PlannedPage(Struct, frozen=True):
    """One page of a locale, with that `number` among `pages`.

    `inputs`: plain values and digests of everything that its context is built from, except what all pages of the locale
    share; pages with the same path and equal inputs have equal contexts. `media`: names of the media files that the
    page may show. `shared`: name of its share image. `listed`: the page is in the sitemap.
    """

    path: str
    template: str
    inputs: tuple[object, ...]
    pages: PageGroup
    number: int = 0
    media: tuple[str, ...] = ()
    updated_at: datetime | None = None
    shared: str = ""
    listed: bool = True
    translations: tuple[LocaleLink, ...] = ()
