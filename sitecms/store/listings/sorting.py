"""The order of the entries of a list: by one of its columns, up or down."""

from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct

from sitecms.content.field_path import sort_key

Listed = TypeVar("Listed")


class SortColumn(StrEnum):
    """A column by which a list can be sorted."""

    TITLE = "title"
    TYPE = "type"
    STATUS = "status"
    AUTHOR = "author"
    PUBLISHED = "published"
    CHANGED = "changed"


TIMES = frozenset({SortColumn.PUBLISHED, SortColumn.CHANGED})
"""The columns that people read from the newest down."""


class Sorting(Struct, frozen=True):
    """A column, and whether its greatest value stands first."""

    column: SortColumn
    is_descending: bool = False


NEWEST_CHANGES = Sorting(SortColumn.CHANGED, is_descending=True)


def sort_entries(
    entries: Sequence[Listed], value_of: Callable[[Listed], str | int | datetime | None], sorting: Sorting
) -> list[Listed]:
    """Return entries sorted by a value: texts as people sort them, and what has no value last.

    Entries with equal values stay in the order that they come in, which makes the order total.
    """
    filled = [entry for entry in entries if value_of(entry) not in (None, "")]
    empty = [entry for entry in entries if value_of(entry) in (None, "")]

    def key(entry: Listed) -> object:
        value = value_of(entry)
        return sort_key(value) if isinstance(value, str) else value

    filled.sort(key=key, reverse=sorting.is_descending)  # type: ignore[arg-type]
    return [*filled, *empty]
