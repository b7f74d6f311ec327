"""Share images: the title of a page on the accent, below the name or the logo of the site.

Pillow draws them into an image whose values are numbers of a palette: shades from the ground to the ink, then the
colours of the logo. A title is set in the largest size in which it fits, with lines as even as possible.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from sitecms.media.decoding.file_types import BROKEN, OPENED

if TYPE_CHECKING:
    from PIL import Image
    from PIL.ImageFont import FreeTypeFont

SHARE_WIDTH, SHARE_HEIGHT = 1200, 630
SHADES = 16
FONT_PACKAGE = "font-source-serif-pro"  # Latin, Greek and Cyrillic; SIL Open Font License
_FONT_MODULE = "font_source_serif_pro"
_INK = SHADES - 1
_RULE, _RULE_WIDTH, _RULE_SHADE = 112, 3, 5
_LEFT, _WIDTH = 168, 952
_NAME_SIZE, _NAME_BASE = 38, 112
_LINE_SIZE, _LINE_BASE = 34, 548
_TITLE_MIDDLE, _TITLE_HEIGHT, _TITLE_SIZES = 322, 324, (112, 104, 96, 88, 80, 74, 68, 62, 56, 50)
_LEADING, _ABOVE_BASE = 1.14, 0.88
_LOGO_TOP, _LOGO_SIZE, _LOGO_EDGE, _LOGO_COLOURS = 42, (420, 72), 14, 48
_MOST_SIGNS = 600
_MEASURED_SIZE, _SPARE = 100, 1.01  # hinting changes widths a little from size to size
_WEIGHT = 600  # of headings, in a variable font
_NO_LETTER = "\U0010fffe"  # a noncharacter: no font has a picture of it but the one for what it lacks
_LATIN_1 = re.compile(r"[!-~][ -~\u00a1-\u00ff]*")
_JOINED = re.compile("[\u0590-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17ff\u1a00-\u1aff\ufb1d-\ufdff\ufe70-\ufefe]")
"""Signs whose shape or order depends on their neighbours, as in Arabic, Hebrew and Devanagari."""
_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), 0x20E3)))  # of emoji
_NO_SPACES = "\u2e80-\u2fdf\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_OPENING = re.escape("「『（〔［｛〈《【([{“‘¿¡")
_CLOSING = re.escape("」』）〕］｝〉》】、。，．・：；？！ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ)]}”’,.:;?!…")
# Not compiled here, because it takes long and most builds draw nothing.
_UNIT = rf"\s*[{_OPENING}]*(?:[{_NO_SPACES}]|[^\s{_NO_SPACES}]+)[{_CLOSING}]*"


class CardFile(NamedTuple):
    """Font or logo, with the digest of its content: a file that was changed is read again."""

    path: Path
    digest: str = ""


class Fonts(NamedTuple):
    """Fonts for titles and for small print, in order of preference."""

    strong: tuple[CardFile, ...]
    plain: tuple[CardFile, ...]


class ShareCard(Struct, frozen=True):
    """Content of a share image; colours are `#rrggbb`. With `title` "", the name of the site is drawn instead.

    `tint` is the shade of name and line, of SHADES from ground to ink. A logo replaces the name of the site; with
    `has_plate` it stands on a plate in the colour of the ink.
    """

    site_name: str
    title: str
    line: str
    is_from_right: bool
    ground: str
    ink: str
    tint: int
    logo: CardFile | None = None
    has_plate: bool = False


def share_fonts(files: tuple[CardFile, ...]) -> Fonts:
    """Return the site's own font files, followed by the built-in one."""
    spec = find_spec(_FONT_MODULE)
    places = spec.submodule_search_locations if spec else None
    folder = Path(next(iter(places or ()), "")) / "files"
    strong, plain = (CardFile(folder / f"SourceSerifPro-{weight}.ttf") for weight in ("Semibold", "Regular"))
    return Fonts((*files, strong), (*files, plain))


@cache
def is_shaping() -> bool:
    """Return True if Pillow can shape text here: it has Raqm and finds FriBiDi on this machine."""
    from PIL import features

    return bool(features.check("raqm") and features.check("fribidi"))


@cache
def font_at(file: CardFile, size: int) -> "FreeTypeFont":
    """Return the font in a size, a variable one in the weight of headings. Raises OSError if it cannot be read."""
    from PIL import ImageFont

    font = ImageFont.truetype(file.path, size)
    try:
        axes = font.get_variation_axes()
    except OSError:  # not a variable font
        return font
    values = ((axis["name"], axis["minimum"] or 0, axis["default"] or 0, axis["maximum"] or 0) for axis in axes)
    weight = b"Weight"
    font.set_variation_by_axes(
        [min(max(_WEIGHT, low), high) if name == weight else default for name, low, default, high in values]
    )
    return font


def can_draw(text: str, fonts: Fonts) -> bool:
    """Return whether `chosen` finds a font for a title; the built-in font has every sign of Latin-1."""
    return bool(_LATIN_1.fullmatch(text)) or chosen(text, fonts.strong) is not None


def chosen(text: str, candidates: tuple[CardFile, ...]) -> tuple[str, CardFile] | None:
    """Return the drawable text and its font; None if every font lacks letters of it.

    Emoji and other signs that the font lacks are dropped, letters and numbers never.
    """
    plain = " ".join(unicodedata.normalize("NFC", text).split())[:_MOST_SIGNS]
    if not is_shaping() and _JOINED.search(plain):
        return None
    for font in candidates:
        missing = {sign for sign in set(plain) if sign in _SELECTORS or not (sign.isspace() or _has(font, sign))}
        if not any(unicodedata.category(sign)[0] in "LNM" for sign in missing - _SELECTORS):
            words = "".join(sign for sign in plain if sign not in missing).split()
            visible_text = " ".join(word for word in words if not all(map(_is_invisible, word)))
            return (visible_text, font) if visible_text else None
    return None


@cache
def _has(file: CardFile, sign: str) -> bool:
    """Return whether the font has the sign, or shaping takes it away."""
    if _is_invisible(sign):
        return is_shaping()
    font = _unshaped(file)
    return bytes(font.getmask(sign)) != bytes(font.getmask(_NO_LETTER))


@cache
def _unshaped(file: CardFile) -> "FreeTypeFont":
    from PIL import ImageFont

    return ImageFont.truetype(file.path, _LINE_SIZE, layout_engine=ImageFont.Layout.BASIC)


def _is_invisible(sign: str) -> bool:
    """Return True for a sign that only joins, parts or directs others."""
    return unicodedata.category(sign) == "Cf"


def draw_share_image(card: ShareCard, fonts: Fonts) -> bytes | None:
    """Return a PNG of 1200x630 pixels; None if no font has the letters of the title.

    Equal cards give equal bytes with equal versions of the fonts and of Pillow.
    """
    from PIL import Image, ImageDraw

    title = chosen(card.title or card.site_name, fonts.strong)
    if title is None:
        return None
    image = Image.new("L", (SHARE_WIDTH, SHARE_HEIGHT))
    pen = ImageDraw.Draw(image)
    is_from_right, direction = card.is_from_right, "rtl" if card.is_from_right and is_shaping() else None

    def place(left: int, width: int) -> int:
        return SHARE_WIDTH - left - width if is_from_right else left

    def write(text: str, font: CardFile, size: int, base: float, shade: int) -> None:
        anchor = "rs" if is_from_right else "ls"
        pen.text((place(_LEFT, 0), round(base)), text, shade, font_at(font, size), anchor, direction=direction)

    pen.rectangle((x := place(_RULE, _RULE_WIDTH), 0, x + _RULE_WIDTH - 1, SHARE_HEIGHT), _RULE_SHADE)
    size, lines = set_title(*title)
    base = _TITLE_MIDDLE + size * (_ABOVE_BASE - _LEADING * len(lines) / 2)
    for number, text in enumerate(lines):
        write(text, title[1], size, base + number * size * _LEADING, _INK)
    if line := chosen(card.line, fonts.plain):
        write(shortened(*line, _LINE_SIZE), line[1], _LINE_SIZE, _LINE_BASE, card.tint)
    colours: Sequence[int] = ()
    if logo := card.logo and _logo(card.logo, card.ground, card.ink if card.has_plate else ""):
        numbers, mask, colours = logo
        edge = 0 if card.has_plate else _LOGO_EDGE
        image.paste(numbers, (place(_LEFT - edge, numbers.width), _LOGO_TOP), mask)
    elif card.title and (name := chosen(card.site_name, fonts.strong)):
        write(shortened(*name, _NAME_SIZE), name[1], _NAME_SIZE, _NAME_BASE, card.tint)
    image.putpalette([*_palette(card.ground, card.ink), *colours])
    buffer = BytesIO()
    image.save(buffer, "PNG", compress_type=Image.RLE)
    return buffer.getvalue()


@lru_cache(8)
def _palette(ground: str, ink: str) -> bytes:
    return bytes.fromhex("".join(shade(ground, ink, number)[1:] for number in range(SHADES)))


def shade(ground: str, ink: str, number: int) -> str:
    """Return one of the shades from the ground to the ink, as `#rrggbb`."""
    pairs = ((int(ground[place : place + 2], 16), int(ink[place : place + 2], 16)) for place in (1, 3, 5))
    return "#" + "".join(f"{round(first + (last - first) * number / _INK):02x}" for first, last in pairs)


def shortened(text: str, file: CardFile, size: int) -> str:
    """Return the text, which ends with "…" if it is wider than the column."""
    font = font_at(file, size)
    if font.getlength(text) <= _WIDTH:
        return text
    while font.getlength(f"{text}…") > _WIDTH:
        text = text[:-1]
    return f"{text.rstrip(' ,.;:')}…"


def set_title(text: str, file: CardFile) -> tuple[int, list[str]]:
    """Return the largest size in which a title fits, and its lines; the last one ends with "…" if none is so small."""
    font = font_at(file, _MEASURED_SIZE)
    least = _TITLE_SIZES[-1]
    widths = [(unit, font.getlength(unit) * _SPARE / _MEASURED_SIZE) for unit in re.findall(_UNIT, text)]
    parts = [
        part for unit, width in widths for part in ([(unit, width)] if width <= _WIDTH / least else _cut(unit, font))
    ]
    for size in _TITLE_SIZES:
        room = _WIDTH / size
        lines = _wrapped(parts, room)
        if len(lines) * size * _LEADING <= _TITLE_HEIGHT and max(width for _, width in parts) <= room:
            narrower = (_wrapped(parts, room * share / 16) for share in range(4, 16))
            return size, next((each for each in narrower if len(each) == len(lines)), lines)
    most = int(_TITLE_HEIGHT / (least * _LEADING))
    return least, [*lines[: most - 1], shortened(" ".join(lines[most - 1 : most + 1]), file, least)]


def _cut(unit: str, font: "FreeTypeFont") -> Iterator[tuple[str, float]]:
    """Yield the letters of a long word, each with its combining marks and its width."""
    starts = [number for number, sign in enumerate(unit) if not number or unicodedata.category(sign)[0] != "M"]
    for start, end in pairwise((*starts, len(unit))):
        yield unit[start:end], font.getlength(unit[start:end]) * _SPARE / _MEASURED_SIZE


def _wrapped(parts: Sequence[tuple[str, float]], room: float) -> list[str]:
    """Return lines that are as long as the room allows."""
    lines, line_width = [""], 0.0
    for text, width in parts:
        if lines[-1] and line_width + width > room:
            lines.append("")
            line_width = 0.0
        lines[-1] += text
        line_width += width
    return [line.strip() for line in lines]


@lru_cache(8)
def _logo(file: CardFile, ground: str, plate: str) -> "tuple[Image.Image, Image.Image, Sequence[int]] | None":
    """Return a picture as numbers of colours, the mask of its visible pixels, and the colours.

    None if it cannot be read, as an SVG. On a plate it has an edge around it.
    """
    from PIL import Image, ImageDraw

    try:
        with Image.open(file.path, formats=OPENED) as opened:
            picture = opened.convert("RGBA")
    except BROKEN:
        return None
    picture.thumbnail(_LOGO_SIZE, Image.Resampling.LANCZOS)
    drawn = Image.new("RGBA", (picture.width + 2 * _LOGO_EDGE, picture.height + 2 * _LOGO_EDGE))
    if plate:
        ImageDraw.Draw(drawn).rounded_rectangle((0, 0, drawn.width - 1, drawn.height - 1), _LOGO_EDGE, plate)
    drawn.alpha_composite(picture, (_LOGO_EDGE, _LOGO_EDGE))
    whole = Image.alpha_composite(Image.new("RGBA", drawn.size, ground), drawn).convert("RGB")
    reduced = whole.quantize(_LOGO_COLOURS, dither=Image.Dither.NONE)
    numbers = Image.frombytes("L", reduced.size, bytes(number + SHADES for number in reduced.tobytes()))
    return numbers, drawn.getchannel("A").point([0, *[255] * 255]), reduced.getpalette() or ()
