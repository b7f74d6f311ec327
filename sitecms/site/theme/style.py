"""Theme options of site.toml as CSS, link colours computed from the accent, and notes about contrast (WCAG 2)."""

import re
from collections.abc import Iterator
from math import atan2, cos, hypot, sin

from sitecms.settings.fonts import FONT_STACKS, FontFile
from sitecms.settings.theme import ThemeSettings

READABLE = 4.5
LIGHT_LINK = (0.0, 0.48, 0.4)
DARK_LINK = (0.8, 0.92, 0.11)

Triple = tuple[float, float, float]
_SCHEME = re.compile(r"\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)")
_ALWAYS, _NEVER = "(min-width:0)", "(max-width:0)"
_GROUNDS = {"light": ("#fdfdfc", 0.02, "#191b1a", LIGHT_LINK), "dark": ("#121413", 0.04, "#e4e6e4", DARK_LINK)}
"""By scheme, as style.css has them: paper, how much of the link is mixed into it, ink, bounds of the link."""
_MUTED = 0.74
_FONT_FORMATS = {"woff2": "woff2", "woff": "woff", "ttf": "truetype", "otf": "opentype"}
_VARIABLES = {"text_font": "--serif", "interface_font": "--sans", "code_font": "--mono"}
_HEADINGS = "main :is(h1,h2,h3,h4,h5,h6),.text-block h2,.site-name,.site-foot .site-name"


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours `#rrggbb`, from 1 (equal) to 21 (black on white)."""
    darker, lighter = sorted((_luminance(_linear(one)), _luminance(_linear(other))))
    return (lighter + 0.05) / (darker + 0.05)


def link_colour(accent: str, bounds: Triple) -> str:
    """Return the accent as style.css makes it readable: lightness between two bounds, chroma up to a third."""
    darkest, lightest, vividest = bounds
    lightness, a, b = _oklab(_linear(accent))
    chroma, hue = min(hypot(a, b), vividest), atan2(b, a)
    return _hex(_from_oklab((min(max(lightness, darkest), lightest), chroma * cos(hue), chroma * sin(hue))))


def mixed(one: str, other: str, share: float) -> str:
    """Return the mixture with this share of the first colour, as `color-mix(in oklab, ...)` does."""
    first, second = _oklab(_linear(one)), _oklab(_linear(other))
    x, y, z = (share * left + (1 - share) * right for left, right in zip(first, second, strict=True))
    return _hex(_from_oklab((x, y, z)))


def _linear(colour: str) -> Triple:
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return _linear_channel(red), _linear_channel(green), _linear_channel(blue)


def _linear_channel(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _gamma_channel(value: float) -> float:
    value = min(max(value, 0.0), 1.0)
    return value * 12.92 if value <= 0.0031308 else float(1.055 * value ** (1 / 2.4) - 0.055)


def _hex(linear: Triple) -> str:
    return "#" + "".join(f"{round(_gamma_channel(value) * 255):02x}" for value in linear)


def _luminance(linear: Triple) -> float:
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _oklab(linear: Triple) -> Triple:
    """Convert to Oklab with Björn Ottosson's matrices, as CSS Color 4 defines them."""
    red, green, blue = linear
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _from_oklab(lab: Triple) -> Triple:
    lightness, a, b = lab
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def in_scheme(css: str, scheme: str) -> str:
    """Return the stylesheet for a `color_scheme`; if it is not "auto", no media query asks for the device's scheme."""
    return css if scheme == "auto" else _SCHEME.sub(lambda match: _ALWAYS if match[1] == scheme else _NEVER, css)


def option_style(theme: ThemeSettings) -> str:
    """Return the end of style.css: fonts, colours and scheme of the site; "" without such options."""
    rules = [*map(_font_face, theme.fonts), _root({**_variables(theme), **_colours(theme)})]
    if theme.heading_font:
        rules.append(f"{_HEADINGS}{{font-family:{font_stack(theme.heading_font, theme)}}}")
    return "\n".join(filter(None, rules))


def font_stack(name: str, theme: ThemeSettings) -> str:
    """Return the CSS `font-family` of a system stack or of a family of the site."""
    files = [font for font in theme.fonts if font.family == name]
    if name in FONT_STACKS and not files:
        return FONT_STACKS[name]
    return f'"{name}", {FONT_STACKS[files[0].fallback if files else "sans"]}'


def scheme_colours(theme: ThemeSettings) -> dict[str, str]:
    """Return the background colour of each scheme of the site."""
    return {scheme: background or _own_paper(scheme, theme) for scheme, background, _ in _backgrounds(theme)}


def contrast_notes(theme: ThemeSettings) -> Iterator[str]:
    """Return notes about colours of site.toml that are hard to read, with their contrast."""
    for scheme, background, text in _backgrounds(theme):
        _, _, own_ink, bounds = _GROUNDS[scheme]
        paper, ink = background or _own_paper(scheme, theme), text or own_ink
        prefix = "dark_" if scheme == "dark" else ""
        pairs = {f"theme.{prefix}text": ink, f"what is paler than theme.{prefix}text": mixed(ink, paper, _MUTED)}
        if background and theme.accent:
            pairs["links in theme.accent"] = link_colour(theme.accent, bounds)
        if background or text:
            for name, colour in pairs.items():
                if (ratio := contrast(colour, paper)) < READABLE:
                    yield (
                        f"site.toml: {name} has a contrast of {ratio:.1f}:1 on {paper}, "
                        f"the {scheme} background; it takes {READABLE}:1 to be read well"
                    )
                    break


def _own_paper(scheme: str, theme: ThemeSettings) -> str:
    ground, share, _, bounds = _GROUNDS[scheme]
    return mixed(link_colour(theme.accent, bounds), ground, share) if theme.accent else ground


def _backgrounds(theme: ThemeSettings) -> Iterator[tuple[str, str, str]]:
    if theme.color_scheme != "dark":
        yield "light", theme.background, theme.text
    if theme.color_scheme != "light":
        yield "dark", theme.dark_background, theme.dark_text


def _variables(theme: ThemeSettings) -> dict[str, str]:
    fonts = {_VARIABLES[use]: getattr(theme, use) for use in _VARIABLES}
    scheme = "" if theme.color_scheme == "auto" else theme.color_scheme
    stacks = {variable: font_stack(name, theme) for variable, name in fonts.items() if name}
    return {"--accent": theme.accent, "color-scheme": scheme, **stacks}


def _colours(theme: ThemeSettings) -> dict[str, str]:
    """Return the variables of style.css for the colours of each scheme that the site shows."""
    grounds = tuple(_backgrounds(theme))
    papers = {f"--{scheme}-paper": background for scheme, background, _ in grounds}
    return {**papers, **{f"--{scheme}-ink": text for scheme, _, text in grounds}}


def _root(values: dict[str, str]) -> str:
    declared = ";".join(f"{name}:{value}" for name, value in values.items() if value)
    return f":root{{{declared}}}" if declared else ""


def _font_face(font: FontFile) -> str:
    form = _FONT_FORMATS[font.file.rpartition(".")[2]]
    characters = f";unicode-range:{font.characters}" if font.characters else ""
    return (
        f'@font-face{{font-family:"{font.family}";src:url("{font.file}") format("{form}");'
        f"font-weight:{font.weight};font-style:{font.style};font-display:{font.display}{characters}}}"
    )
