"""The directives, marks and formulas of a site: what is built in and what its plug-ins add, for the parser."""

import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sitecms.content.text.markdown.problems import REPORT_PROBLEM, report_problem
from sitecms.errors import ConfigurationError, PluginFailed
from sitecms.plugins.site_plugins import DIRECTIVES, FORMULA, MARKS, SitePlugins
from sitecms.plugins.values import InlineMark

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline

ADDITIONS = "additions"
"""Key of the environment for the additions."""
_MARK = "plugin_mark"
_MAX_SHOWN = 40
_SIGNS = frozenset("!#$%&*+-:<=>@[\\]^_`{}~")
"""Characters at which the parser looks for marks."""


class Mark(Struct, frozen=True):
    """A mark of a plug-in, its pattern compiled."""

    sign: str
    pattern: re.Pattern[str]
    render: Callable[[re.Match[str]], str]


class Additions(Struct, frozen=True):
    """Functions that write directives (`directives.Directive`) by name, and the marks and formulas of plug-ins."""

    directives: Mapping[str, Callable[[Any], None]]
    marks: tuple[Mark, ...] = ()
    plugins: SitePlugins = SitePlugins()

    def mathml(self, latex: str, *, is_block: bool, macros: Mapping[str, str]) -> str | None:
        """Return the MathML that a plug-in makes of a formula, or None. Raises ValueError as the hook, PluginFailed."""
        try:
            results = self.plugins.results(FORMULA, latex=latex, is_block=is_block, macros=macros)
            return next((str(html) for _plugin, html in results), None)
        except PluginFailed as error:
            if isinstance(error.__cause__, ValueError):
                raise ValueError(str(error.__cause__)) from error
            raise

    def marks_in(self, text: str) -> bool:
        """Return whether a text may have one of the marks."""
        return any(mark.sign in text for mark in self.marks)


@lru_cache(8)
def additions_of(plugins: SitePlugins) -> Additions:
    """Return the directives and marks of a site. Raises ConfigurationError for a mark without a sign, PluginFailed."""
    marks = []
    for plugin, results in plugins.results(MARKS):
        for mark, pattern in plugins.guarded(plugin, MARKS, _read_marks)(results):
            if mark.sign[:1] not in _SIGNS:
                signs = " ".join(sorted(_SIGNS))
                raise ConfigurationError(
                    f'The plug-in {plugin.name}: the mark "{mark.sign}" does not begin with one of {signs}'
                )
            render = plugins.guarded(plugin, f"mark {mark.sign}", mark.render)
            marks.append(Mark(mark.sign, pattern, render))
    return Additions(plugins.named(DIRECTIVES, "directive"), tuple(marks), plugins)


def _read_marks(marks: Iterable[InlineMark]) -> list[tuple[InlineMark, re.Pattern[str]]]:
    return [(mark, re.compile(mark.pattern)) for mark in marks]


def use_marks(parser: "MarkdownIt") -> None:
    """Find the marks of plug-ins, and write their HTML once the lines of the text are known."""
    parser.inline.ruler.after("escape", _MARK, _find_mark)
    parser.core.ruler.after("inline", _MARK, _write_marks)


def _find_mark(state: "StateInline", silent: bool) -> bool:
    for mark in state.env[ADDITIONS].marks:
        if not state.src.startswith(mark.sign, state.pos):
            continue
        match = mark.pattern.match(state.src, state.pos, state.posMax)
        if match is not None and match.end() > state.pos:
            if not silent:
                state.push(_MARK, "", 0).meta = {"render": mark.render, "match": match}
            state.pos = match.end()
            return True
    return False


def _write_marks(state: "StateCore") -> None:
    for block in state.tokens:
        for token in block.children or ():
            if token.type != _MARK:
                continue
            match = token.meta["match"]
            token.type, token.content = "html_inline", ""
            try:
                token.content = str(token.meta["render"](match))
            except PluginFailed as error:
                line = (block.map or [0])[0] + match.string.count("\n", 0, match.start())
                report_failure(state.env, line, f'has "{match[0][:_MAX_SHOWN]}"', error)


def report_failure(env: MutableMapping[str, Any], line: int, place: str, error: PluginFailed) -> None:
    """Report the error of a plug-in at a line counted from 0; raise it where nobody takes reports."""
    if REPORT_PROBLEM not in env:
        raise error
    report_problem(env, line, f"{place}, and {error}", "correct the plug-in, or the text")
