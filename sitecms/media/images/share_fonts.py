"""Fonts of share images: choice of a font for a text, and widths, shaping and images of its letters.

Each letter is measured and drawn once. A text of letters that stand side by side, as in Latin, Greek and Cyrillic, is
composed of the images of its letters. Any other text is measured and drawn as a whole.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sitecms.values import dataclass

if TYPE_CHECKING:
    from PIL import Image
    from PIL.ImageFont import FreeTypeFont

FONT_PACKAGE = "font-source-serif-pro"  # Latin, Greek and Cyrillic; SIL Open Font License
_MODULE = "font_source_serif_pro"
_NO_LETTER = "\U0010fffe"  # a noncharacter: no font has a picture of it but the one for what it lacks
_CHECKED_SIZE = 24
_LATIN_1 = re.compile(r"[!-~][ -~\u00a1-\u00ff]*")


@dataclass(frozen=True, slots=True)
class Fonts:
    """Font files for titles and for small print, in order of preference."""

    strong: tuple[Path, ...]
    plain: tuple[Path, ...]


@cache
def share_fonts(own: tuple[Path, ...]) -> Fonts:
    """Return the site's own font files, followed by the built-in one."""
    spec = find_spec(_MODULE)
    places = spec.submodule_search_locations if spec else None
    folder = Path(next(iter(places or ()), "")) / "files"
    return Fonts((*own, folder / "SourceSerifPro-Semibold.ttf"), (*own, folder / "SourceSerifPro-Regular.ttf"))


@cache
def is_shaping() -> bool:
    """Return True if Pillow can shape text here: it has Raqm and finds FriBiDi on this machine."""
    from PIL import features

    return bool(features.check("raqm") and features.check("fribidi"))


@cache
def font(path: Path, size: int) -> "FreeTypeFont":
    """Return the font in a size."""
    from PIL import ImageFont

    engine = ImageFont.Layout.RAQM if is_shaping() else ImageFont.Layout.BASIC
    return ImageFont.truetype(path, size, layout_engine=engine)


def can_draw(text: str, fonts: Fonts) -> bool:
    """Return whether `chosen` finds a font for a title; the built-in font has every sign of Latin-1."""
    return bool(_LATIN_1.fullmatch(text)) or chosen(text, fonts.strong) is not None


def chosen(text: str, candidates: tuple[Path, ...]) -> tuple[str, Path] | None:
    """Return the drawable text and its font; None if every font lacks letters of it.

    Emoji and other signs that the font lacks are dropped, letters and numbers never.
    """
    plain = " ".join(text.split())
    if not plain or (not is_shaping() and any(map(_is_joined, plain))):
        return None
    for path in candidates:
        missing = {sign for sign in set(plain) if not sign.isspace() and not _has(path, sign)}
        if not any(unicodedata.category(sign)[0] in "LNM" and not _is_selector(sign) for sign in missing):
            kept = " ".join("".join(sign for sign in plain if sign not in missing).split())
            return (kept, path) if kept else None
    return None


@cache
def _has(path: Path, sign: str) -> bool:
    return _picture(path, sign) != _picture(path, _NO_LETTER)


@cache
def _picture(path: Path, sign: str) -> tuple[tuple[int, int], bytes]:
    mask = _checked_font(path).getmask(sign)
    return mask.size, bytes(mask)


@cache
def _checked_font(path: Path) -> "FreeTypeFont":
    from PIL import ImageFont

    return ImageFont.truetype(path, _CHECKED_SIZE, layout_engine=ImageFont.Layout.BASIC)


def _is_joined(sign: str) -> bool:
    """Return True if the shape of a letter depends on its neighbours, as in Arabic, Hebrew and Devanagari."""
    number = ord(sign)
    from_right = unicodedata.bidirectional(sign) in ("R", "AL")
    return from_right or any(first <= number <= last for first, last in _JOINED)


_JOINED = ((0x0900, 0x0DFF), (0x0F00, 0x109F), (0x1780, 0x17FF), (0x1A00, 0x1AFF))


def _is_selector(sign: str) -> bool:
    return 0xFE00 <= ord(sign) <= 0xFE0F or ord(sign) == 0x20E3


_SIDE_BY_SIDE = re.compile(
    "[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]+"
)
_WORD = re.compile(r"\S+\s*|\s+")
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
        self._kept = lru_cache(_MAX_PICTURES)(self._drawn)

    def width(self, text: str) -> float:
        """Return the width of a text in multiples of the font size."""
        letter, start = list(self._letters(text))[-1]
        return start + self._width(letter)

    def pictures(self, text: str, size: int, tones: range) -> Iterator[tuple[Picture, int]]:
        """Yield the pictures of a text, each with the distance in pixels of its origin from that of the text.

        `tones` are the numbers of the palette for thin to full coverage of a pixel.
        """
        for letter, start in self._letters(text):
            draw = self._kept if len(letter) <= _LONGEST_LIGATURE else self._drawn
            if picture := draw(letter, size, tones):
                yield picture, round(start * size)

    def words(self, text: str, size: int, tones: range) -> Iterator[tuple[Picture, int]]:
        """Yield the pictures of whole words, as `pictures` those of letters: faster if many texts have these words."""
        start = 0.0
        for word in _WORD.findall(text) if _SIDE_BY_SIDE.fullmatch(text) else [text]:
            if picture := self._kept(word.rstrip(), size, tones):
                yield picture, round(start * size)
            start += self._width(word)

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

    def _drawn(self, text: str, size: int, tones: range) -> Picture | None:
        """Draw a letter or a text; None if it is invisible, such as a space."""
        from PIL import Image, ImageDraw

        used = font(self._path, size)
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


@cache
def letters_of(path: Path) -> Letters:
    """Return the letters of a font file."""
    return Letters(path)
