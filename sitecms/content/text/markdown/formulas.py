"""Formulas in LaTeX, `$x^2$` and `$$...$$`, as MathML; what cannot be converted is shown as it is written."""

import re
from collections.abc import Mapping, MutableMapping
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from sitecms.content.text.markdown.additions import ADDITIONS, report_failure
from sitecms.content.text.markdown.problems import line_within, report_problem
from sitecms.errors import ConfigurationError, PluginFailed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline

Macros: TypeAlias = Mapping[str, str]
"""Own commands by name, without the backslash; `#1` to `#9` in a definition stand for arguments."""
MACROS = "math_macros"
"""Key of the environment for the site's Macros."""
STRICT_MATH = "math_strict"
"""Name among the extensions, and key of the environment: a formula that cannot be converted is an error."""
_INLINE = re.compile(r"\$(?!\s)((?:\\.|[^\\$])+?)(?<!\s)\$(?![\w$])", re.DOTALL)
_DISPLAY = re.compile(r"\$\$((?:\\.|[^\\$])+)\$\$(?!\$)", re.DOTALL)
_BLOCK_END = re.compile(r"\$\$[ \t]*\Z")
_NO_END = "formula_without_end"
_ALIGNED = re.compile(r' style="text-align: (left|right);([^"]*)"')
_COLOURED = re.compile(r' style="color:(#[0-9A-Fa-f]{6});"')
_STYLE = re.compile(r' style="[^"]*"')
_EMPTY = re.compile(r"<([a-z]+)((?: [^<>]*)?)/>")
_POSITION = re.compile(r"\A\d+: ")
_MAX_LENGTH = 20_000
_MAX_QUOTED = 60


def use_formulas(parser: "MarkdownIt") -> None:
    """Add formulas between dollar signs."""
    parser.block.ruler.before("fence", "formula", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.inline.ruler.before("escape", "formula", _inline)
    parser.core.ruler.push("formulas", _convert)


@lru_cache(8)
def _converter(macros: tuple[tuple[str, str], ...]) -> Any:
    try:
        from math_core import LatexError, LatexToMathML
    except ImportError as error:
        from sitecms.optional_packages import Extra, missing_package

        raise ConfigurationError(missing_package(Extra.MATH, "math under [markdown]")) from error
    try:
        return LatexToMathML(fancy_error=False, macros=dict(macros))
    except LatexError as error:
        raise ConfigurationError(f"markdown.math_macros in site.toml cannot be read: {error}") from error


def mathml(latex: str, *, is_block: bool, macros: Macros | None = None) -> str:
    """Return the formula as MathML without inline styles. Raises ValueError for one that cannot be converted."""
    converter = _converter(tuple(sorted(macros.items())) if macros else ())
    from math_core import LatexError

    try:
        html: str = converter.convert_with_local_state(latex, displaystyle=is_block)
    except LatexError as error:
        raise ValueError(_POSITION.sub("", " ".join(str(error).split()))) from error
    html = _ALIGNED.sub(lambda found: f' class="math-{found[1]}{" math-apart" * ("1em" in found[2])}"', html)
    html = _STYLE.sub("", _COLOURED.sub(r' mathcolor="\1"', html))
    if is_block:
        html = html.replace("<math", '<math tabindex="0"', 1)  # it may be scrolled where it is too wide
    return _EMPTY.sub(r"<\1\2></\1>", html)


def _inline(state: "StateInline", silent: bool) -> bool:
    start = state.pos
    if state.src[start] != "$":
        return False
    end = min(state.posMax, start + _MAX_LENGTH)
    match = _DISPLAY.match(state.src, start, end)
    is_block = match is not None
    if match is None and not (start and (state.src[start - 1].isalnum() or state.src[start - 1] == "$")):
        match = _INLINE.match(state.src, start, end)
    if match is None:
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        token.content, token.meta = match[1], {"is_block": is_block}
    state.pos = match.end()
    return True


def _block(state: "StateBlock", start_line: int, end_line: int, silent: bool) -> bool:
    start, end = state.bMarks[start_line] + state.tShift[start_line], state.eMarks[start_line]
    if not state.src.startswith("$$", start) or state.is_code_block(start_line):
        return False
    first = state.src[start + 2 : end]
    line = start_line if _BLOCK_END.search(first) and first.strip() != "$$" else -1
    if line < 0 and "$$" not in first:
        line = _end_line(state, start_line, end_line)
    if line < 0:
        return False
    if silent:
        return True
    if line == start_line:
        content = first[: _BLOCK_END.search(first).start()]  # type: ignore[union-attr]
    else:
        rest = state.getLines(start_line + 1, line + 1, state.blkIndent, False)
        content = f"{first}\n{rest[: rest.rindex('$$')]}"
    token = state.push("formula_block", "math", 0)
    token.content, token.meta = content.strip(), {"is_block": True}
    token.map = [start_line, line + 1]
    state.line = line + 1
    return True


def _end_line(state: "StateBlock", start_line: int, end_line: int) -> int:
    """Return the line that ends the formula, -1 for none before an empty line; a line is searched once."""
    if start_line < state.env.get(_NO_END, -1):
        return -1
    for line in range(start_line + 1, end_line):
        if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            break
        if _BLOCK_END.search(state.src[state.bMarks[line] : state.eMarks[line]]):
            return line
        state.env[_NO_END] = line
    return -1


def _convert(state: "StateCore") -> None:
    """Convert each formula; one that cannot be converted is reported, and shown as it is written."""
    if MACROS not in state.env:  # nobody asks for HTML
        return
    macros, additions = state.env[MACROS] or {}, state.env[ADDITIONS]
    for token in state.tokens:
        line = token.map[0] if token.map else 0
        for each in (token, *(token.children or ())):
            if each.type not in ("formula", "formula_block"):
                continue
            latex, end = each.content, "\n" if each.type == "formula_block" else ""
            each.type = "formula_block" if end else "formula"
            own_line, is_block = line + (0 if end else line_within(token, f"${latex}$")), each.meta["is_block"]
            try:
                own = additions.mathml(latex, is_block=is_block, macros=macros)
                each.content = (mathml(latex, is_block=is_block, macros=macros) if own is None else own) + end
            except PluginFailed as error:
                each.content = ""
                report_failure(state.env, own_line, f"has the formula {latex[:_MAX_QUOTED]}", error)
            except ValueError as error:
                _report(state.env, own_line, str(error), latex)
                source = f'<code class="math-source">{escape(latex, quote=False)}</code>'
                each.content = f'<pre tabindex="0">{source}</pre>\n' if end else source


def _report(env: MutableMapping[str, Any], line: int, reason: str, latex: str) -> None:
    what = f"has a formula that cannot be converted: {reason}: {latex[:_MAX_QUOTED]}"
    remedy = "correct it, define the command under [markdown.math_macros], or write \\$ for a dollar sign"
    if not env.get(STRICT_MATH):
        what += ", which is shown as it is written"
    report_problem(env, line, what, remedy, is_error=bool(env.get(STRICT_MATH)))
