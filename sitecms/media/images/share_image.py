"""Share images: the title of a page on a coloured background beside the theme's thin rule.

A title is set in the largest size that fits, with lines as even as possible.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sitecms.media.images.flat_png import MARGIN, Rows, compressed_rows, png
from sitecms.media.images.share_fonts import Fonts, Picture, chosen, letters_of
from sitecms.values import dataclass

if TYPE_CHECKING:
    from PIL import Image

_SPARE = 1.01  # widths are measured in one size, and hinting changes them a little from size to size
_WORD = re.compile(r"\s*\S+")
_NO_SPACES = "\u2e80-\u2fdf\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_OPENING = "「『（〔［｛〈《【([{“‘¿¡"
_CLOSING = "」』）〕］｝〉》】、。，．・：；？！ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ)]}”’,.:;?!…"
# Not compiled here, because it takes long and most builds draw nothing.
_UNIT = rf"[{re.escape(_OPENING)}]*(?:[{_NO_SPACES}]|[^{_NO_SPACES}]+)[{re.escape(_CLOSING)}]*"


@dataclass(frozen=True, slots=True)
class Setting:
    """Typeset text: its size in pixels and its lines."""

    size: int
    lines: tuple[str, ...]


def set_text(text: str, path: Path, sizes: Sequence[int], width: int, height: int, leading: float) -> Setting:
    """Set a text in the largest of the sizes (in descending order) in which it fits into the box.

    Text that does not fit in the smallest size ends with "…".
    """
    measured = [part for unit in _units(text) for part in _pieces(unit, path, width / sizes[-1])]
    units, widths = [unit for unit, _ in measured], [unit_width for _, unit_width in measured]
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
        yield from re.findall(_UNIT, word)


def _pieces(unit: str, path: Path, room: float) -> Iterator[tuple[str, float]]:
    """Split a unit into as few pieces as fit; yield each with its width."""
    while (width := _width(unit, path)) > room and len(unit) > 1:
        length = next((count for count in range(len(unit) - 1, 1, -1) if _width(unit[:count], path) <= room), 1)
        yield unit[:length], _width(unit[:length], path)
        unit = unit[length:]
    yield unit, width


def _width(text: str, path: Path) -> float:
    """Return the width in multiples of the font size."""
    return letters_of(path).width(text) * _SPARE


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


SHARE_WIDTH, SHARE_HEIGHT = 1200, 630
_LEFT, _RIGHT = 168, 1120
_RULE_AT, _RULE_WIDTH, _RULE_TONE = 112, 3, 1
_NAME_BASE, _LINE_BASE = 112, 548
_NAME_SIZE, _LINE_SIZE = 38, 34
_TITLE_TOP, _TITLE_BOTTOM = 160, 484
_TITLE_SIZES = (112, 104, 96, 88, 80, 74, 68, 62, 56, 50)
_LEADING = 1.14
_INK, _TINT = range(1, 4), range(1, 3)  # with the background 4 colours: a quarter of a byte for each pixel
_NAME_ROWS, _TITLE_ROWS, _LINE_ROWS = (0, 136), (136, 508), (508, SHARE_HEIGHT)


@dataclass(frozen=True, slots=True)
class ShareCard:
    """Content of a share image; colours are `#rrggbb`. With `title` "", the name of the site is drawn instead."""

    site_name: str
    title: str
    line: str
    is_from_right: bool
    background: str
    ink: str
    tint: str


def draw_share_image(card: ShareCard, fonts: Fonts) -> bytes | None:
    """Return a PNG of 1200x630 pixels; None if no font has the letters of the title.

    Equal cards give equal bytes on one machine with one version of Pillow, of ISA-L and of the fonts.
    """
    title = chosen(card.title or card.site_name, fonts.strong)
    if title is None:
        return None
    is_from_right = card.is_from_right
    name = _name(card.site_name if card.title else "", fonts, is_from_right)
    lines = tuple(_title_lines(*title))
    line = _small_print(card.line, fonts.plain, _LINE_SIZE, _LINE_BASE)
    parts = (
        *name,
        *_rows(lines, _TITLE_ROWS, _INK, is_from_right),
        *_rows(line, _LINE_ROWS, _TINT, is_from_right),
    )
    return png(SHARE_WIDTH, _palette(card), parts)


class _Line(NamedTuple):
    """Line of text on a share image; `base` is the row of its base line. `is_common`: other images have its words."""

    text: str
    path: Path
    size: int
    base: int
    is_common: bool = False


def _title_lines(title: str, path: Path) -> Iterator[_Line]:
    """Yield the lines of a title, which are vertically centred."""
    setting = set_text(title, path, _TITLE_SIZES, _RIGHT - _LEFT, _TITLE_BOTTOM - _TITLE_TOP, _LEADING)
    step = setting.size * _LEADING
    middle = (_TITLE_TOP + _TITLE_BOTTOM) / 2
    base = middle - step * len(setting.lines) / 2 + setting.size * 0.88
    for number, line in enumerate(setting.lines):
        yield _Line(line, path, setting.size, round(base + number * step))


def _small_print(text: str, fonts: tuple[Path, ...], size: int, base: int) -> tuple[_Line, ...]:
    """Return the line of a text, which is shortened if it is too wide; none if no font has its letters."""
    found = chosen(text, fonts)
    return (_Line(one_line(*found, size, _RIGHT - _LEFT), found[1], size, base, is_common=True),) if found else ()


@lru_cache(100)
def _name(name: str, fonts: Fonts, is_from_right: bool) -> tuple[Rows, ...]:
    """Return the rows with the name of the site, which are the same on all its cards."""
    return tuple(_rows(_small_print(name, fonts.strong, _NAME_SIZE, _NAME_BASE), _NAME_ROWS, _TINT, is_from_right))


def _rows(lines: tuple[_Line, ...], within: tuple[int, int], tones: range, is_from_right: bool) -> Iterator[Rows]:
    """Draw lines of text into these rows of the image, in the given tones; what leaves the rows is cut off."""
    start, stop = within
    placed = [list(_letters(line, tones, is_from_right)) for line in lines]
    edges = [(letter.top, letter.top + letter.image.height) for letters in placed for letter in letters]
    if not edges:
        yield _background(stop - start, is_from_right)
        return
    top, bottom = max(start, min(edges)[0]), min(stop, max(bottom for _, bottom in edges))
    if top > start:
        yield _background(top - start, is_from_right)
    yield _drawn(placed, top, bottom - top, is_from_right)
    if bottom < stop:
        yield _background(stop - bottom, is_from_right)


def _letters(line: _Line, tones: range, is_from_right: bool) -> Iterator[Picture]:
    """Yield the letters or words of a line at their places on the image."""
    letters = letters_of(line.path)
    start = SHARE_WIDTH - _LEFT - round(letters.width(line.text) * line.size) if is_from_right else _LEFT
    pictures = letters.words if line.is_common else letters.pictures
    for picture, distance in pictures(line.text, line.size, tones):
        yield Picture(picture.image, start + distance + picture.left, line.base + picture.top)


def _drawn(lines: list[list[Picture]], first: int, count: int, is_from_right: bool) -> Rows:
    """Return the rows with these letters, the higher tone where two overlap."""
    from PIL import ImageChops

    rows = _empty(count)
    bottom = lowest = first
    for line in lines:
        right = 0
        for image, left, top in line:
            box = (MARGIN + left, top - first, MARGIN + left + image.width, top - first + image.height)
            if box[0] < right or top < bottom:
                rows.paste(ImageChops.lighter(rows.crop(box), image), box)
            else:
                rows.paste(image, box)
            right, lowest = max(right, box[2]), max(lowest, top + image.height)
        bottom = lowest
    _draw_rule(rows, is_from_right)
    return compressed_rows(rows)


@lru_cache(1_000)
def _background(count: int, is_from_right: bool) -> Rows:
    rows = _empty(count)
    _draw_rule(rows, is_from_right)
    return compressed_rows(rows)


def _empty(count: int) -> "Image.Image":
    from PIL import Image

    return Image.new("P", (MARGIN + SHARE_WIDTH, count))


def _draw_rule(image: "Image.Image", is_from_right: bool) -> None:
    left = MARGIN + (SHARE_WIDTH - _RULE_AT - _RULE_WIDTH if is_from_right else _RULE_AT)
    image.paste(_RULE_TONE, (left, 0, left + _RULE_WIDTH, image.height))


def _palette(card: ShareCard) -> list[int]:
    """Return the four colours: the edges of both texts have half of the tint, those of the ink the tint, too."""
    background, tint = _rgb(card.background), _rgb(card.tint)
    return [*background, *_middle(background, tint), *tint, *_rgb(card.ink)]


def _middle(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(round((start + end) / 2) for start, end in zip(one, other, strict=True))


def _rgb(color: str) -> tuple[int, ...]:
    return tuple(int(color[start : start + 2], 16) for start in (1, 3, 5))
