"""Merging of three versions of what a content file says: the base, ours (at the remote), and theirs (committed here).

What one side changed is taken, entries of lists and texts by block as a load merges them. Where both changed the same
value, nothing is decided.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from difflib import SequenceMatcher
from typing import Any

from msgspec import Struct

from sitecms.clock import parse_timestamp
from sitecms.content.text.block_merge import merge_texts
from sitecms.documents.comparison import NAMES, is_same, signature

ID = "id"
_UPDATED = "updated"
_MISSING = object()
_Place = tuple[str, ...]


class CannotMerge(Exception):
    """Both sides changed the same value. The message is its place in the file."""


class _Sides(Struct, frozen=True):
    """The three versions of one value."""

    base: Any
    ours: Any
    theirs: Any

    def at(self, key: str) -> "_Sides":
        """Return the three versions of a key of tables."""
        return _Sides(*(side.get(key, _MISSING) if isinstance(side, dict) else _MISSING for side in self.all))

    @property
    def all(self) -> tuple[Any, Any, Any]:
        """The base, ours and theirs."""
        return self.base, self.ours, self.theirs


def merge_data(base: object, ours: object, theirs: object) -> Any:
    """Return the data with the changes of both sides. Raises CannotMerge."""
    return _merged(_Sides(base, ours, theirs), ())


def merge_body(base: str, ours: str, theirs: str, *, is_markdown: bool) -> str:
    """Return the text with the changes of both sides, by block. Raises CannotMerge."""
    return _merged_text(_Sides(base, ours, theirs), ("the text",), is_markdown=is_markdown)


def _merged(sides: _Sides, place: _Place) -> Any:
    base, ours, theirs = sides.all
    if _equal(ours, theirs) or _equal(theirs, base):
        return ours
    if _equal(ours, base):
        return theirs
    if isinstance(ours, dict) and isinstance(theirs, dict) and isinstance(base, dict):
        return _merged_table(sides, place)
    if isinstance(ours, list) and isinstance(theirs, list) and isinstance(base, list):
        return _merged_list(sides, place)
    if place == (_UPDATED,) and isinstance(ours, str) and isinstance(theirs, str):
        return _later(ours, theirs, place)
    if all(isinstance(side, str) and "\n" in side.strip() for side in sides.all):
        return _merged_text(sides, place, is_markdown=not base.lstrip().startswith("<"))
    raise CannotMerge(".".join(place))


def _equal(one: object, other: object) -> bool:
    if one is _MISSING or other is _MISSING:
        return one is other
    return is_same(one, other)


def _later(ours: str, theirs: str, place: _Place) -> str:
    """Return the later one of two times of the last update."""
    try:
        return max(ours, theirs, key=lambda text: parse_timestamp(text, UTC))
    except ValueError:
        raise CannotMerge(".".join(place)) from None


def _merged_text(sides: _Sides, place: _Place, *, is_markdown: bool) -> str:
    merged = merge_texts(*sides.all, is_markdown=is_markdown)
    if merged.conflicts:
        raise CannotMerge(".".join(place))
    return merged.text()


def _merged_table(sides: _Sides, place: _Place) -> dict[str, Any]:
    keys = dict.fromkeys((*sides.ours, *_in_place(sides.theirs, sides.ours)))
    merged = {key: _merged(sides.at(key), (*place, key)) for key in keys}
    return {key: value for key, value in merged.items() if value is not _MISSING}


def _in_place(keys: Mapping[str, Any], others: Mapping[str, Any]) -> Iterator[str]:
    return (key for key in keys if key not in others)


def _merged_list(sides: _Sides, place: _Place) -> list[Any]:
    """Return the entries of both sides: those that one side added stand after the one that they were added after."""
    base, ours, theirs = sides.all
    my, their = _pairs(base, ours), _pairs(base, theirs)
    merged: dict[int, Any] = {}
    for number, entry in enumerate(base):
        mine, its = (
            side[at] if (at := pairs.get(number)) is not None else _MISSING
            for side, pairs in ((ours, my), (theirs, their))
        )
        value = _merged(_Sides(entry, mine, its), (*place, _name(entry, number)))
        if value is not _MISSING:
            merged[number] = value
    added = [entry for at, entry in enumerate(ours) if at not in my.values()]
    result: list[Any] = []
    anchors: list[int | None] = [None, *_order(my, their, place)]
    for anchor in anchors:
        result += [merged[anchor]] if anchor is not None and anchor in merged else []
        result += _added_after(anchor, ours, my)
        result += _new(added, _added_after(anchor, theirs, their), place)
    return result


def _order(my: Mapping[int, int], their: Mapping[int, int], place: _Place) -> list[int]:
    """Return the order of the entries of the base; two that differ from it in other ways cannot be merged."""
    numbers = sorted({*my, *their})
    orders = [sorted((number for number in numbers if number in side), key=side.__getitem__) for side in (my, their)]
    changed = [order for order in orders if order != sorted(order)]
    if not changed:
        return numbers
    kept = [[number for number in order if number in my and number in their] for order in orders]
    if len(changed) == 2 and kept[0] != kept[1]:
        raise CannotMerge(".".join((*place, "the order")))
    order = list(changed[0])
    for number in numbers:  # those that the side with the new order has removed
        if number not in order:
            order.insert(next((at + 1 for at, each in enumerate(order) if each == number - 1), len(order)), number)
    return order


def _pairs(base: Sequence[Any], side: Sequence[Any]) -> dict[int, int]:
    """Return the positions of the entries of the base in a side: by their names, then by content, then in place."""
    pairs: dict[int, int] = {}
    old, new = [_identity(each) for each in base], [_identity(each) for each in side]
    for at, name in enumerate(old):
        if name and old.count(name) == new.count(name) == 1:
            pairs[at] = new.index(name)
    left = [at for at in range(len(base)) if at not in pairs]
    free = [at for at in range(len(side)) if at not in pairs.values()]
    old_texts, new_texts = [signature(base[at]) for at in left], [signature(side[at]) for at in free]
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old_texts, new_texts, False).get_opcodes():
        if tag == "equal" or (tag == "replace" and end - start == new_end - new_start):
            both = zip(left[start:end], free[new_start:new_end], strict=True)
            pairs |= {at: to for at, to in both if tag == "equal" or _may_be_changed(base[at], side[to])}
    return pairs


def _may_be_changed(old: object, new: object) -> bool:
    """Return whether an entry without a name may be another one in its place, changed, or with an id by now."""
    if not isinstance(old, dict) or not isinstance(new, dict) or _identity(old):
        return False
    return not _identity(new) or is_same(old, {key: value for key, value in new.items() if key != ID})


def _identity(entry: object) -> str:
    """Return what an entry is recognised by, "" for one that has no name."""
    if not isinstance(entry, dict):
        return ""
    return next((f"{key} {entry[key]}" for key in NAMES if key != "type" and isinstance(entry.get(key), str | int)), "")


def _name(entry: object, number: int) -> str:
    return _identity(entry) or f"[{number + 1}]"


def _added_after(number: int | None, side: Sequence[Any], pairs: Mapping[int, int]) -> Iterator[Any]:
    """Yield the entries that a side added after that entry of the base, or before all others (None)."""
    if number is not None and number not in pairs:
        return
    known = {to: at for at, to in pairs.items()}
    start = 0 if number is None else pairs[number] + 1
    for at in range(start, len(side)):
        if at in known:
            return
        yield side[at]


def _new(added: Sequence[Any], theirs: Iterator[Any], place: _Place) -> Iterator[Any]:
    """Yield the entries of theirs that ours has not added, too. Raises CannotMerge for two of one name."""
    names = {_identity(each) for each in added}
    texts = {signature(each) for each in added}
    for entry in theirs:
        if signature(entry) in texts:
            continue
        if _identity(entry) and _identity(entry) in names:
            raise CannotMerge(".".join((*place, _identity(entry))))
        yield entry


def clashing_ids(base: object, ours: object, theirs: object) -> dict[int, int]:
    """Return other ids for those that both sides gave to different new entries of a list: the next free ones."""
    if not (isinstance(base, list) and isinstance(ours, list) and isinstance(theirs, list)):
        return {}
    old, mine, its = (
        {each[ID]: signature(each) for each in side if isinstance(each, dict) and isinstance(each.get(ID), int)}
        for side in (base, ours, theirs)
    )
    clashing = [number for number in its if number not in old and mine.get(number, its[number]) != its[number]]
    free = max((*old, *mine, *its), default=0) + 1
    return {number: free + step for step, number in enumerate(clashing)}


def with_other_ids(entries: Any, ids: Mapping[int, int]) -> Any:
    """Return the entries of a list with other ids."""
    if not ids or not isinstance(entries, list):
        return entries
    return [{**each, ID: ids[each[ID]]} if isinstance(each, dict) and each.get(ID) in ids else each for each in entries]
