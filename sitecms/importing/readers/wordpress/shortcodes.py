"""Shortcodes of WordPress: `[name key="value"]inner[/name]`, in bodies."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from html import unescape

from msgspec import Struct

from sitecms.importing.shortcodes import comment

_NAME = r"[A-Za-z][\w-]{0,40}"
_ATTRS = r"""(?:[^\[\]"'/]|"[^"]{0,9999}"|'[^']{0,9999}'|/(?!\]))*+"""
_OPEN = re.compile(rf"\[(\[?)({_NAME})(?![\w-])({_ATTRS})(/?)\](\]?)|\[/(?P<lone>{_NAME})\]")
_ATTR = re.compile(
    r"""((?!https?:)[\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|[“”″]([^“”″]*)[“”″]|([^\s"'\]]+))|"([^"]*)"|((?:https?:)?//[^\s"']+|[^\s"'=]+)"""
)
_CODE = re.compile(r"<(pre|code|script|style|textarea)\b[^<>]*+>.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.I | re.S)
_END = re.compile(rf"\[/({_NAME})\]")
_HAS_VALUE = re.compile(r"""\w\s*=\s*["'“”″]""")
_HAS_PLAIN_VALUES = re.compile(r"""(?:\s+[\w-]+=[^\s"'=]+)+\s*""")
_LINE_BEGINS = re.compile(r"(?:\A|\n|<p[^<>]*>|<div[^<>]*>|-->|\[/?[a-z]+_[^\[\]]*\])[ \t]*\Z")
_LINE_ENDS = re.compile(r"[ \t]*(?:\Z|\n|</p>|</div>|<!--|\[/?[a-z]+_)")
_MAX_DEPTH = 20
_MAX_OPEN = 200
CODE = frozenset({"code", "sourcecode", "source", "highlight", "crayon", "prism"})
"""Shortcodes whose inner text is code. Names of languages are added where a text uses them so."""
_CODE_COLORER = re.compile(r"cc[a-z]{0,6}(?:_(\w+))?", re.I)
_BLOCK_TAG = re.compile(r"</?(?:p|div|ul|ol|li|table|h[1-6]|blockquote|img|figure|iframe|br|pre|a)\b", re.I)
_INDENTED = re.compile(r"(?m)^(?:[ ]{2,}|\t)\S")
_LANGUAGES = frozenset(
    {
        "actionscript3", "as3", "bash", "c", "coldfusion", "cpp", "csharp", "css", "delphi", "diff", "erlang",
        "fsharp", "go", "groovy", "haskell", "html", "java", "javafx", "javascript", "js", "json", "kotlin", "latex",
        "lua", "matlab", "objc", "perl", "php", "plain", "powershell", "python", "r", "ruby", "rust", "sass",
        "scala", "shell", "sql", "swift", "text", "typescript", "vb", "xhtml", "xml", "yaml",
    }
)  # fmt: skip


class Shortcode(Struct, frozen=True):
    """One shortcode: its name in lower case, attributes (positional ones by number), and inner text or None.

    `opening` and `ending` are its tags.
    """

    name: str
    attrs: Mapping[str, str]
    inner: str | None
    opening: str = ""
    ending: str = ""


ConvertShortcode = Callable[[Shortcode], str | None]
"""Returns the HTML in place of a shortcode; None leaves it as it is."""


OnUnknown = Callable[[str, bool], None]
"""Gets the name of an unknown shortcode, and whether it stays as text."""


def replace_shortcodes(text: str, known: Callable[[str], bool], convert: ConvertShortcode, unknown: OnUnknown) -> str:
    """Return the text with its shortcodes converted, inner ones first.

    A name counts as a shortcode if it is known, if it is closed by `[/name]`, or if it has an argument, or a hyphen or
    underscore; `unknown` is called with the name of an unknown one, which becomes a comment unless it is a word in a
    line. The text within it is content. Nothing in code is touched but known shortcodes of code, which hold it.
    `[[name]]` becomes the text `[name]`.
    """
    return _Replacing(known, convert, unknown).text(text, 0)


class _Replacing:
    def __init__(self, known: Callable[[str], bool], convert: ConvertShortcode, unknown: OnUnknown) -> None:
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
            if match["lone"]:
                parts.append(self._lone_end(match))
                position = match.end()
                continue
            if match[1] and match[5]:
                parts.append(match[0][1:-1])
                position = match.end()
                continue
            replacement, position = self._replace(text, match, last_ends, depth)
            parts.append(replacement)
        return "".join((*parts, text[position:]))

    def _lone_end(self, match: re.Match[str]) -> str:
        """Return what becomes of `[/name]` without its beginning: a comment, if its name can only be a shortcode."""
        name = match["lone"]
        is_shortcode = self._known(name.lower()) and language_of(name.lower()) is None
        if not is_shortcode and not _is_compound(name):
            return match[0]
        self._unknown(name.lower(), False)
        return comment(match[0])

    def _replace(self, text: str, match: re.Match[str], last_ends: Mapping[str, int], depth: int) -> tuple[str, int]:
        """Return the replacement of the shortcode at a match, and the position after it."""
        before, name, end = match[1], match[2].lower(), match.end() - len(match[5])
        is_closed = not match[4] and last_ends.get(name, -1) >= end
        closing = _closing(text, match[2], end) if is_closed else None
        is_known = self._known(name)
        if not is_known and closing is None and not _looks_meant(match):
            return text[match.start() : end], end
        inner = text[end : closing[0]] if closing else None
        stop = closing[1] if closing else end
        opening = text[match.start() + len(before) : end]
        ending = text[closing[0] : closing[1]] if closing else ""
        attrs = read_attrs(match[3])
        is_code = language_of(name) is not None
        if not is_known and inner is not None and looks_like_code(inner, attrs):
            name, is_known, is_code = "code", True, True
        if inner is not None and not is_code:
            inner = self.text(inner, depth + 1)
        replacement = self._convert(Shortcode(name, attrs, inner, opening, ending)) if is_known else None
        if replacement is not None:
            return before + replacement, stop
        if closing is None and not _looks_meant(match):
            return text[match.start() : end], end
        is_text = closing is None and not _HAS_VALUE.search(match[3]) and not _is_alone(text, match.start(), end)
        self._unknown(name, is_text)
        return before + opening if is_text else before + as_comments(opening, inner, ending), stop


def as_comments(opening: str, inner: str | None, ending: str) -> str:
    """Return a tag as comments around the text within it."""
    if inner is None:
        return comment(opening)
    if "\n" not in inner:
        return f"{inner}{comment(f'{opening}…{ending}')}"
    return f"\n\n{comment(opening)}\n\n{inner.strip()}\n\n{comment(ending)}\n\n"


def looks_like_code(inner: str, attrs: Mapping[str, str]) -> bool:
    """Return whether the text within an unknown shortcode is code: it has a language, or lines that are indented."""
    if "\n" not in inner.strip() or _BLOCK_TAG.search(inner):
        return False
    return "lang" in attrs or "language" in attrs or bool(_INDENTED.search(inner))


def _looks_meant(match: re.Match[str]) -> bool:
    """Return whether an unclosed unknown name was meant as a shortcode: it has values, or `-` or `_` in it."""
    has_values = _HAS_VALUE.search(match[3]) or _HAS_PLAIN_VALUES.fullmatch(match[3])
    return bool(has_values) or _is_compound(match[2])


def _is_compound(name: str) -> bool:
    """Return whether a name has a hyphen or underscore, as words of a text in brackets seldom have."""
    return ("_" in name or "-" in name) and name.islower()


def _is_alone(text: str, start: int, end: int) -> bool:
    """Return whether nothing but tags like `[a_row]` stands beside a tag; within a line, `[a-z]` may be meant."""
    return bool(_LINE_BEGINS.search(text, max(0, start - 100), start) and _LINE_ENDS.match(text, end))


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
    attributes: dict[str, str] = {}
    for match in _ATTR.finditer(text):
        if match[1]:
            value = next((group for group in match.groups()[1:5] if group is not None), "")
            attributes[match[1].lower()] = unescape(value)
        else:
            attributes[str(sum(key.isdigit() for key in attributes))] = unescape(match[6] or match[7] or "")
    return attributes


def language_of(name: str) -> str | None:
    """Return the language of a shortcode of code: "" for any language, None if the shortcode is not one of code."""
    if name in CODE:
        return ""
    if match := _CODE_COLORER.fullmatch(name):
        return match[1] or ""
    return name if name in _LANGUAGES else None
