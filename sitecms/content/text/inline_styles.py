"""Inline styles that become classes: the alignment of text, and the ratio of a box around a video.

Style sheets have rules for these classes: `align-left`, `align-center`, `align-right`, `align-justify`, and
`ratio-16-9` and its like. All other declarations of a `style` attribute are removed.
"""

import re
from collections.abc import Mapping
from html import escape, unescape

from msgspec import Struct

from sitecms.content.text.allowed_html import BLOCKS, MAX_VALUE_LENGTH, TABLE_CELLS

ALIGNMENTS: Mapping[str, str] = {
    "left": "align-left",
    "start": "align-left",
    "center": "align-center",
    "right": "align-right",
    "end": "align-right",
    "justify": "align-justify",
}
RATIOS: Mapping[str, float] = {
    "ratio-21-9": 21 / 9,
    "ratio-16-9": 16 / 9,
    "ratio-4-3": 4 / 3,
    "ratio-1-1": 1.0,
    "ratio-9-16": 9 / 16,
}
_ALIGNED = BLOCKS | TABLE_CELLS
_LEAST_PERCENT = 20
_PERCENT = re.compile(r"(\d{1,4}(?:\.\d{1,9})?)%")
_RATIO = re.compile(r"(\d{1,5}(?:\.\d{1,9})?)(?:\s*/\s*(\d{1,5}(?:\.\d{1,9})?))?")
_WRAPPER_STYLES = frozenset({"position", "height", "overflow", "width", "padding", "padding-top", "padding-bottom"})
_FRAME_STYLES = frozenset({"position", "top", "left", "right", "bottom", "inset", "width", "height", "border"})
_FILLING = frozenset({"absolute", "0", "0px", "100%", "none"})


class InlineStyle(Struct, frozen=True):
    """The classes in place of a `style` attribute, and the declarations without a class."""

    classes: tuple[str, ...]
    dropped: tuple[str, ...]


def read_style(tag: str, style: str) -> InlineStyle:
    """Return the classes for the value of a `style` attribute, and its other declarations."""
    if len(style) > MAX_VALUE_LENGTH:
        return InlineStyle((), (style,))
    declared = _declarations(style)
    classes: list[str] = []
    known: set[str] = set()
    if align := ALIGNMENTS.get(declared.get("text-align", "")):
        classes.append(align)
        known.add("text-align")
    if ratio := _ratio_class(declared):
        classes.append(ratio)
        known |= _WRAPPER_STYLES | {"aspect-ratio"}
    if tag == "iframe":
        known |= {name for name in _FRAME_STYLES if declared.get(name) in _FILLING}
    dropped = tuple(f"{name}: {value}" for name, value in declared.items() if name not in known)
    return InlineStyle(tuple(classes), dropped)


def read_align(tag: str, align: str) -> str:
    """Return the class for the value of an `align` attribute; "" where there is none."""
    return ALIGNMENTS.get(align.strip().lower(), "") if tag in _ALIGNED else ""


def with_classes(tag: str, attributes: list[str]) -> str:
    """Return the start tag with classes in place of its `style` and `align` attributes; "" if it has neither.

    `attributes` are written as they stood in the source: `name`, `name=value`, the value quoted or not.
    """
    kept: list[str] = []
    added: list[str] = []
    own, is_styled = "", False
    for written in attributes:
        name, value = split_attribute(written)
        is_styled = is_styled or name in ("style", "align")
        if name == "style":
            added += read_style(tag, value).classes
        elif name == "align":
            added.append(read_align(tag, value))
        elif name == "class":
            own = own or value
        else:
            kept.append(written)
    if not is_styled:
        return ""
    classes = " ".join(dict.fromkeys(part for part in (*own.split(), *added) if part))
    return " ".join((f"<{tag}", *([f'class="{escape(classes)}"'] if classes else []), *kept)) + ">"


def split_attribute(written: str) -> tuple[str, str]:
    """Return the name in lower case, and the value without quotes and with entities decoded."""
    name, _, value = written.partition("=") if not written.startswith("=") else (written, "", "")
    value = value.strip(" \t\n\f\r")
    if value[:1] in ('"', "'"):
        value = value[1:].removesuffix(value[0])
    return name.strip(" \t\n\f\r").lower(), unescape(value) if "&" in value else value


def _declarations(style: str) -> dict[str, str]:
    """Return the declarations by property, both in lower case; of several for one property the last."""
    pairs = (part.partition(":") for part in style.lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, _, value in pairs if name.strip()}


def _ratio_class(declared: Mapping[str, str]) -> str:
    """Return the class with the nearest ratio of width to height; "" where the box has no fixed ratio."""
    ratio = _ratio_of(declared)
    return min(RATIOS, key=lambda name: abs(RATIOS[name] / ratio - 1)) if ratio else ""


def _ratio_of(declared: Mapping[str, str]) -> float:
    """Return width / height of a box with an `aspect-ratio`, or held open by a padding in percent; 0 for others."""
    if match := _RATIO.fullmatch(declared.get("aspect-ratio", "")):
        return float(match[1]) / float(match[2] or 1) if float(match[2] or 1) else 0
    if declared.get("position") != "relative":
        return 0
    paddings = " ".join(declared.get(name, "") for name in ("padding-bottom", "padding-top", "padding"))
    percents = [float(found) for found in _PERCENT.findall(paddings)]
    return next((100 / percent for percent in percents if percent >= _LEAST_PERCENT), 0)
