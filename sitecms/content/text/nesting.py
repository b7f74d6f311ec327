"""Proper nesting of HTML in one linear pass, which saves the sanitiser quadratic time.

The parser behind nh3 follows the HTML standard, in which deep nesting, misnested formatting elements and content
misplaced in tables each cost quadratic time. `well_nested` hands it tags that are allowed, balanced, in place and
at most MAX_DEPTH deep. It decides nothing about safety: nh3 parses and cleans what it returns.
"""

import re
from collections import defaultdict
from enum import Enum

from msgspec import Struct, field

from sitecms.content.text.allowed_html import (
    BLOCKS,
    CONTENT_DROPPED,
    HEADINGS,
    MATH,
    MATH_TAGS,
    TABLE_CELLS,
    TABLE_PARTS,
    TABLE_SECTIONS,
    TAGS,
    VOID,
)
from sitecms.content.text.inline_styles import with_classes

MAX_DEPTH = 256
MAX_ATTRIBUTES = 50
_TABLE_LEVELS = 4  # table, section, row, cell
_LONG_TAG = 1_000
_LONG_TEXT = 4_096
_S = r" \t\n\f\r"
_ATTRIBUTE = (
    rf"[^{_S}/>][^{_S}/>=]*+"
    rf"""(?:[{_S}]*+=[{_S}]*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^{_S}>"'][^{_S}>]*+)?)?"""
)
# Groups: slash, name, attributes, closing ">" ("" at the end of the text), stray "<" or "</"; none in a comment.
# The states are those of the tokenizer in the HTML standard, so that both see the same tags.
TOKEN = re.compile(
    rf"<(?:(/?)([a-zA-Z][^{_S}/>]*+)((?:[{_S}/]++|{_ATTRIBUTE})*+)(>?)"
    r"|!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>|\Z))"
    r"|[!?][^>]*+>?|/(?:>|[^a-zA-Z>][^>]*+>?)"
    r"|(<*(?![a-zA-Z/!?])|/\Z))"
)
ATTRIBUTES = re.compile(_ATTRIBUTE)
_ESCAPED = re.compile("[&\xa0]")
_CONTENT_END = {name: re.compile(rf"</{name}(?=[{_S}/>])", re.I) for name in (*CONTENT_DROPPED, "iframe")}
_CHECK_BOX = re.compile(rf"(?=.*\btype[{_S}]*=[{_S}]*[\"']?checkbox\b)(?=.*\bdisabled\b)", re.I | re.S)
_SELF_CLOSED = re.compile(rf"/[{_S}]*\Z")
_ROW_CONTEXT = TABLE_SECTIONS | {"table", "tr", "colgroup"}
_CLOSES_PARAGRAPH = BLOCKS | {"table"}
_LIST_BARRIERS = (BLOCKS | TABLE_PARTS) - VOID - {"address", "div", "p"}
_CELL_BARRIERS = TABLE_CELLS | {"table"}
_SAME_LIST = {"li": frozenset({"li"}), "dt": frozenset({"dt", "dd"}), "dd": frozenset({"dt", "dd"})}
_RUBY_TEXT = frozenset({"rt", "rp"})
_ROW_PATH = (("tbody", TABLE_SECTIONS), ("tr", frozenset({"tr"})))
_PATHS = {
    **dict.fromkeys(("caption", "colgroup", *TABLE_SECTIONS), ()),
    "col": (("colgroup", frozenset({"colgroup"})),),
    "tr": _ROW_PATH[:1],
    "td": _ROW_PATH,
    "th": _ROW_PATH,
}


class Removal(Enum):
    """The reason why markup was removed."""

    NOT_ALLOWED = "not allowed"
    WITH_CONTENT = "not allowed, nor is its content"
    MISPLACED = "misplaced or too deep"
    INCOMPLETE = "without its closing >"
    TOO_MANY_ATTRIBUTES = "with too many attributes"
    COMMENT = "a comment or declaration"


class NestingLog(Struct):
    """Log of `well_nested`.

    `left_out` has markup that was left out: reason, tag, position in the source. `kept` has matches of TOKEN for the
    start tags with attributes that stay.
    """

    left_out: list[tuple[Removal, str, int]] = field(default_factory=list)
    kept: list[re.Match[str]] = field(default_factory=list)


def well_nested(html: str, log: NestingLog | None = None) -> str:
    """Return the text with allowed tags only, each closed inside its parent, at most MAX_DEPTH deep.

    Tags that are not allowed, too deep, misplaced in a table or closing nothing are left out, their text stays.
    Styles become classes where `inline_styles` has one for them.
    """
    return _Nesting(html, log or NestingLog()).run()


def _reason(key: str, match: re.Match[str]) -> Removal:
    if key in CONTENT_DROPPED:
        return Removal.WITH_CONTENT
    if key not in TAGS or not _is_fit(key, match[3]):
        return Removal.NOT_ALLOWED
    return Removal.MISPLACED if match[4] else Removal.INCOMPLETE


def _is_fit(key: str, attributes: str) -> bool:
    """Return whether a tag may stand anywhere; an `<input>` must be a check box that nobody can change."""
    return key != "input" or _CHECK_BOX.match(attributes[:_LONG_TAG]) is not None


def after_content(html: str, position: int, name: str) -> int:
    """Return the position after the end tag of an element whose content is not markup."""
    end_tag = _CONTENT_END[name].search(html, position)
    if end_tag is None:
        return len(html)
    end = TOKEN.match(html, end_tag.start())
    return end.end() if end else len(html)


class _Nesting:
    """One pass over one text: `_stack` holds the open elements, `_parts` the output up to `_kept_from`."""

    __slots__ = ("_cells", "_html", "_kept_from", "_lists", "_log", "_open", "_parts", "_skipped", "_stack")

    def __init__(self, html: str, log: NestingLog) -> None:
        self._html = html
        self._log = log
        self._parts: list[str] = []
        self._kept_from = 0
        self._stack: list[str] = []
        self._open: dict[str, list[int]] = defaultdict(list)  # name → places in the stack
        self._cells: list[int] = [-1]  # for each place: the innermost table or cell up to it
        self._lists: list[int] = [-1]  # for each place: the innermost element that list items do not pass
        self._skipped: dict[str, int] = defaultdict(int)  # too deep inside the top of the stack, by name

    def run(self) -> str:
        html, position = self._html, 0
        while match := TOKEN.search(html, position):
            if match.start() - position > _LONG_TEXT:
                self._break_up(position, match.start())
            position = self._token(match)
        self._break_up(position, len(html))
        self._close_to(0, len(html))
        self._parts.append(html[self._kept_from :])
        return "".join(self._parts)

    def _token(self, match: re.Match[str]) -> int:
        slash, name, _, end, stray = match.groups()
        if name is None:
            if stray is None:
                self._log.left_out.append((Removal.COMMENT, "", match.start()))
            self._replace(*match.span(), match[0].replace("<", "&lt;") if stray is not None else "")
            return match.end()
        key = name if name in TAGS else name.lower() if name.isascii() else ""
        if not slash:
            return self._start(key, match)
        if not end or not self._end(key, match.start()):
            self._replace(match.start(), match.end())
        return match.end()

    def _start(self, key: str, match: re.Match[str]) -> int:
        start, end = match.span()
        after = after_content(self._html, end, key) if key in _CONTENT_END else end
        if key not in TAGS or not match[4] or not (_is_fit(key, match[3]) and self._place(key, start)):
            self._log.left_out.append((_reason(key, match), key or match[2], start))
            self._replace(start, after)
            return after
        if attributes := match[3]:
            if end - start > _LONG_TAG and len(ATTRIBUTES.findall(attributes)) > MAX_ATTRIBUTES:
                self._log.left_out.append((Removal.TOO_MANY_ATTRIBUTES, key, start))
                self._replace(start, end, f"<{key}>")  # a parser compares each attribute with all before it
            else:
                self._log.kept.append(match)
                small = attributes.lower()
                if ("style" in small or "align" in small) and (
                    tag := with_classes(key, ATTRIBUTES.findall(attributes))
                ):
                    self._replace(start, end, tag)
        if key == "iframe":
            self._replace(end, after, "</iframe>")
        elif key in MATH_TAGS and _SELF_CLOSED.search(match[3]):
            self._replace(end, end, f"</{key}>")
        elif key not in VOID:
            self._push(key)
        return after

    def _place(self, key: str, at: int) -> bool:
        """Close the elements that the tag closes by implication; return False if it may not stand here."""
        if (key in MATH_TAGS) is not bool(self._open[MATH]):
            return False
        if key in TABLE_PARTS and key != "table":
            return self._place_table_part(key, at)
        if self._stack and self._stack[-1] in _ROW_CONTEXT:
            return False
        if key in _CLOSES_PARAGRAPH:
            self._close_open("p", at)
        if key == "a":
            self._close_open("a", at)
        elif key in _SAME_LIST:
            barrier = self._lists[-1]
            if barrier >= 0 and self._stack[barrier] in _SAME_LIST[key]:
                self._close_to(barrier, at)
        elif self._stack:
            top = self._stack[-1]
            if (key in HEADINGS and top in HEADINGS) or (key in _RUBY_TEXT and top in _RUBY_TEXT):
                self._close_to(len(self._stack) - 1, at)
        return key in VOID or self._has_room(key)

    def _has_room(self, key: str) -> bool:
        if len(self._stack) + (_TABLE_LEVELS if key == "table" else 1) <= MAX_DEPTH:
            return True
        self._skipped[key] += 1
        return False

    def _place_table_part(self, key: str, at: int) -> bool:
        """Make the table part's parent the top of the stack, opening rows and sections that are implied."""
        if self._skipped.get("table"):
            self._skipped[key] += 1
            return False
        if not self._open["table"]:
            return False
        first = keep = self._open["table"][-1] + 1
        path = _PATHS[key]
        for _, accepted in path:
            if keep == len(self._stack) or self._stack[keep] not in accepted:
                break
            keep += 1
        self._close_to(keep, at)
        for implied, _ in path[keep - first :]:
            self._replace(at, at, f"<{implied}>")
            self._push(implied)
        return True

    def _end(self, key: str, at: int) -> bool:
        """Close the element and all inside it; return False if the tag closes nothing."""
        if self._skipped.get(key):
            self._skipped[key] -= 1
            return False
        tables = self._open["table"]
        floor = (tables[-1] if tables else 0) if key in TABLE_PARTS else self._cells[-1]
        place = max((self._innermost(name) for name in (HEADINGS if key in HEADINGS else (key,))), default=-1)
        if place < max(floor, 0):
            return False
        self._close_to(place + 1, at)
        self._pop_to(place)
        return True

    def _innermost(self, name: str) -> int:
        places = self._open.get(name)
        return places[-1] if places else -1

    def _close_open(self, name: str, at: int) -> None:
        place = self._innermost(name)
        if place > self._cells[-1]:
            self._close_to(place, at)

    def _close_to(self, height: int, at: int) -> None:
        if len(self._stack) > height:
            self._replace(at, at, "".join(f"</{name}>" for name in reversed(self._stack[height:])))
            self._pop_to(height)

    def _pop_to(self, height: int) -> None:
        stack = self._stack
        while len(stack) > height:
            self._open[stack.pop()].pop()
            self._cells.pop()
            self._lists.pop()
        self._skipped.clear()

    def _push(self, key: str) -> None:
        place = len(self._stack)
        self._stack.append(key)
        self._open[key].append(place)
        self._cells.append(place if key in _CELL_BARRIERS else self._cells[-1])
        self._lists.append(place if key in _LIST_BARRIERS else self._lists[-1])

    def _replace(self, start: int, end: int, text: str = "") -> None:
        if start > self._kept_from:
            self._parts.append(self._html[self._kept_from : start])
        if text:
            self._parts.append(text)
        self._kept_from = end

    def _break_up(self, start: int, end: int) -> None:
        """Split a long text with comments, which nh3 drops: it escapes each piece in quadratic time."""
        while (start := start + _LONG_TEXT) < end:
            match = _ESCAPED.search(self._html, start, end)
            if match is None:
                return
            start = match.start()
            self._replace(start, start, "<!---->")
