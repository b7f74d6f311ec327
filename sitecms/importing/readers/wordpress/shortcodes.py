"""Shortcodes of WordPress: `[name key="value"]inner[/name]`, in bodies."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from html import unescape

from msgspec import Struct

_NAME = r"[A-Za-z][\w-]{0,40}"
_ATTRS = r"""(?:[^\[\]"'/]|"[^"]{0,9999}"|'[^']{0,9999}'|/(?!\]))*+"""
_OPEN = re.compile(rf"\[(\[?)({_NAME})(?![\w-])({_ATTRS})(/?)\](\]?)")
_ATTR = re.compile(
    r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|[“”″]([^“”″]*)[“”″]|([^\s"'\]]+))|"([^"]*)"|([^\s"'=]+)"""
)
_CODE = re.compile(r"<(pre|code|script|style|textarea)\b[^<>]*+>.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.I | re.S)
_END = re.compile(rf"\[/({_NAME})\]")
_MAX_DEPTH = 20
_MAX_OPEN = 200


class Shortcode(Struct, frozen=True):
    """One shortcode: its name in lower case, attributes (positional ones by number), and inner text or None."""

    name: str
    attrs: Mapping[str, str]
    inner: str | None


ConvertShortcode = Callable[[Shortcode], str | None]
"""Returns the HTML in place of a shortcode; None leaves it as it is."""


def replace_shortcodes(
    text: str, known: Callable[[str], bool], convert: ConvertShortcode, unknown: Callable[[str], None]
) -> str:
    """Return the text with its shortcodes converted, inner ones first.

    A name counts as a shortcode if it is known, or if it is closed by `[/name]`; an unknown one stays as text, and
    `unknown` is called with its name. Nothing in code is touched but known shortcodes of code, which hold it.
    `[[name]]` becomes the text `[name]`.
    """
    return _Replacing(known, convert, unknown).text(text, 0)


class _Replacing:
    def __init__(self, known: Callable[[str], bool], convert: ConvertShortcode, unknown: Callable[[str], None]) -> None:
        self._known, self._convert, self._unknown = known, convert, unknown

    def text(self, text: str, depth: int) -> str:
        if "[" not in text or depth > _MAX_DEPTH:
            return text
        spans = [match.span() for match in _CODE.finditer(text)]
        starts = [start for start, _end in spans]
        last_ends = {match[1].lower(): match.start() for match in _END.finditer(text)}
        parts, position = [], 0
        while match := _OPEN.search(text, position):
            span = spans[bisect_right(starts, match.start()) - 1] if starts else (0, 0)
            if span[0] <= match.start() < span[1]:
                parts.append(text[position : span[1]])
                position = span[1]
                continue
            parts.append(text[position : match.start()])
            if match[1] and match[5]:
                parts.append(match[0][1:-1])
                position = match.end()
                continue
            replacement, position = self._replace(text, match, last_ends, depth)
            parts.append(replacement)
        return "".join((*parts, text[position:]))

    def _replace(self, text: str, match: re.Match[str], last_ends: Mapping[str, int], depth: int) -> tuple[str, int]:
        """Return the replacement of the shortcode at a match, and the position after it."""
        before, name, end = match[1], match[2].lower(), match.end() - len(match[5])
        is_closed = not match[4] and last_ends.get(name, -1) >= end
        if not self._known(name):
            if is_closed or _looks_meant(match):
                self._unknown(name)
            return text[match.start() : end], end
        closing = _closing(text, match[2], end) if is_closed else None
        inner = text[end : closing[0]] if closing else None
        stop = closing[1] if closing else end
        if inner is not None and name not in CODE:
            inner = self.text(inner, depth + 1)
        found = Shortcode(name, read_attrs(match[3]), inner)
        made = self._convert(found)
        if made is None:
            if closing is not None or _looks_meant(match):
                self._unknown(name)
            return text[match.start() : end], end
        return before + made, stop


CODE = frozenset({"code", "sourcecode", "source", "cc", "ccn", "highlight", "crayon", "prism"})
"""Shortcodes whose inner text is code. Names of languages are added where a text uses them so."""


def _looks_meant(match: re.Match[str]) -> bool:
    """Return whether an unclosed unknown name was meant as a shortcode: it has `key="value"`, or `-` or `_` in it."""
    return bool(
        re.search(r"""\w\s*=\s*["'“”″]""", match[3]) or (("_" in match[2] or "-" in match[2]) and match[2].islower())
    )


def _closing(text: str, name: str, start: int) -> tuple[int, int] | None:
    """Return the span of the closing `[/name]` after a position, nested ones of the same name skipped."""
    marks = re.compile(rf"\[(/?){re.escape(name)}(?![\w-]){_ATTRS}\]", re.I)
    depth = 0
    for match in marks.finditer(text, start):
        if not match[1]:
            depth += 1
            if depth > _MAX_OPEN:
                return None
        elif depth == 0:
            return match.span()
        else:
            depth -= 1
    return None


def read_attrs(text: str) -> dict[str, str]:
    """Return the attributes of a shortcode; values without a name by their number from "0"."""
    if text.startswith("="):  # [youtube=https://...]
        return {"0": unescape(text[1:].strip().strip("\"'"))}
    found: dict[str, str] = {}
    for match in _ATTR.finditer(text):
        if match[1]:
            value = next((group for group in match.groups()[1:5] if group is not None), "")
            found[match[1].lower()] = unescape(value)
        else:
            found[str(sum(key.isdigit() for key in found))] = unescape(match[6] or match[7] or "")
    return found
