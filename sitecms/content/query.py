"""Queries of content, as values."""

from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

from msgspec import Struct

from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import EntryKind

T = TypeVar("T")


class Window(Struct, frozen=True):
    """A window of a longer, totally ordered list."""

    limit: int = 10
    offset: int = 0


class PostQuery(Struct, frozen=True):
    """Posts of one locale, newest published first (API reference, Blog post). "" means any."""

    locale: str
    author_slug: str = ""
    category_slug: str = ""
    tag_slug: str = ""
    preview: bool = False
    with_body: bool = True


class Visibility(Struct, frozen=True):
    """The pages and items that a reader may see: one locale; published versions, or the latest ones with `preview`."""

    locale: str
    preview: bool = False


class Key(Struct, frozen=True):
    """A step into an object, to its member of that name."""

    slug: str


class Each(Struct, frozen=True):
    """A step into a list, to any of its entries.

    With `component`, the list is a component picker, and the step leads to the fields of entries of that component.
    """

    component: str = ""


class Follow(Struct, frozen=True):
    """A step along a reference to the entry it names, if that is of this target (`FieldSpec.targets`) and visible."""

    target: str


class Own(StrEnum):
    """A last step, to a property that an entry has beside its fields."""

    ID = "id"
    SLUG = "slug"
    NAME = "title"


QueryStep: TypeAlias = Key | Each | Follow | Own


class FieldMatch(Struct, frozen=True):
    """Steps through content, and the stored values wanted at their end, any of which matches; None is unset."""

    steps: tuple[QueryStep, ...]
    wanted: tuple[FieldValue, ...]


class FieldFilter(Struct, frozen=True):
    """Entries for which at least one of these conditions holds (`content.field_path` reads them from text)."""

    any_of: tuple[FieldMatch, ...]


class EntryTime(StrEnum):
    """Times that lists of pages and items can be ordered by."""

    PUBLISHED = "published"
    UPDATED = "updated"


class Order(Struct, frozen=True):
    """An order by a time, or by a field: the slug of a field, or the slugs of a component and of a field in it."""

    by: EntryTime | tuple[str, ...]
    descending: bool = False


class EntryQuery(Struct, frozen=True):
    """Entries of one type that pass every filter: a page type ("": Single Pages), or a collection.

    Without an order, pages begin with the one published last, then by slug; items have the order of the collection.
    """

    kind: EntryKind
    scope: Visibility
    type: str
    filters: tuple[FieldFilter, ...] = ()
    order: Order | None = None


class Results(Struct, Generic[T], frozen=True):
    """The entries in the window, and the number of all matching entries."""

    count: int
    entries: tuple[T, ...]


class EntrySearch(Struct, frozen=True):
    """Published entries of one kind and locale that contain every word of the text (API reference, Search).

    `type` is a page type ("": Single Pages), None for any.
    """

    kind: EntryKind
    locale: str
    text: str
    type: str | None = None


class Ranked(Struct, Generic[T], frozen=True):
    """An entry that a search found; a greater rank is a better match."""

    entry: T
    rank: float
