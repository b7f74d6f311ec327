"""Fonts: system stacks by name, and font files of a site or a theme."""

from collections.abc import Mapping

from msgspec import Struct

FONT_STACKS: Mapping[str, str] = {
    "serif": '"Iowan Old Style", "Palatino Linotype", Palatino, Charter, Georgia, serif',
    "transitional": "Charter, Cambria, Georgia, serif",
    "sans": 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
    "humanist": 'Seravek, "Gill Sans Nova", Ubuntu, Calibri, "DejaVu Sans", sans-serif',
    "geometric": 'Avenir, Montserrat, Corbel, "URW Gothic", sans-serif',
    "slab": 'Rockwell, "Rockwell Nova", "Roboto Slab", "DejaVu Serif", serif',
    "mono": "ui-monospace, Menlo, Consolas, monospace",
}
FONT_USES = ("text_font", "heading_font", "interface_font", "code_font")


class FontFile(Struct, frozen=True):
    """One file of a font family; `weight` is one number, or two for a variable font.

    `display` is CSS's `font-display`; `characters` its `unicode-range`, "" for all; `fallback` a name of FONT_STACKS.
    """

    family: str
    file: str
    weight: str = "400"
    style: str = "normal"
    preload: bool = False
    display: str = "swap"
    characters: str = ""
    fallback: str = "sans"


MATH_FONT = FontFile("sitecms Math", "fonts/math.woff2")
"""Font for formulas on devices that have none with large roots and brackets; `build_hook.py` cuts it."""
