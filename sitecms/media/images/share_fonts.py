"""Fonts of share images: choice of a font for a text, widths and shaping of its letters."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from PIL import ImageFont

    checked = ImageFont.truetype(path, _CHECKED_SIZE, layout_engine=ImageFont.Layout.BASIC)
    mask = checked.getmask(sign)
    return mask.size, bytes(mask)


def _is_joined(sign: str) -> bool:
    """Return True if the shape of a letter depends on its neighbours, as in Arabic, Hebrew and Devanagari."""
    number = ord(sign)
    from_right = unicodedata.bidirectional(sign) in ("R", "AL")
    return from_right or any(first <= number <= last for first, last in _JOINED)


_JOINED = ((0x0900, 0x0DFF), (0x0F00, 0x109F), (0x1780, 0x17FF), (0x1A00, 0x1AFF))


def _is_selector(sign: str) -> bool:
    return 0xFE00 <= ord(sign) <= 0xFE0F or ord(sign) == 0x20E3
