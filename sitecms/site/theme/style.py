"""Theme options of site.toml as CSS, and notes about their contrast."""

import re
from collections.abc import Iterator

from sitecms.settings.theme import FONT_STACKS, FontFile, ThemeSettings
from sitecms.site.theme.colours import DARK_LINK, LIGHT_LINK, READABLE, contrast, link_colour, mixed

_SCHEME = re.compile(r"\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)")
_ALWAYS, _NEVER = "(min-width:0)", "(max-width:0)"
_GROUNDS = {"light": ("#fdfdfc", 0.02, "#191b1a", LIGHT_LINK), "dark": ("#121413", 0.04, "#e4e6e4", DARK_LINK)}
"""By scheme, as style.css has them: paper, how much of the link is mixed into it, ink, bounds of the link."""
_MUTED = 0.74
_FONT_FORMATS = {"woff2": "woff2", "woff": "woff", "ttf": "truetype", "otf": "opentype"}
_VARIABLES = {"text_font": "--serif", "interface_font": "--sans", "code_font": "--mono"}
_HEADINGS = "main :is(h1,h2,h3,h4,h5,h6),.text-block h2,.site-name,.site-foot .site-name"


def in_scheme(css: str, scheme: str) -> str:
    """Return the stylesheet for a `color_scheme`; if it is not "auto", no media query asks for the device's scheme."""
    return css if scheme == "auto" else _SCHEME.sub(lambda found: _ALWAYS if found[1] == scheme else _NEVER, css)


def option_style(theme: ThemeSettings) -> str:
    """Return the end of style.css: fonts, colours and scheme of the site; "" without such options."""
    rules = [*map(_font_face, theme.fonts), _root(_variables(theme))]
    if theme.heading_font:
        rules.append(f"{_HEADINGS}{{font-family:{font_stack(theme.heading_font, theme)}}}")
    for scheme, background, text in _grounds(theme):
        if background or text:
            shade = "color-mix(in oklab,var(--link) 7%,var(--paper))" if background else ""
            colours = {"--paper": background, "--ink": text, "--shade": shade}
            rules.append(f"@media screen and (prefers-color-scheme:{scheme}){{{_root(colours)}}}")
    return "\n".join(filter(None, rules))


def font_stack(name: str, theme: ThemeSettings) -> str:
    """Return the CSS `font-family` of a system stack or of a family of the site."""
    if name in FONT_STACKS and not any(font.family == name for font in theme.fonts):
        return FONT_STACKS[name]
    return f'"{name}", {FONT_STACKS["sans"]}'


def scheme_colours(theme: ThemeSettings) -> dict[str, str]:
    """Return the background colour of each scheme of the site."""
    return {scheme: background or _own_paper(scheme, theme) for scheme, background, _ in _grounds(theme)}


def contrast_notes(theme: ThemeSettings) -> Iterator[str]:
    """Return notes about colours of site.toml that are hard to read, with their contrast."""
    for scheme, background, text in _grounds(theme):
        _, _, own_ink, bounds = _GROUNDS[scheme]
        paper, ink = background or _own_paper(scheme, theme), text or own_ink
        prefix = "dark_" if scheme == "dark" else ""
        pairs = {f"theme.{prefix}text": ink, f"what is paler than theme.{prefix}text": mixed(ink, paper, _MUTED)}
        if background and theme.accent:
            pairs["links in theme.accent"] = link_colour(theme.accent, bounds)
        if background or text:
            for shown, colour in pairs.items():
                if (found := contrast(colour, paper)) < READABLE:
                    yield (
                        f"site.toml: {shown} has a contrast of {found:.1f}:1 on {paper}, "
                        f"the {scheme} background; it takes {READABLE}:1 to be read well"
                    )
                    break


def _own_paper(scheme: str, theme: ThemeSettings) -> str:
    ground, share, _, bounds = _GROUNDS[scheme]
    return mixed(link_colour(theme.accent, bounds), ground, share) if theme.accent else ground


def _grounds(theme: ThemeSettings) -> Iterator[tuple[str, str, str]]:
    if theme.color_scheme != "dark":
        yield "light", theme.background, theme.text
    if theme.color_scheme != "light":
        yield "dark", theme.dark_background, theme.dark_text


def _variables(theme: ThemeSettings) -> dict[str, str]:
    fonts = {_VARIABLES[use]: getattr(theme, use) for use in _VARIABLES}
    scheme = "" if theme.color_scheme == "auto" else theme.color_scheme
    stacks = {variable: font_stack(name, theme) for variable, name in fonts.items() if name}
    return {"--accent": theme.accent, "color-scheme": scheme, **stacks}


def _root(values: dict[str, str]) -> str:
    declared = ";".join(f"{name}:{value}" for name, value in values.items() if value)
    return f":root{{{declared}}}" if declared else ""


def _font_face(font: FontFile) -> str:
    form = _FONT_FORMATS[font.file.rpartition(".")[2]]
    return (
        f'@font-face{{font-family:"{font.family}";src:url("{font.file}") format("{form}");'
        f"font-weight:{font.weight};font-style:{font.style};font-display:swap}}"
    )
