"""Settings of theme, delivery and search: the tables [theme], [delivery] and [search] of site.toml."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, convert, field

from sitecms.documents import Locate, locator, nowhere, place_of, schema_errors, with_defaults
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.fonts import FONT_STACKS, FONT_USES, MATH_FONT, FontFile
from sitecms.settings.theme_folder import OPTIONS, ThemeFolder, option_values, options_schema, theme_chain


class FooterLink(Struct, frozen=True):
    """A link at the foot of every page, to a path of the site or to another site."""

    label: str
    url: str


class ThemeSettings(Struct, frozen=True):
    """Name and options of the theme. Colours are `#rrggbb` in lower case, "" for the theme's own.

    Fonts are names of FONT_STACKS or families of `fonts`, "" for the theme's own; `logo`, `dark_logo` and `favicon`
    are files of `assets/`, or of `media/` where they begin with that. `options` are those that the theme declares.
    `of_plugins` are the folders of the themes of plug-ins, by name.
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
    body: str = "margin"
    terms: str = "name"
    touch_icon: str = ""
    edit_url: str = ""
    social: tuple[str, ...] = ()
    author_links: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    footer_text: str = ""
    footer_links: tuple[FooterLink, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    of_plugins: Mapping[str, Path] = field(default_factory=dict)


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


def choose_theme(
    table: Mapping[str, Any], site_folder: Path | None, of_plugins: Mapping[str, Path], *, has_formulas: bool
) -> ThemeSettings:
    """Return the settings of the table [theme] as it is written, with the defaults of the theme that it names.

    Raises InvalidFiles for a theme that does not exist or has errors, for its options, and for fonts that are unknown.
    """
    name = with_defaults({"theme": table}, "site")["theme"]["name"]
    chain = theme_chain(name, site_folder, of_plugins)
    data = with_defaults({"theme": _with_theme_defaults(table, chain)}, "site")["theme"]
    locate = locator(site_folder / "site.toml") if site_folder is not None else nowhere
    if errors := [*_font_errors(data, chain, locate), *_option_errors(data, chain, locate)]:
        raise InvalidFiles(errors)
    return _theme_settings(data, chain, of_plugins, has_formulas=has_formulas)


def _option_errors(data: Mapping[str, Any], chain: tuple[ThemeFolder, ...], locate: Locate) -> list[FileError]:
    options = {"theme": {OPTIONS: data[OPTIONS]}}
    return schema_errors(options, options_schema(chain, "theme"), "site.toml", locate)


def _with_theme_defaults(data: Mapping[str, Any], chain: tuple[ThemeFolder, ...]) -> dict[str, Any]:
    """Return the table [theme] with the defaults of the theme, and of those that it extends, for what is not set."""
    defaults = {key: value for theme in chain for key, value in theme.defaults.items()}
    return {**defaults, **{key: value for key, value in data.items() if value != "" or key not in defaults}}


def _theme_settings(
    data: Mapping[str, Any], chain: tuple[ThemeFolder, ...], of_plugins: Mapping[str, Path], *, has_formulas: bool
) -> ThemeSettings:
    """Return the settings of the checked table [theme], defaults filled in, for a theme after those that it extends."""
    colours = {name: data[name].lower() for name in ("accent", "background", "text", "dark_background", "dark_text")}
    fonts = tuple(FontFile(**each) for each in data["fonts"])
    missing = {font.family for font in _theme_fonts(chain) if not any(theme.has_asset(font.file) for theme in chain)}
    names = {use: data[use] for use in FONT_USES}
    uses = {use: "" if name in missing - {font.family for font in fonts} else name for use, name in names.items()}
    fonts += tuple(font for font in _theme_fonts(chain) if font.family in uses.values())
    fonts += (MATH_FONT,) if has_formulas else ()
    options = option_values(data[OPTIONS], chain)
    computed = {"fonts": fonts, OPTIONS: options, "of_plugins": of_plugins}
    return convert({**data, **colours, **uses, **computed}, ThemeSettings)


def _theme_fonts(chain: tuple[ThemeFolder, ...]) -> tuple[FontFile, ...]:
    return tuple(font for theme in chain for font in theme.fonts)


def _font_errors(data: Mapping[str, Any], chain: tuple[ThemeFolder, ...], locate: Locate) -> Iterator[FileError]:
    own = (*(each["family"] for each in data["fonts"]), *(font.family for font in _theme_fonts(chain)))
    families = (*FONT_STACKS, *dict.fromkeys(own))
    for use in FONT_USES:
        if data[use] and data[use] not in families:
            place = ("theme", use)
            remedy = f"expected one of {', '.join(families)}"
            yield FileError("site.toml", place_of(place), f'is "{data[use]}"', remedy, locate(place))
