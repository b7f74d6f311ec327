"""Bit-sliced index of the scores of one word, which finds the best of many rows without reading each.

A bitmap is an `int` whose bit of a row's id is set. The scores of a word, rounded down to few binary digits, are one
bitmap for each digit, so that adding the scores of two words, or finding a threshold that `count` rows reach, takes a
few operations on whole bitmaps (O'Neil and Quass, "Improved query performance with variant indexes", 1997).
"""

import re
from array import array
from collections.abc import Sequence
from math import frexp

from sitecms.values import dataclass

DIGITS = 8
"""Binary digits of a score. With fewer, more rows are near the threshold; with more, bitmaps take more room."""
MAX_SCORES = 10_000
"""Most exact scores that are kept of a word."""
BEST = 3_000
"""Most exact scores that are kept of a word with more of them: the best."""
FEW_ROWS = 200
"""Rows whose scores are found one by one faster than by a table of all."""
_DIGIT = tuple(bytes(ord("0") + (value >> digit & 1) for value in range(256)) for digit in range(DIGITS))
_BITS = tuple(tuple(bit for bit in range(8) if value >> bit & 1) for value in range(256))
_NOT_EMPTY = re.compile(rb"[^\0]")


@dataclass(frozen=True, slots=True)
class BitSlices:
    """The rows with one word, and their scores in units of 2 ** `exponent`, rounded down, lowest digit first.

    `scores` are the exact scores by ascending id of the rows in `scored`: all rows, or the best of many.
    """

    rows: int
    digits: tuple[int, ...]
    exponent: int
    scored: int
    scores: "array[float]"

    @property
    def size_bytes(self) -> int:
        """The size in memory."""
        return (len(self.digits) + 2) * (self.rows.bit_length() // 8 + 32) + 8 * len(self.scores)

    def scores_of(self, ids: Sequence[int]) -> list[float] | None:
        """Return the exact scores of rows with the word, or None if one of them is not kept."""
        if len(ids) > FEW_ROWS:
            score_of = dict(zip(ids_of(self.scored), self.scores, strict=True))
            return [score_of[each] for each in ids] if score_of.keys() >= set(ids) else None
        others = [self.scored >> each for each in ids]
        return [self.scores[-each.bit_count()] for each in others] if all(each & 1 for each in others) else None


def most_bytes(last_id: int) -> int:
    """Return the size of the slices of a word of which not all exact scores are kept, in a store with this last id."""
    return (DIGITS + 2) * last_id // 8 + 8 * BEST


def bitmap_of(ids: Sequence[int]) -> int:
    """Return the bitmap of these ids."""
    marks = bytearray(max(ids, default=-1) + 1)
    for each in ids:
        marks[each] = 1
    marks.reverse()
    return _digit_of(bytes(marks), 0)


def slices_of(scored: Sequence[tuple[int, float]]) -> BitSlices:
    """Return the slices of (id, score) by ascending id; scores are above zero."""
    exponent = frexp(max((score for _, score in scored), default=1.0))[1] - DIGITS
    factor = 2.0**-exponent
    values = bytearray(scored[-1][0] + 1 if scored else 0)
    for row_id, score in scored:
        values[row_id] = int(score * factor)
    from_last = bytes(values[::-1])
    digits = tuple([_digit_of(from_last, digit) for digit in range(DIGITS)])
    rows = best = bitmap_of([row_id for row_id, _ in scored])
    if len(scored) > MAX_SCORES:
        reached = _threshold(digits, rows, BEST)
        scored = [match for match in scored if values[match[0]] > reached]
        best = bitmap_of([row_id for row_id, _ in scored])
    return BitSlices(rows, digits, exponent, best, array("d", [score for _, score in scored]))


def _digit_of(values: bytes, digit: int) -> int:
    """Return the bitmap of one digit of the values, of which the last belongs to id 0."""
    return int(values.translate(_DIGIT[digit]) or b"0", 2)


def best_rows(words: Sequence[BitSlices], among: int, count: int) -> list[int]:
    """Return the ids of the `count` rows with the greatest sums of scores, and of others that come close, ascending.

    `among` is the bitmap of the rows to choose from, each of which has every word. Rounding takes less than one unit
    of each word, so that all rows with one of the `count` greatest sums are returned, equal ones included.
    """
    exponent = max(word.exponent for word in words)
    total: list[int] = []
    for word in words:
        total = _sum(total, word.digits[exponent - word.exponent :])
    threshold = _threshold(total, among, count)
    return ids_of(_at_least(total, among, threshold - len(words)))


def _sum(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Add two numbers for each row."""
    length = max(len(first), len(second))
    carry, digits = 0, []
    for a, b in zip(_filled(first, length), _filled(second, length), strict=True):
        either = a ^ b
        digits.append(either ^ carry)
        carry = (a & b) | (either & carry)
    return [*digits, carry]


def _filled(digits: Sequence[int], length: int) -> list[int]:
    return [*digits, *(0 for _ in range(length - len(digits)))]


def _threshold(digits: Sequence[int], among: int, count: int) -> int:
    """Return the greatest number that at least `count` rows reach; 0 if there are fewer rows."""
    above, equal, threshold = 0, among, 0
    for place in reversed(range(len(digits))):
        larger = equal & digits[place]
        if (above | larger).bit_count() >= count:
            equal = larger
            threshold |= 1 << place
        else:
            above |= larger
            equal ^= larger
    return threshold


def _at_least(digits: Sequence[int], among: int, bound: int) -> int:
    """Return the bitmap of the rows whose number is `bound` or more."""
    if bound <= 0:
        return among
    above, equal = 0, among
    for place in reversed(range(len(digits))):
        larger = equal & digits[place]
        if bound >> place & 1:
            equal = larger
        else:
            above |= larger
            equal ^= larger
    return above | equal


def ids_of(bitmap: int) -> list[int]:
    """Return the ids in a bitmap, ascending."""
    data = bitmap.to_bytes(bitmap.bit_length() // 8 + 1, "little")
    return [8 * found.start() + bit for found in _NOT_EMPTY.finditer(data) for bit in _BITS[data[found.start()]]]
