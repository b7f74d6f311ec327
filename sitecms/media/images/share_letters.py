"""Widths and images of the letters of one font; each letter is measured and drawn once.

A text of letters that stand side by side, as in Latin, Greek and Cyrillic, is composed of the images of its
letters. Any other text is measured and drawn as a whole.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sitecms.media.images.share_fonts import font, is_shaping

if TYPE_CHECKING:
    from PIL import Image

_SIDE_BY_SIDE = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]+"
)
_MEASURED_SIZE = 1000
_LIGATURES_OFF = ("-liga", "-clig", "-calt", "-rlig", "-ccmp")
_MAX_PICTURES = 2_000
_MAX_MEASURED = 20_000
_LONGEST_LIGATURE = 4  # letters; longer texts are too many to be kept


class Picture(NamedTuple):
    """Palette image of a letter or a text on background 0, and the place of its upper left corner from the origin."""

    image: "Image.Image"
    left: int
    top: int


class Letters:
    """Letters of one font; a ligature counts as one letter."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._widths: dict[str, float] = {}
        self._advances: dict[tuple[str, str], float] = {}

    def width(self, text: str) -> float:
        """Return the width of a text in multiples of the font size."""
        letter, start = list(self._letters(text))[-1]
        return start + self._width(letter)

    def pictures(self, text: str, size: int, tones: range) -> Iterator[tuple[Picture, int]]:
        """Yield the pictures of a text, each with the distance in pixels of its origin from that of the text.

        `tones` are the numbers of the palette for thin to full coverage of a pixel.
        """
        for letter, start in self._letters(text):
            draw = _kept if len(letter) <= _LONGEST_LIGATURE else _drawn
            if picture := draw(self._path, size, tones, letter):
                yield picture, round(start * size)

    def _letters(self, text: str) -> Iterator[tuple[str, float]]:
        """Yield each letter with the distance of its origin from that of the text; the text itself if it is whole."""
        start, letter = 0.0, text[:1]
        if _SIDE_BY_SIDE.fullmatch(text):
            for sign in text[1:]:
                if advance := self._advance(letter, sign):
                    yield letter, start
                    start, letter = start + advance, sign
                else:
                    letter += sign
        else:
            letter = text
        yield letter, start

    def _advance(self, letter: str, sign: str) -> float:
        """Return the distance between the origins of two neighbours; 0 if they become a ligature."""
        pair = (letter, sign)
        advance = self._advances.get(pair)
        if advance is None:
            both = self._measured(letter + sign)
            is_ligature = is_shaping() and both != self._measured(letter + sign, _LIGATURES_OFF)
            advance = 0.0 if is_ligature else both - self._width(sign)
            if len(self._advances) < _MAX_MEASURED:
                self._advances[pair] = advance
        return advance

    def _width(self, letter: str) -> float:
        width = self._widths.get(letter)
        if width is None:
            width = self._measured(letter)
            if len(self._widths) < _MAX_MEASURED:
                self._widths[letter] = width
        return width

    def _measured(self, text: str, features: tuple[str, ...] = ()) -> float:
        return font(self._path, _MEASURED_SIZE).getlength(text, features=list(features) or None) / _MEASURED_SIZE


@cache
def letters_of(path: Path) -> Letters:
    """Return the letters of a font file."""
    return Letters(path)


def _drawn(path: Path, size: int, tones: range, text: str) -> Picture | None:
    """Draw a letter or a text; None if it is invisible, such as a space."""
    from PIL import Image, ImageDraw

    used = font(path, size)
    left, top, right, bottom = map(round, used.getbbox(text, anchor="ls"))
    coverage = Image.new("L", (right - left + 2, bottom - top + 2))
    ImageDraw.Draw(coverage).text((1 - left, 1 - top), text, font=used, fill=255, anchor="ls")
    steps = [round(value * len(tones) / 255) for value in range(256)]
    toned = coverage.point([tones[step - 1] if step else 0 for step in steps])
    box = toned.getbbox()
    if box is None:
        return None
    image = Image.frombytes("P", (box[2] - box[0], box[3] - box[1]), toned.crop(box).tobytes())
    return Picture(image, left - 1 + box[0], top - 1 + box[1])


_kept = lru_cache(_MAX_PICTURES)(_drawn)
