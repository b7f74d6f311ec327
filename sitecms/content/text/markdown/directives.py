"""Directives: blocks between `::: name {key="value"}` and `:::`, which may stand in each other.

`media_directives` has those for media. An unknown name is a warning, and the text stays as it is written.
"""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from msgspec import Struct

from sitecms.content.text.markdown import callouts, media_directives
from sitecms.content.text.markdown.additions import ADDITIONS, report_failure
from sitecms.content.text.markdown.attributes import ARGUMENTS, read_attributes
from sitecms.content.text.markdown.directive_source import note_source
from sitecms.content.text.markdown.problems import report_problem
from sitecms.content.text.markdown.words import LANGUAGE
from sitecms.errors import PluginFailed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock

_LINE = re.compile(r":{3,}[ \t]*(?:([A-Za-z][\w-]*)(.*?))?[ \t]*\Z")
_FENCE = re.compile(r"(`{3,}|~{3,})")
_ENDS = "directive_ends"
_MAX_REPORTED = 40
_OWN_NAMES = frozenset({*callouts.KINDS, *callouts.ALIASES, "details", "tabs", "tab", *media_directives.WRITERS})


class Directive(Struct, frozen=True):
    """A directive in a text: name, title behind it, arguments in braces; its first and last line, counted from 0.

    `state` is the parser's. A function of a plug-in writes by the methods.
    """

    name: str
    title: str
    arguments: Mapping[str, str]
    line: int
    end_line: int
    state: "StateBlock"

    @property
    def text(self) -> str:
        """The lines within the directive, as they are written."""
        return self.state.getLines(self.line + 1, self.end_line, self.state.blkIndent, False)

    def write_html(self, html: str) -> None:
        """Write HTML, which is sanitised with the text around it."""
        token = self.state.push("html_block", "", 0)
        token.content, token.map = f"{html}\n", [self.line, self.end_line + 1]

    def write_content(self) -> None:
        """Write the lines within the directive, rendered as Markdown."""
        state = self.state
        outer = state.lineMax, state.parentType
        state.lineMax, state.parentType = self.end_line, "directive"
        state.md.block.tokenize(state, self.line + 1, self.end_line)
        state.lineMax, state.parentType = outer

    def report(self, problem: str, remedy: str = "", *, line: int | None = None) -> None:
        """Report an error: `has no rows` and what to do; `line` is one within the directive, counted from 0."""
        place = self.line if line is None else self.line + 1 + line
        report_problem(self.state.env, place, f'has a directive "{self.name}" that {problem}', remedy)


WriteDirective = Callable[[Directive], None]


def use_directives(parser: "MarkdownIt") -> None:
    """Add directives."""
    parser.block.ruler.before(
        "fence", "directive", _directive, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def _directive(state: "StateBlock", start_line: int, end_line: int, silent: bool) -> bool:
    start = state.bMarks[start_line] + state.tShift[start_line]
    if not state.src.startswith(":::", start) or state.is_code_block(start_line):
        return False
    match = _LINE.match(state.src[start : state.eMarks[start_line]])
    if match is None or not match[1]:
        return False
    name = match[1].lower()
    write = _writer(state, name)
    if write is None:
        return _report_unknown(state, start_line, name, silent)
    end = _end_of(state, start_line, end_line)
    if end < 0:
        if not silent:
            report_problem(state.env, start_line, f'has a directive "{name}" without an end', "add a line :::")
        return False
    if silent:
        return True
    braces = ARGUMENTS.search(match[2])
    if not braces and match[2].rstrip().endswith("}") and "{" in match[2]:
        report_problem(state.env, start_line, "has arguments that cannot be read", 'write {key="value" other="value"}')
    title = match[2][: braces.start()] if braces else match[2]
    arguments = read_attributes(braces[1]) if braces else {}
    directive, first = Directive(name, title.strip(), arguments, start_line, end, state), len(state.tokens)
    try:
        write(directive)
    except PluginFailed as error:
        report_failure(state.env, start_line, f'has a directive "{name}"', error)
    if name not in _OWN_NAMES:
        note_source(state.tokens[first:], f"{name}{match[2]}".rstrip(), directive.text)
    state.line = end + 1
    return True


def _report_unknown(state: "StateBlock", line: int, name: str, silent: bool) -> bool:
    if not silent:
        names = state.env[ADDITIONS].directives
        meant = get_close_matches(name[:_MAX_REPORTED], names, 1)
        remedy = f'did you mean "{meant[0]}"?' if meant else f"directives are {', '.join(names)}"
        report_problem(state.env, line, f'has an unknown directive "{name[:_MAX_REPORTED]}"', remedy, is_error=False)
    return False


def _end_of(state: "StateBlock", start_line: int, end_line: int) -> int:
    """Return the line that ends the directive, -1 for none; each line is read once for all directives around it."""
    ends: dict[int, int] = state.env.setdefault(_ENDS, {})
    if start_line not in ends:
        _find_ends(state, start_line, end_line, ends)
    return ends[start_line]


def _find_ends(state: "StateBlock", start_line: int, end_line: int, ends: dict[int, int]) -> None:
    ends[start_line] = -1
    opened, fence = [start_line], ""
    for line in range(start_line + 1, end_line):
        start = state.bMarks[line] + state.tShift[line]
        sign = state.src[start : start + 1]
        if sign not in (":", "`", "~"):
            if start < state.eMarks[line] and state.sCount[line] < state.blkIndent:
                return
            continue
        text = state.src[start : state.eMarks[line]]
        if fence:
            fence = "" if text.startswith(fence) and not text.strip(fence[0] + " \t") else fence
        elif match := _FENCE.match(text):
            fence = match[1] if "`" not in text[len(match[1]) :] else ""
        elif match := _LINE.match(text):
            if not match[1]:
                ends[opened.pop()] = line
            elif _writer(state, match[1].lower()):
                ends[line] = -1
                opened.append(line)
            if not opened:
                return


def _container(directive: Directive, tag: str, classes: str, heading: tuple[str, str]) -> None:
    """Write an element with a heading (tag and text) and the content of the directive."""
    state = directive.state
    opening = state.push("directive_open", tag, 1)
    opening.block, opening.map = True, [directive.line, directive.end_line + 1]
    if classes:
        opening.attrSet("class", classes)
    if heading[1]:
        state.push("directive_heading_open", heading[0], 1).block = True
        if heading[0] != "summary":
            state.tokens[-1].attrSet("class", f"{classes.split()[0]}-title")
        inline = state.push("inline", "", 0)
        inline.content, inline.map, inline.children = heading[1], [directive.line, directive.line + 1], []
        state.push("directive_heading_close", heading[0], -1).block = True
    directive.write_content()
    state.push("directive_close", tag, -1).block = True
    if "open" in directive.arguments and tag == "details":
        opening.attrSet("open", "")


def _callout(directive: Directive) -> None:
    kind = callouts.kind_of(directive.name)
    title = directive.title or callouts.title_of(kind, directive.state.env.get(LANGUAGE, "en"))
    _container(directive, "aside", callouts.class_of(kind), ("p", title))


def _details(directive: Directive) -> None:
    if not directive.title:
        report_problem(
            directive.state.env, directive.line, "has details without a summary", "write ::: details The summary"
        )
    _container(directive, "details", "", ("summary", directive.title))


def _tabs(directive: Directive) -> None:
    _container(directive, "div", "tabs", ("p", ""))


def _tab(directive: Directive) -> None:
    if not directive.title:
        report_problem(directive.state.env, directive.line, "has a tab without a title", "write ::: tab The title")
    _container(directive, "section", "tab", ("p", directive.title))


def _media(write: media_directives.WriteMedia) -> WriteDirective:
    def written(directive: Directive) -> None:
        place = media_directives.Position(directive.name, directive.line, directive.end_line)
        write(directive.state, place, directive.arguments, directive.write_content)

    return written


def markdown_directives() -> Mapping[str, WriteDirective]:
    """Return the built-in directives."""
    return {
        **dict.fromkeys((*callouts.KINDS, *callouts.ALIASES), _callout),
        "details": _details,
        "tabs": _tabs,
        "tab": _tab,
        **{name: _media(write) for name, write in media_directives.WRITERS.items()},
    }


def _writer(state: "StateBlock", name: str) -> WriteDirective | None:
    writers: Mapping[str, WriteDirective] = state.env[ADDITIONS].directives
    return writers.get(name)
