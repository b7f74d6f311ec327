"""Comparison of two formatted texts: the text as readers see it, with the words that were removed and added marked.

Blocks are compared first. Of changed ones those that look alike are paired, and their words compared; the others are
removed or added whole, within the list or table in which they stand.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import Enum

from msgspec import Struct

from sitecms.studio.formatted_text import (
    ADDED,
    CELLS,
    REMOVED,
    Change,
    Element,
    Run,
    TextBlock,
    Word,
    Writer,
    text_blocks,
)

MAX_BLOCKS = 4_000
MAX_WORDS = 6_000
_MAX_PAIRINGS = 2_500
_MAX_EQUALS = 50_000
"""Most pairs of equal words, or blocks, that are all looked at."""
_BY_PLACE = 0.01  # cells of tables are paired by their place, whatever is in them
_LEAST_ALIKE = 0.35
"""The part of their words that two blocks must share to be shown as one block that was changed."""


class Side(Enum):
    """The view of a comparison: both texts in one, or one of them with what the other does not have."""

    BOTH = (REMOVED, ADDED)
    BEFORE = (REMOVED,)
    AFTER = (ADDED,)


class _Pair(Struct, frozen=True):
    """A block of each text; None where it has no counterpart."""

    before: TextBlock | None
    after: TextBlock | None

    @property
    def is_same(self) -> bool:
        """True for two blocks that look the same."""
        return self.before is not None and self.after is not None and self.before.content == self.after.content


def compare_formatted(before: str, after: str, side: Side = Side.BOTH) -> str:
    """Return two texts in HTML as one, with changes marked; blocks that stayed are left out but those beside changes.

    Empty if both look the same.
    """
    pairs = tuple(_pairs(text_blocks(before), text_blocks(after)))
    if all(pair.is_same for pair in pairs):
        return ""
    counterparts = _counterparts(pairs)
    shown, writer, skips = _shown(pairs), Writer(), False
    for pair, is_shown in zip(pairs, shown, strict=True):
        if is_shown:
            _write(writer, pair, counterparts, side)
        elif not skips:
            writer.skip()
        skips = not is_shown
    return writer.html


def _write(writer: Writer, pair: _Pair, counterparts: dict[int, Element], side: Side) -> None:
    if pair.after is None and pair.before is not None:
        if REMOVED in side.value:
            path = tuple(counterparts.get(-element.id, element) for element in _of_before(pair.before.path))
            writer.write(path, [(REMOVED, pair.before.words)])
    elif pair.after is not None and pair.before is None:
        if ADDED in side.value:
            writer.write(pair.after.path, [(ADDED, pair.after.words)])
    elif pair.after is not None and pair.before is not None:
        runs = _runs(pair.before.words, pair.after.words)
        writer.write(pair.after.path, [run for run in runs if run[0] is None or run[0] in side.value])


def _of_before(path: Sequence[Element]) -> tuple[Element, ...]:
    """Return the elements of the text before with ids that no element of the text after has."""
    return tuple(Element(-element.id, element.name, element.attributes) for element in path)


def _counterparts(pairs: Sequence[_Pair]) -> dict[int, Element]:
    """Return the elements of the text after that stand for those of the text before, by the id of the latter."""
    found: dict[int, Element] = {}
    for pair in pairs:
        if pair.before is not None and pair.after is not None:
            for old, new in zip(pair.before.path, pair.after.path, strict=True):
                found.setdefault(old.id, new)
    return found


def _shown(pairs: Sequence[_Pair]) -> list[bool]:
    """Return which pairs are shown: changes, what stands in one list or table with them, and the blocks beside."""
    tops = [_top(pair, number) for number, pair in enumerate(pairs)]
    changed = {top for top, pair in zip(tops, pairs, strict=True) if not pair.is_same}
    places = {top: number for number, top in enumerate(dict.fromkeys(tops))}
    near = {places[top] + step for top in changed for step in (-1, 0, 1)}
    return [places[top] in near for top in tops]


def _top(pair: _Pair, number: int) -> tuple[str, int]:
    block = pair.after or pair.before
    if block is None or not block.path:
        return "words", number
    return "after" if pair.after else "before", block.path[0].id


def _pairs(old: Sequence[TextBlock], new: Sequence[TextBlock]) -> Iterator[_Pair]:
    if len(old) + len(new) > MAX_BLOCKS:
        yield from (_Pair(block, None) for block in old)
        yield from (_Pair(None, block) for block in new)
        return
    contents = [block.content for block in old], [block.content for block in new]
    for tag, start, end, new_start, new_end in _opcodes(*contents):
        if tag == "equal":
            yield from map(_Pair, old[start:end], new[new_start:new_end])
        else:
            yield from _paired(old[start:end], new[new_start:new_end])


def _opcodes(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield what differs, as `SequenceMatcher` does.

    Where very many are equal, what stands everywhere begins no match: that each is compared with each takes minutes.
    """
    limit = min(len(old), len(new))
    start = next((place for place in range(limit) if old[place] != new[place]), limit)
    end = next((place for place in range(limit - start) if old[-1 - place] != new[-1 - place]), limit - start)
    if start:
        yield "equal", 0, start, 0, start
    one, other = old[start : len(old) - end], new[start : len(new) - end]
    counts = Counter(one)
    is_much = sum(counts[each] for each in other) > _MAX_EQUALS
    for tag, *places in SequenceMatcher(None, one, other, autojunk=is_much).get_opcodes():
        begin, stop, new_begin, new_stop = (place + start for place in places)
        yield tag, begin, stop, new_begin, new_stop
    if end:
        yield "equal", len(old) - end, len(old), len(new) - end, len(new)


def _paired(old: Sequence[TextBlock], new: Sequence[TextBlock]) -> Iterator[_Pair]:
    """Yield changed blocks in order, those that look alike as pairs."""
    if len(old) * len(new) > _MAX_PAIRINGS:
        yield from (_Pair(block, None) for block in old)
        yield from (_Pair(None, block) for block in new)
        return
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    alike = [[_likeness(one, other) for other in new] for one in old]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            both = alike[i][j] + best[i + 1][j + 1] if alike[i][j] else 0.0
            best[i][j] = max(both, best[i + 1][j], best[i][j + 1])
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and alike[i][j] and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            yield _Pair(old[i], new[j])
            i, j = i + 1, j + 1
        elif i < len(old) and (j == len(new) or best[i][j] == best[i + 1][j]):
            yield _Pair(old[i], None)
            i += 1
        else:
            yield _Pair(None, new[j])
            j += 1


def _likeness(one: TextBlock, other: TextBlock) -> float:
    """Return the part of their words that two blocks share; 0 for blocks that are no pair."""
    if one.shape != other.shape:
        return 0.0
    words, others = ({word.html for word in block.words if word.is_word} for block in (one, other))
    share = 2 * len(words & others) / (len(words) + len(others)) if words or others else 1.0
    is_cell = bool(one.path) and one.path[-1].name in CELLS
    return share if share >= _LEAST_ALIKE else _BY_PLACE if is_cell else 0.0


def _runs(old: Sequence[Word], new: Sequence[Word]) -> list[Run]:
    """Return the words of a pair of blocks; neighbouring changes are joined over spaces and signs that stayed."""
    if len(old) + len(new) > MAX_WORDS:
        return [(REMOVED, old), (ADDED, new)]
    runs: list[Run] = []
    removed, added, between = list[Word](), list[Word](), list[Word]()
    for tag, start, end, new_start, new_end in _opcodes(old, new):
        if tag == "equal" and (removed or added) and not any(word.is_word for word in old[start:end]):
            between = [*old[start:end]]
        elif tag == "equal":
            runs += _changes(removed, added)
            runs.append((None, [*between, *old[start:end]]))
            removed, added, between = [], [], []
        else:
            removed += [*between, *old[start:end]]
            added += [*between, *new[new_start:new_end]]
            between = []
    return [*runs, *_changes(removed, added), (None, between)]


def _changes(removed: Sequence[Word], added: Sequence[Word]) -> Iterator[Run]:
    changes: tuple[tuple[Change, Sequence[Word]], ...] = ((REMOVED, removed), (ADDED, added))
    yield from (each for each in changes if each[1])
