"""What templates see of the theme's options: addresses of its files, colours, the foot of the page."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from sitecms.errors import Fault, InvalidFiles, InvalidMedia
from sitecms.media.decoding.file_types import identify
from sitecms.settings.site import SETTINGS_FILE
from sitecms.settings.theme import ThemeSettings
from sitecms.site.template_values import ImageView, Link, ThemeView
from sitecms.site.theme.html import link_address
from sitecms.site.theme.style import contrast_notes, scheme_colours
from sitecms.site.theme.theme import Theme

_ICON_TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".gif": "image/gif"}


def theme_view(theme: Theme, asset_urls: Mapping[str, str], base_path: str) -> ThemeView:
    """The view of a theme whose assets have these addresses."""
    options = theme.options
    logo = _picture(options.logo, options.logo_alt, theme, asset_urls)
    return ThemeView(
        accent=options.accent,
        color_scheme=options.color_scheme,
        colors=scheme_colours(options),
        logo=logo,
        dark_logo=_picture(options.dark_logo, options.logo_alt, theme, asset_urls) if logo else None,
        favicon_url=asset_urls.get(options.favicon, ""),
        favicon_type=_ICON_TYPES.get(PurePosixPath(options.favicon).suffix.lower(), ""),
        preloads=tuple(asset_urls[font.file] for font in options.fonts if font.preload and font.file in asset_urls),
        home=options.home,
        footer_text=options.footer_text,
        footer_links=tuple(Link(link.label, link_address(link.url, base_path)) for link in options.footer_links),
    )


def check_theme(theme: Theme) -> tuple[str, ...]:
    """What to tell of the options. Raises InvalidFiles where they name files that are not there."""
    faults = [
        Fault(SETTINGS_FILE, place, f'is "{name}", and there is no such file', _where(name))
        for place, name in _named_files(theme.options)
        if name and name not in theme.assets
    ]
    if faults:
        raise InvalidFiles(faults)
    return tuple(contrast_notes(theme.options))


def _named_files(options: ThemeSettings) -> Iterator[tuple[str, str]]:
    yield "theme.logo", options.logo
    yield "theme.dark_logo", options.dark_logo
    yield "theme.favicon", options.favicon
    for number, font in enumerate(options.fonts):
        yield f"theme.fonts[{number}].file", font.file


def _where(name: str) -> str:
    return f"put it at {name if name.startswith('media/') else f'assets/{name}'} in the site folder"


def _picture(name: str, alt: str, theme: Theme, urls: Mapping[str, str]) -> ImageView | None:
    """The picture with its size; without it where the file does not tell."""
    if not name or name not in theme.assets:
        return None
    try:
        found = identify(theme.assets[name].read_bytes(), name)
    except InvalidMedia:
        return ImageView(urls[name], alt)
    return ImageView(urls[name], alt, found.width, found.height)
