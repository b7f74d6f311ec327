"""Settings of theme, delivery and search: the tables [theme], [delivery] and [search] of site.toml."""

from collections.abc import Iterator, Mapping
from typing import Any

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
HOME_LAYOUTS: Mapping[str, str] = {"default": "magazine", "journal": "list", "portfolio": "cards"}
"""Layout of the latest posts on the home page, by theme."""
FONT_USES = ("text_font", "heading_font", "interface_font", "code_font")
WEB_FAMILY = "sitecms Serif"
_LATIN = "U+20-7E,U+A0-17F,U+192,U+218-21B,U+1E9E,U+2010-2044,U+20AC,U+2116,U+2122,U+2190-2193,U+2212,U+2248-2265"


class FontFile(Struct, frozen=True):
    """One file of a font family; `weight` is one number, or two for a variable font.

    `display` is CSS's `font-display`; `characters` its `unicode-range`, "" for all.
    """

    family: str
    file: str
    weight: str
    style: str
    preload: bool
    display: str = "swap"
    characters: str = ""


WEB_FONTS = tuple(
    FontFile(WEB_FAMILY, f"fonts/{file}.woff2", weight, "normal", True, "optional", _LATIN)
    for file, weight in (("text", "400"), ("strong", "600"))
)
"""Fonts of the default theme, which `build_hook.py` cuts; "optional" never moves a page that is shown."""


MATH_FONT = FontFile("sitecms Math", "fonts/math.woff2", "400", "normal", preload=False)
"""Font for formulas on devices that have none with large roots and brackets; `build_hook.py` cuts it."""


class FooterLink(Struct, frozen=True):
    """A link at the foot of every page, to a path of the site or to another site."""

    label: str
    url: str


class ThemeSettings(Struct, frozen=True):
    """Name and options of the theme. Colours are `#rrggbb` in lower case, "" for the theme's own.

    Fonts are names of FONT_STACKS or families of `fonts`, "" for the theme's own; `logo`, `dark_logo` and `favicon`
    are files of `assets/`, or of `media/` where they begin with that.
    """

    name: str = "default"
    accent: str = ""
    color_scheme: str = "auto"
    background: str = ""
    text: str = ""
    dark_background: str = ""
    dark_text: str = ""
    text_font: str = ""
    heading_font: str = ""
    interface_font: str = ""
    code_font: str = ""
    fonts: tuple[FontFile, ...] = ()
    logo: str = ""
    dark_logo: str = ""
    logo_alt: str = ""
    favicon: str = "favicon.svg"
    home: str = "magazine"
    share: bool = True
    progress: bool = False
    footer_text: str = ""
    footer_links: tuple[FooterLink, ...] = ()


class DeliverySettings(Struct, frozen=True):
    """Settings of files for web servers. `csp` adds sources to directives of the Content-Security-Policy.

    `precompress` names the encodings (`gz`, `br`) that outputs are kept in besides their plain form.
    """

    minify: bool
    headers: bool
    precompress: tuple[str, ...]
    csp: Mapping[str, tuple[str, ...]]


class SearchSettings(Struct, frozen=True):
    """Settings of the built site's search."""

    enabled: bool


def theme_settings(data: Mapping[str, Any], *, has_formulas: bool) -> ThemeSettings:
    """Return the settings of the checked table [theme], defaults filled in."""
    colours = {name: data[name].lower() for name in ("accent", "background", "text", "dark_background", "dark_text")}
    fonts = tuple(
        FontFile(
            each["family"],
            each["file"],
            str(each.get("weight", "400")),
            each.get("style", "normal"),
            each.get("preload", False),
        )
        for each in data["fonts"]
    )
    links = tuple(FooterLink(each["label"], each["url"]) for each in data["footer_links"])
    fonts += (MATH_FONT,) if has_formulas else ()
    home = data["home"] or HOME_LAYOUTS[data["name"]]
    return ThemeSettings(**{**data, **colours, "home": home, "fonts": fonts, "footer_links": links})


def delivery_settings(data: Mapping[str, Any]) -> DeliverySettings:
    """Return the settings of the checked table [delivery], defaults filled in."""
    csp = {directive: tuple(sources) for directive, sources in sorted(data["csp"].items())}
    return DeliverySettings(data["minify"], data["headers"], tuple(data["precompress"]), csp)


def unknown_fonts(data: Mapping[str, Any]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield each use of an unknown font: the key, the name, and all known names."""
    families = (*FONT_STACKS, *dict.fromkeys(each["family"] for each in data["fonts"]))
    for use in FONT_USES:
        if data[use] and data[use] not in families:
            yield use, data[use], families
