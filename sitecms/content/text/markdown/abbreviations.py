"""Abbreviations: after a line `*[HTML]: HyperText Markup Language`, each HTML in the text has this title."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sitecms.content.text.slug import is_mark

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

_DEFINITION = re.compile(r"\*\[((?:[^\]\[\\\n]|\\.){1,80})\]:[ \t]*(\S[^\n]*?)[ \t]*\Z")
_ESCAPE = re.compile(r"\\(.)")
_WORD_START = re.compile(r"(?<!\w)\S")
ABBREVIATIONS = "abbreviations"


def use_abbreviations(parser: "MarkdownIt") -> None:
    """Read definitions of abbreviations, and mark abbreviations in text."""
    parser.block.ruler.before("reference", "abbreviation", _define, {"alt": ["paragraph", "reference"]})
    parser.core.ruler.push("abbreviations", _mark)


def _define(state: "StateBlock", start_line: int, end_line: int, silent: bool) -> bool:  # noqa: ARG001 - the parser's
    start, end = state.bMarks[start_line] + state.tShift[start_line], state.eMarks[start_line]
    if not state.src.startswith("*[", start) or state.is_code_block(start_line):
        return False
    match = _DEFINITION.match(state.src[start:end])
    if match is None:
        return False
    if not silent:
        state.env.setdefault(ABBREVIATIONS, {}).setdefault(_ESCAPE.sub(r"\1", match[1]), match[2])
        state.line = start_line + 1
    return True


def _mark(state: "StateCore") -> None:
    titles: Mapping[str, str] = state.env.get(ABBREVIATIONS, {})
    if not titles:
        return
    lengths = sorted({len(name) for name in titles}, reverse=True)
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = [part for child in token.children for part in _parts(child, titles, lengths)]


def _parts(child: "Token", titles: Mapping[str, str], lengths: list[int]) -> "Iterator[Token]":
    """Yield the token, a text with each abbreviation as an element of its own."""
    from markdown_it.token import Token

    text, done = child.content, 0
    if child.type == "text":
        for start, name in _found(text, titles, lengths):
            if start > done:
                yield Token("text", "", 0, content=text[done:start], level=child.level)
            yield Token("abbr_open", "abbr", 1, attrs={"title": titles[name]}, level=child.level)
            yield Token("text", "", 0, content=name, level=child.level + 1)
            yield Token("abbr_close", "abbr", -1, level=child.level)
            done = start + len(name)
    if done == 0:
        yield child
    elif done < len(text):
        yield Token("text", "", 0, content=text[done:], level=child.level)


def _found(text: str, titles: Mapping[str, str], lengths: list[int]) -> Iterator[tuple[int, str]]:
    """Yield places and names of the abbreviations in a text: whole words, the longest first."""
    position = 0
    while match := _WORD_START.search(text, position):
        start = match.start()
        position = start + 1
        if start and is_mark(text[start - 1]):
            continue
        for length in lengths:
            name = text[start : start + length]
            end = start + length
            if name in titles and (not _is_of_word(name[-1]) or not _is_of_word(text[end : end + 1])):
                yield start, name
                position = end
                break


def _is_of_word(sign: str) -> bool:
    return sign.isalnum() or (sign != "" and is_mark(sign))
