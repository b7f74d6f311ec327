"""What a reader may ask for."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a longer, totally ordered list."""

    limit: int = 10
    offset: int = 0


@dataclass(frozen=True, slots=True)
class PostQuery:
    """Posts of one locale, newest published first (specification, List posts). "" means: any."""

    locale: str
    author_slug: str = ""
    category_slug: str = ""
    tag_slug: str = ""
    preview: bool = False
    with_body: bool = True


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """The entries in the window, and how many there are in all."""

    count: int
    entries: tuple[T, ...]
