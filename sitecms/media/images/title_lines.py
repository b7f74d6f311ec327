"""Line breaking of titles: the largest size that fits, with lines as even as possible."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitecms.media.images.share_fonts import font

_MEASURED_SIZE = 100
_SPARE = 1.01  # widths are measured in one size, and hinting changes them a little from size to size
_WORD = re.compile(r"\s*\S+")
_NO_SPACES = "\u2e80-\u2fdf\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_OPENING = "「『（〔［｛〈《【([{“‘¿¡"
_CLOSING = "」』）〕］｝〉》】、。，．・：；？！ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ)]}”’,.:;?!…"
_UNIT = re.compile(rf"[{re.escape(_OPENING)}]*(?:[{_NO_SPACES}]|[^{_NO_SPACES}]+)[{re.escape(_CLOSING)}]*")


@dataclass(frozen=True, slots=True)
class Setting:
    """Typeset text: its size in pixels and its lines."""

    size: int
    lines: tuple[str, ...]


def set_text(text: str, path: Path, sizes: Sequence[int], width: int, height: int, leading: float) -> Setting:
    """Set a text in the largest of the sizes (in descending order) in which it fits into the box.

    Text that does not fit in the smallest size ends with "…".
    """
    units = [part for unit in _units(text) for part in _pieces(unit, path, width / sizes[-1])]
    widths = [_width(unit, path) for unit in units]
    for size in sizes:
        room = width / size
        lines = _greedy(widths, room)
        if len(lines) * size * leading <= height and max(widths) <= room:
            return Setting(size, _joined(units, _balanced(widths, lines, room)))
    size = sizes[-1]
    most = max(1, int(height / (size * leading)))
    shown = _joined(units, _greedy(widths, width / size))
    if len(shown) > most:
        shown = (*shown[: most - 1], _shortened(shown[most - 1], path, width / size))
    return Setting(size, shown)


def one_line(text: str, path: Path, size: int, width: int) -> str:
    """Return the text, shortened with "…" if it is too wide."""
    return text if _width(text, path) <= width / size else _shortened(text, path, width / size)


def _units(text: str) -> Iterator[str]:
    """Split a text into words, or signs of a script without spaces; a space belongs to the unit after it."""
    for word in _WORD.findall(text):
        yield from _UNIT.findall(word)


def _pieces(unit: str, path: Path, room: float) -> Iterator[str]:
    """Split a unit into as few pieces as fit."""
    while len(unit) > 1 and _width(unit, path) > room:
        length = next((count for count in range(len(unit) - 1, 1, -1) if _width(unit[:count], path) <= room), 1)
        yield unit[:length]
        unit = unit[length:]
    yield unit


def _width(text: str, path: Path) -> float:
    """Return the width in multiples of the font size."""
    return font(path, _MEASURED_SIZE).getlength(text) / _MEASURED_SIZE * _SPARE


def _greedy(widths: Sequence[float], room: float) -> list[int]:
    """Return the end of each line as the number of units before it."""
    ends: list[int] = []
    used = 0.0
    for number, width in enumerate(widths):
        if number and used + width > room:
            ends.append(number)
            used = 0.0
        used += width
    return [*ends, len(widths)]


def _balanced(widths: Sequence[float], lines: list[int], room: float) -> list[int]:
    """Return the ends of as many lines as before, in the narrowest width that holds them."""
    low, high = max(widths), room
    best = lines
    for _ in range(10):
        middle = (low + high) / 2
        tried = _greedy(widths, middle)
        if len(tried) <= len(lines):
            best, high = tried, middle
        else:
            low = middle
    return best


def _joined(units: Sequence[str], ends: Sequence[int]) -> tuple[str, ...]:
    starts = (0, *ends)
    return tuple("".join(units[start:end]).strip() for start, end in zip(starts, ends, strict=False))


def _shortened(line: str, path: Path, room: float) -> str:
    while line and _width(f"{line}…", path) > room:
        line = line[:-1].rstrip()
    return f"{line.rstrip(' ,.;:')}…"
