"""Inline marks that CommonMark does not have: `==mark==`, `H~2~O`, `x^2^` and emoji by name, `:tada:`."""

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from sitecms.content.text.slug import is_mark
from sitecms.errors import ConfigurationError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.rules_inline.state_inline import Delimiter

_MARK = "=="
_WORD = re.compile(r"[A-Za-z0-9_]")
_ATTACHED = re.compile(r"[\w)\]}*`'\"”’]")
_SCRIPT = {
    "~": re.compile(r"~(?!~)((?=[^~\s]*[^\W_])(?:[^~\s\\]|\\.)+)~(?!~)"),
    "^": re.compile(r"\^(?!\[)((?=[^^\s]*[^\W_])(?:[^^\s\\]|\\.)+)\^"),
}
_ISOTOPE = re.compile(r"\^[+−-]?\d+[+−-]?\^")
_MAX_LENGTH = 200
_EMOJI_NAME = re.compile(r":[A-Za-z0-9_+’'-]{1,60}:")


def use_mark(parser: "MarkdownIt") -> None:
    """Add `==mark==`, which may contain other marks."""
    parser.inline.ruler.after("strikethrough", "mark", delimit_mark)
    parser.inline.ruler2.after("strikethrough", "mark", _pair)


def use_subscript(parser: "MarkdownIt") -> None:
    """Add `~subscript~` behind a letter, digit or bracket, without white space."""
    parser.inline.ruler.after("strikethrough", "subscript", _subscript)


def use_superscript(parser: "MarkdownIt") -> None:
    """Add `^superscript^` behind a letter, digit or bracket, without white space; and of digits anywhere."""
    parser.inline.ruler.after("strikethrough", "superscript", _superscript)


def delimit_mark(state: "StateInline", silent: bool) -> bool:
    """Note `==` as an opening or closing delimiter; between two letters it is neither, as in `a==b`."""
    from markdown_it.rules_inline.state_inline import Delimiter

    if silent or not state.src.startswith(_MARK, state.pos):
        return False
    run = state.scanDelims(state.pos, True)
    token = state.push("text", "", 0)
    token.content = "=" * run.length
    if run.length == len(_MARK):
        before = state.src[state.pos - 1 : state.pos] if state.pos else ""
        after = state.src[state.pos + run.length : state.pos + run.length + 1]
        opens, closes = run.can_open and not _WORD.match(before), run.can_close and not _WORD.match(after)
        state.delimiters.append(Delimiter(ord("="), 0, len(state.tokens) - 1, -1, opens, closes))
    state.pos += run.length
    return True


def _pair(state: "StateInline") -> None:
    """Turn the paired delimiters into elements."""
    _pair_in(state, state.delimiters)
    for meta in state.tokens_meta:
        if meta and "delimiters" in meta:
            _pair_in(state, meta["delimiters"])


def _pair_in(state: "StateInline", delimiters: "Sequence[Delimiter]") -> None:
    for opening in delimiters:
        if opening.marker == ord("=") and opening.end != -1:
            first, last = state.tokens[opening.token], state.tokens[delimiters[opening.end].token]
            first.type, first.nesting = "mark_open", 1
            last.type, last.nesting = "mark_close", -1
            for token in (first, last):
                token.tag, token.markup, token.content = "mark", _MARK, ""


def _subscript(state: "StateInline", silent: bool) -> bool:
    return _script(state, silent, "~", "sub")


def _superscript(state: "StateInline", silent: bool) -> bool:
    return _script(state, silent, "^", "sup")


def _script(state: "StateInline", silent: bool, sign: str, tag: str) -> bool:
    start = state.pos
    if silent or state.src[start] != sign:
        return False
    match = _SCRIPT[sign].match(state.src, start, min(state.posMax, start + _MAX_LENGTH))
    if match is None or not (_is_attached(state) or (sign == "^" and _ISOTOPE.fullmatch(match[0]))):
        return False
    end = state.posMax
    state.push(f"{tag}_open", tag, 1).markup = sign
    state.pos, state.posMax = match.start(1), match.end(1)
    state.md.inline.tokenize(state)
    state.push(f"{tag}_close", tag, -1).markup = sign
    state.pos, state.posMax = match.end(), end
    return True


def _is_attached(state: "StateInline") -> bool:
    before = state.src[state.pos - 1] if state.pos else " "
    return before != "\\" and (_ATTACHED.match(before) is not None or is_mark(before))


def use_emoji(parser: "MarkdownIt") -> None:
    """Replace names of emoji in text; unknown names stay."""
    parser.core.ruler.push("emoji", _replace_emoji)


@cache
def _emoji(name: str) -> str:
    try:
        import emoji
    except ImportError as error:
        from sitecms.optional_packages import Extra, missing_package

        raise ConfigurationError(missing_package(Extra.EMOJI, "emoji under [markdown]")) from error
    return emoji.emojize(name, language="alias")


def _replace_emoji(state: "StateCore") -> None:
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "text":
                child.content = _EMOJI_NAME.sub(lambda match: _emoji(match[0]), child.content)
