"""Share images: the title of a page on a coloured ground beside the theme's thin rule.

A title is set in the largest size that fits, with lines as even as possible.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from sitecms.media.images.share_fonts import Fonts, chosen, font

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


SHARE_WIDTH, SHARE_HEIGHT = 1200, 630
_LEFT, _RIGHT = 168, 1120
_RULE_AT, _RULE_WIDTH, _RULE_TONE = 112, 3, 120
_NAME_BASE, _LINE_BASE = 112, 548
_NAME_SIZE, _LINE_SIZE = 38, 34
_TITLE_TOP, _TITLE_BOTTOM = 160, 484
_TITLE_SIZES = (112, 104, 96, 88, 80, 74, 68, 62, 56, 50)
_LEADING = 1.14
_AROUND = 24  # what letters reach beyond their line
_INK_TONES, _TINT_TONES = 9, 6  # with the ground 16 colours: half a byte for each pixel
_INK_TABLE = [round(value * _INK_TONES / 255) for value in range(256)]
_TINT_TABLE = [_INK_TONES + tone if (tone := round(value * _TINT_TONES / 255)) else 0 for value in range(256)]
_COMPRESSION = 3


@dataclass(frozen=True, slots=True)
class ShareCard:
    """Content of a share image; colours are `#rrggbb`. With `title` "", the name of the site is drawn instead."""

    site_name: str
    title: str
    line: str
    is_from_right: bool
    ground: str
    ink: str
    tint: str


def draw_share_image(card: ShareCard, fonts: Fonts) -> bytes | None:
    """Return a PNG of 1200x630 pixels; None if no font has the letters of the title.

    Equal cards give equal bytes with one version of Pillow and of the fonts.
    """
    title = chosen(card.title or card.site_name, fonts.strong)
    if title is None:
        return None
    canvas = _Canvas(card.is_from_right)
    canvas.lines(_set(*title), title[1])
    if card.title and (name := chosen(card.site_name, fonts.strong)):
        canvas.line(*name, _NAME_SIZE, _NAME_BASE)
    if small := chosen(card.line, fonts.plain):
        canvas.line(*small, _LINE_SIZE, _LINE_BASE)
    return canvas.png(_palette(card))


def _set(title: str, path: Path) -> Setting:
    return set_text(title, path, _TITLE_SIZES, _RIGHT - _LEFT, _TITLE_BOTTOM - _TITLE_TOP, _LEADING)


class _Canvas:
    """Greyscale canvas for text: 0 is the ground, 255 the text."""

    def __init__(self, is_from_right: bool) -> None:
        from PIL import Image, ImageDraw

        self._image = Image.new("L", (SHARE_WIDTH, SHARE_HEIGHT))
        self._draw = ImageDraw.Draw(self._image)
        self._is_from_right = is_from_right
        left = SHARE_WIDTH - _RULE_AT - _RULE_WIDTH if is_from_right else _RULE_AT
        self._draw.rectangle((left, 0, left + _RULE_WIDTH - 1, SHARE_HEIGHT), fill=_RULE_TONE)

    def lines(self, setting: Setting, path: Path) -> None:
        """Draw the lines of a title, vertically centred."""
        step = setting.size * _LEADING
        middle = (_TITLE_TOP + _TITLE_BOTTOM) / 2
        base = middle - step * len(setting.lines) / 2 + setting.size * 0.88
        for number, line in enumerate(setting.lines):
            self._text(line, path, setting.size, round(base + number * step))

    def line(self, text: str, path: Path, size: int, base: int) -> None:
        """Draw one line of small print."""
        self._text(one_line(text, path, size, _RIGHT - _LEFT), path, size, base)

    def png(self, palette: list[int]) -> bytes:
        """Return the PNG: the area of the title in tones of the ink, everything else in tones of the tint."""
        left, right = _LEFT - _AROUND, SHARE_WIDTH
        box = (0, _TITLE_TOP - _AROUND, SHARE_WIDTH - left, _TITLE_BOTTOM + _AROUND)
        if not self._is_from_right:
            box = (left, box[1], right, box[3])
        image = self._image.point(_TINT_TABLE)
        image.paste(self._image.crop(box).point(_INK_TABLE), box)
        image.putpalette(palette)
        buffer = BytesIO()
        image.save(buffer, "PNG", bits=4, compress_level=_COMPRESSION)
        return buffer.getvalue()

    def _text(self, text: str, path: Path, size: int, base: int) -> None:
        place = (SHARE_WIDTH - _LEFT, base) if self._is_from_right else (_LEFT, base)
        self._draw.text(place, text, font=font(path, size), fill=255, anchor="rs" if self._is_from_right else "ls")


def _palette(card: ShareCard) -> list[int]:
    ground = _rgb(card.ground)
    colors = [ground]
    for color, tones in ((_rgb(card.ink), _INK_TONES), (_rgb(card.tint), _TINT_TONES)):
        colors += [_between(ground, color, tone / tones) for tone in range(1, tones + 1)]
    return [part for color in colors for part in color]


def _between(one: tuple[int, ...], other: tuple[int, ...], share: float) -> tuple[int, ...]:
    return tuple(round(start + (end - start) * share) for start, end in zip(one, other, strict=True))


def _rgb(color: str) -> tuple[int, ...]:
    return tuple(int(color[start : start + 2], 16) for start in (1, 3, 5))
