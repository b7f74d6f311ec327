"""A page as the plan knows it: where it stands, what it is made of, and how its context comes about once it is due."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeAlias

from sitecms.site.template_values import LocaleLink

Bodies: TypeAlias = Mapping[int, str]
"""Bodies of posts by the id of their post: read while pages are rendered, a few at a time."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A page as the sitemap needs it."""

    path: str
    locale: str
    updated_at: datetime | None
    translations: tuple[LocaleLink, ...]


class Pages(Protocol):
    """Pages of one kind, each known by a number.

    What one shows is worked out when it is asked for: a plan of very many pages holds a number for each.
    """

    def shows(self, number: int) -> str:
        """What the page is, for messages."""

    def bodies(self, number: int) -> tuple[int, ...]:
        """The ids of the posts whose bodies its context needs."""

    def newest(self, number: int) -> datetime | None:
        """When the newest post that it shows was published, so that pages of the same posts are made together."""

    def context(self, number: int, bodies: Bodies) -> Mapping[str, object]:
        """What its template is given, beside what all pages are."""


@dataclass(frozen=True, slots=True)
class OnePage:
    """A page that is the only one of its kind, whatever its number."""

    what: str
    compose: Callable[[Bodies], Mapping[str, object]]
    needed: tuple[int, ...] = ()
    since: datetime | None = None

    def shows(self, _number: int) -> str:
        """What it is."""
        return self.what

    def bodies(self, _number: int) -> tuple[int, ...]:
        """The posts whose bodies `compose` is given."""
        return self.needed

    def newest(self, _number: int) -> datetime | None:
        """Of a page that shows none, None: it is made before all others."""
        return self.since

    def context(self, _number: int, bodies: Bodies) -> Mapping[str, object]:
        """Composed anew each time."""
        return self.compose(bodies)


@dataclass(frozen=True, slots=True)
class Planned:
    """One page of a locale, the one of that `number` among `pages`.

    `inputs` are plain values and digests of all that its context is made from, beside what the pages of the locale
    share: two pages of one path with equal inputs have equal contexts. `media` are the names of the media files that
    the page may show, `shared` that of the picture it is shared with. `listed` pages stand in the sitemap.
    """

    path: str
    template: str
    inputs: tuple[object, ...]
    pages: Pages
    number: int = 0
    media: tuple[str, ...] = ()
    updated_at: datetime | None = None
    shared: str = ""
    listed: bool = True
    translations: tuple[LocaleLink, ...] = ()
