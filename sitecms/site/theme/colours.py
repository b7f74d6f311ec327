"""Contrast of colours by WCAG 2, and the theme's computation of link colours from the accent."""

from math import atan2, cos, hypot, sin

READABLE = 4.5
LIGHT_LINK = (0.0, 0.48, 0.4)
DARK_LINK = (0.8, 0.92, 0.11)

Triple = tuple[float, float, float]


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
    return _opened(red), _opened(green), _opened(blue)


def _opened(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _closed(value: float) -> float:
    value = min(max(value, 0.0), 1.0)
    return value * 12.92 if value <= 0.0031308 else float(1.055 * value ** (1 / 2.4) - 0.055)


def _hex(linear: Triple) -> str:
    return "#" + "".join(f"{round(_closed(value) * 255):02x}" for value in linear)


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
