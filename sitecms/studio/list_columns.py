"""Columns of lists: their heads are links that sort, and a list on a phone has a choice for it."""

from collections.abc import Sequence
from urllib.parse import urlencode

from msgspec import Struct

from sitecms.messages import N_
from sitecms.store.listings.sorting import TIMES, SortColumn, Sorting
from sitecms.studio.texts import _
from sitecms.studio.visit import NOT_KEPT, Visit

SORT = "sort"
_DESCENDING = "-"
_NEWEST, _OLDEST = N_("%(column)s, newest first"), N_("%(column)s, oldest first")
_A_FIRST, _Z_FIRST = N_("%(column)s, A first"), N_("%(column)s, Z first")


class Column(Struct, frozen=True):
    """A column of a list.

    `address` sorts the list by it, "" for a column that sorts nothing. `direction` is the value of `aria-sort`, "" for
    a column by which the list is not sorted.
    """

    name: str
    label: str
    address: str = ""
    direction: str = ""


class SortChoice(Struct, frozen=True):
    """An order of a list: its value in the address, and its label."""

    value: str
    label: str
    is_chosen: bool


def sorting_of(visit: Visit, columns: Sequence[str], default: Sorting | None) -> Sorting | None:
    """Return the sorting that the address names, if the list has that column, else the default one."""
    text = visit.query(SORT)
    name = text.removeprefix(_DESCENDING)
    if name in columns and name in list(SortColumn):
        return Sorting(SortColumn(name), is_descending=text.startswith(_DESCENDING))
    return default


def sort_value(sorting: Sorting) -> str:
    """Return a sorting as an address names it."""
    return f"{_DESCENDING if sorting.is_descending else ''}{sorting.column}"


def head(visit: Visit, name: str, label: str, sorting: Sorting | None) -> Column:
    """Return a column with the link that sorts by it, the other way round where the list is sorted by it already."""
    if name not in list(SortColumn):
        return Column(name, label)
    is_current = sorting is not None and sorting.column == name
    turned = not sorting.is_descending if sorting is not None and is_current else name in TIMES
    direction = "" if sorting is None or not is_current else "descending" if sorting.is_descending else "ascending"
    return Column(name, label, _address(visit, Sorting(SortColumn(name), is_descending=turned)), direction)


def _address(visit: Visit, sorting: Sorting) -> str:
    left_out = (SORT, *NOT_KEPT)
    others = {name: value for name, value in visit.request.args.items() if value and name not in left_out}
    return "?" + urlencode({**others, SORT: sort_value(sorting)})


def sort_choices(columns: Sequence[Column], sorting: Sorting | None) -> Sequence[SortChoice]:
    """Return the orders that a list can have, both ways of each column that sorts."""
    return [
        SortChoice(sort_value(order), _label(column.label, order), order == sorting)
        for column in columns
        if column.address
        for order in (Sorting(SortColumn(column.name), is_descending=way) for way in (False, True))
    ]


def _label(label: str, sorting: Sorting) -> str:
    if sorting.column in TIMES:
        message = _NEWEST if sorting.is_descending else _OLDEST
    else:
        message = _Z_FIRST if sorting.is_descending else _A_FIRST
    return _(message, column=label)
