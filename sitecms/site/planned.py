"""A page as the plan knows it: where it stands, what it is made of, and how its context comes about once it is due."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from sitecms.site.views import LocaleLink

Bodies: TypeAlias = Mapping[int, str]
"""Bodies of posts by the id of their post: read while pages are rendered, a few at a time."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A page as the sitemap needs it."""

    path: str
    locale: str
    updated_at: datetime | None
    translations: tuple[LocaleLink, ...]


@dataclass(frozen=True, slots=True)
class Planned:
    """One page of a locale.

    `inputs` are plain values and digests of all that `compose` makes the context from, beside what the pages of the
    locale share: two pages of one path with equal inputs have equal contexts. `bodies` are the posts whose bodies
    `compose` is given, `media` the names of the media files that the page may show, `shared` that of the
    picture it is shared with. `listed` pages stand in the sitemap. `newest` is when the
    newest post that it shows was published, so that pages of the same posts are made together.
    """

    path: str
    template: str
    shows: str
    inputs: tuple[object, ...]
    compose: Callable[[Bodies], Mapping[str, object]]
    bodies: tuple[int, ...] = ()
    media: tuple[str, ...] = ()
    updated_at: datetime | None = None
    shared: str = ""
    listed: bool = True
    newest: datetime | None = None
    translations: tuple[LocaleLink, ...] = ()
