"""Shortcodes of the owner: `{{< name key="value" >}}`, alone or around a text that ends with `{{< /name >}}`.

The parser finds them in Markdown, `render_in_html` in HTML; a function of the caller renders them. Code keeps them as
they are written, and so does `{{</* name */>}}`, which shows `{{< name >}}`.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from sitecms.content.text.markdown.abbreviations import ABBREVIATIONS
from sitecms.content.text.markdown.formulas import MACROS, STRICT_MATH
from sitecms.content.text.markdown.problems import LINE_OFFSET, REPORT_PROBLEM, Problem, ReportProblem, report_problem
from sitecms.content.text.markdown.words import LANGUAGE

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

SIGN = "{{<"
RENDER = "render_shortcode"
"""Key of the environment for the function that renders a shortcode."""
_DEPTH = "shortcode_depth"
_MAX_DEPTH = 20
_CLOSING_LINES, _CLOSING_TAGS = "shortcode_lines", "shortcode_tags"
"""Keys for the ends of shortcodes that were found: each line and each tag is read once for all that may end there."""
_SHARED = (LANGUAGE, REPORT_PROBLEM, RENDER, ABBREVIATIONS, MACROS, STRICT_MATH)
"""Values of the environment that a text within a shortcode shares with the text around it."""
_VALUE = r"\"(?:[^\"\\]|\\.)*\"|`[^`]*`|[^\s\"'`=<>]+"
_TAG = re.compile(rf"\{{\{{<\s*(/?)\s*([A-Za-z][\w/-]*)((?:\s+(?:[\w-]+\s*=\s*)?(?:{_VALUE}))*)\s*/?\s*>\}}\}}")
_SHOWN = re.compile(r"\{\{</\*((?:(?!\{\{</\*).)*?)\*/>\}\}", re.DOTALL)
_ARGUMENT = re.compile(rf"(?:([\w-]+)\s*=\s*)?({_VALUE})")
_ESCAPE = re.compile(r"\\(.)")
_COMMENT = "!--"
_OPENING = re.compile(rf"<(pre|code|script|style|textarea|{_COMMENT})(?![a-z])", re.IGNORECASE)
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")


class ShortcodeCall(Struct, frozen=True):
    """A shortcode in a text: name, arguments by name or number, and the HTML of the text inside, None for none."""

    name: str
    arguments: Mapping[str | int, str]
    inner: str | None


class ShortcodeProblem(Exception):
    """A shortcode that cannot be rendered; if it `is_warning`, its text stays."""

    def __init__(self, message: str, remedy: str, *, is_warning: bool = False) -> None:
        """Keep the message, the remedy, and whether it is a warning."""
        super().__init__(message)
        self.remedy = remedy
        self.is_warning = is_warning


RenderShortcode: TypeAlias = Callable[[ShortcodeCall], str]
"""Returns HTML. Raises ShortcodeProblem."""


def use_shortcodes(parser: "MarkdownIt") -> None:
    """Find shortcodes, and render them after the rest of the text is parsed."""
    parser.block.ruler.before("fence", "shortcode", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.inline.ruler.before("escape", "shortcode", _inline)
    parser.core.ruler.after("inline", "shortcodes", _render)


def _block(state: "StateBlock", start_line: int, end_line: int, silent: bool) -> bool:
    """Match a shortcode on a line of its own, and the lines up to its end."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if not state.src.startswith(SIGN, start) or state.is_code_block(start_line):
        return False
    match = _TAG.fullmatch(state.src[start : state.eMarks[start_line]].rstrip())
    if match is None or match[1]:
        return False
    if silent:
        return True
    last = _closing_line(state, match[2], start_line, end_line)
    token = state.push("shortcode", "", 0)
    token.map = [start_line, last + 1]
    inner = state.getLines(start_line + 1, last, state.blkIndent, False) if last > start_line else None
    token.meta = {"match": match, "inner": inner, "inner_line": start_line + 1, "is_block": True}
    token.content = state.getLines(start_line, last + 1, state.blkIndent, False)
    state.line = last + 1
    return True


def _closing_line(state: "StateBlock", name: str, start_line: int, end_line: int) -> int:
    """Return the line that ends the shortcode; its own where no line does."""
    ends: dict[int, int] = state.env.setdefault(_CLOSING_LINES, {})
    if start_line not in ends:
        _find_closing_lines(state, name, start_line, end_line, ends)
    return ends[start_line]


def _find_closing_lines(state: "StateBlock", name: str, start_line: int, end_line: int, ends: dict[int, int]) -> None:
    """Find the end of the shortcode, and of those up to there; without an end, up to the end of the lines."""
    ends[start_line], opened, fence = start_line, {name: [start_line]}, ""
    for line in range(start_line + 1, end_line):
        start = state.bMarks[line] + state.tShift[line]
        text = state.src[start : state.eMarks[line]]
        if text and state.sCount[line] < state.blkIndent:
            return
        if fence:
            fence = "" if text.startswith(fence) and not text.strip(fence[0] + " \t") else fence
        elif fenced := _FENCE.match(text):
            fence = fenced[1] if fenced[1][0] == "~" or "`" not in text[fenced.end() :] else ""
        elif match := _TAG.fullmatch(text.rstrip()):
            if not match[1]:
                ends[line] = line
                opened.setdefault(match[2], []).append(line)
            elif match[2] in opened:
                ends[opened[match[2]].pop()] = line
                if not opened[match[2]]:
                    del opened[match[2]]
                if not opened:
                    return


def _inline(state: "StateInline", silent: bool) -> bool:
    start = state.pos
    if not state.src.startswith("{{", start):
        return False
    if shown := _SHOWN.match(state.src, start, state.posMax):
        if not silent:
            state.push("text", "", 0).content = SIGN + shown[1] + ">}}"
        state.pos = shown.end()
        return True
    match = _TAG.match(state.src, start, state.posMax)
    if match is None or match[1]:
        return False
    closing = _closing_tag(state, match)
    end = closing.end() if closing else match.end()
    if not silent:
        token = state.push("shortcode", "", 0)
        inner = state.src[match.end() : closing.start()] if closing else None
        lines = state.src.count("\n", 0, start)
        token.meta = {"match": match, "inner": inner, "inner_line": lines, "is_block": False}
        token.content = state.src[start:end]
    state.pos = end
    return True


def _closing_tag(state: "StateInline", opening: re.Match[str]) -> re.Match[str] | None:
    """Return the tag that ends the shortcode, None where no tag does."""
    found = state.env.get(_CLOSING_TAGS)
    if found is None or found[0] is not state.src:
        found = state.env[_CLOSING_TAGS] = (state.src, {})
    tags: dict[tuple[int, int], re.Match[str] | None] = found[1]
    if (state.posMax, opening.start()) not in tags:
        _find_closing_tags(state, opening, tags)
    return tags[state.posMax, opening.start()]


def _find_closing_tags(
    state: "StateInline", opening: re.Match[str], tags: dict[tuple[int, int], re.Match[str] | None]
) -> None:
    """Find the end of the shortcode, and of those up to there; without an end, up to the end of the text."""
    tags[state.posMax, opening.start()] = None
    opened = {opening[2]: [opening.start()]}
    for match in _TAG.finditer(state.src, opening.end(), state.posMax):
        if not match[1]:
            tags[state.posMax, match.start()] = None
            opened.setdefault(match[2], []).append(match.start())
        elif match[2] in opened:
            tags[state.posMax, opened[match[2]].pop()] = match
            if not opened[match[2]]:
                del opened[match[2]]
            if not opened:
                return


def _render(state: "StateCore") -> None:
    for token in state.tokens:
        first = token.map[0] if token.map else 0
        for each in (token, *(token.children or ())):
            if each.type == "shortcode":
                _render_one(state, each, first)


def _render_one(state: "StateCore", token: "Token", first_line: int) -> None:
    """Put the HTML of the shortcode in the token; its text remains where it cannot be rendered."""
    meta, env = token.meta, state.env
    line = first_line if meta["is_block"] else first_line + meta["inner_line"]
    inner_line = meta["inner_line"] if meta["is_block"] else line
    try:
        call = ShortcodeCall(meta["match"][2], _read_arguments(meta["match"][3]), _inner(state, meta, inner_line))
        token.content = env[RENDER](call) + ("\n" if meta["is_block"] else "")
        token.type = "html_block" if meta["is_block"] else "html_inline"
    except ShortcodeProblem as problem:
        report_problem(env, line, str(problem), problem.remedy, is_error=not problem.is_warning)
        token.type = "html_block" if meta["is_block"] else "text"
        token.content = f"<p>{escape(token.content)}</p>\n" if meta["is_block"] else token.content


def _inner(state: "StateCore", meta: Mapping[str, Any], line: int) -> str | None:
    """Return the HTML of the text inside, None for none."""
    if meta["inner"] is None:
        return None
    depth = state.env.get(_DEPTH, 0) + 1
    if depth > _MAX_DEPTH:
        raise ShortcodeProblem(f"has shortcodes in more than {_MAX_DEPTH} levels", "close them with {{< /name >}}")
    offset = state.env.get(LINE_OFFSET, 0) + line
    env = {name: state.env[name] for name in _SHARED if name in state.env}
    env |= {_DEPTH: depth, LINE_OFFSET: offset, "docId": f"{state.env.get('docId', '')}s{offset}-"}
    render = state.md.render if meta["is_block"] else state.md.renderInline
    return str(render(meta["inner"], env))


def _read_arguments(text: str) -> dict[str | int, str]:
    """Return the arguments of a tag by name, and those without a name by number from 0."""
    found: dict[str | int, str] = {}
    for number, (name, value) in enumerate(_ARGUMENT.findall(text)):
        plain = _ESCAPE.sub(r"\1", value[1:-1]) if value[0] == '"' else value.strip("`")
        found[name or number] = plain
    return found


def render_in_html(html: str, render: RenderShortcode, report: ReportProblem) -> str:
    """Return the HTML with its shortcodes rendered; one that cannot be rendered is reported, and stays as text."""
    return _HtmlText(html, render, report).rendered() if SIGN in html or "{{</*" in html else html


class _PairedTag(Struct, frozen=True):
    """A tag of a shortcode in HTML; `end` is the number of the tag that ends it, None for none."""

    match: re.Match[str]
    end: int | None = None


class _HtmlText:
    """One HTML text; each tag is read once, and so is its end."""

    def __init__(self, html: str, render: RenderShortcode, report: ReportProblem) -> None:
        self._html = html
        self._render = render
        self._report = report
        self._tags = _with_ends(_outside(_TAG.finditer(html), list(_literal_spans(html))))

    def rendered(self) -> str:
        return self._part(0, len(self._tags), 0, len(self._html))

    def _part(self, first: int, last: int, start: int, end: int) -> str:
        """Return the text from `start` to `end`, in which the tags from `first` to `last` stand."""
        parts, number = [], first
        while number < last:
            tag = self._tags[number]
            closing = number if tag.end is None or tag.end >= last else tag.end  # an end outside this part is none
            parts.append(self._plain(start, tag.match.start()))
            parts.append(self._shortcode(number, closing))
            start, number = self._tags[closing].match.end(), closing + 1
        return "".join([*parts, self._plain(start, end)])

    def _shortcode(self, number: int, closing: int) -> str:
        tag, end = self._tags[number], self._tags[closing]
        if tag.match[1]:
            return escape(tag.match[0])  # an end without a beginning
        inner = None
        if closing > number:
            inner = self._part(number + 1, closing, tag.match.end(), end.match.start())
        try:
            return self._render(ShortcodeCall(tag.match[2], _read_arguments(tag.match[3]), inner))
        except ShortcodeProblem as problem:
            line = self._html.count("\n", 0, tag.match.start()) + 1
            self._report(Problem(line, str(problem), problem.remedy, not problem.is_warning))
            return escape(self._html[tag.match.start() : end.match.end()])

    def _plain(self, start: int, end: int) -> str:
        return _SHOWN.sub(lambda shown: escape(f"{SIGN}{shown[1]}>}}}}"), self._html[start:end])


def _literal_spans(html: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each element and comment in which shortcodes stay as they are written."""
    lower, stop, endless = html.lower(), 0, set[str]()
    for opening in _OPENING.finditer(html):
        name = opening[1].lower()
        if opening.start() < stop or name in endless:
            continue
        stop = lower.find("-->" if name == _COMMENT else f"</{name}", opening.end())
        if stop < 0:
            endless.add(name)
        else:
            yield opening.start(), stop


def _outside(matches: Iterable[re.Match[str]], kept: Sequence[tuple[int, int]]) -> list[re.Match[str]]:
    """Return the matches that begin in none of the spans, which are in order."""
    starts = [start for start, _end in kept]
    places = ((match, bisect_right(starts, match.start()) - 1) for match in matches)
    return [match for match, number in places if number < 0 or match.start() >= kept[number][1]]


def _with_ends(matches: Sequence[re.Match[str]]) -> list[_PairedTag]:
    """Return the tags with their ends."""
    ends: dict[int, int] = {}
    opened: dict[str, list[int]] = {}
    for number, match in enumerate(matches):
        if not match[1]:
            opened.setdefault(match[2], []).append(number)
        elif opened.get(match[2]):
            ends[opened[match[2]].pop()] = number
    return [_PairedTag(match, ends.get(number)) for number, match in enumerate(matches)]
