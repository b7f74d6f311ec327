"""Callouts: notes, tips and warnings, written as `> [!NOTE]` or `::: note`.

Each has a title, in the language of the text unless the author gives one.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sitecms.content.text.markdown.words import CALLOUT_TITLES, LANGUAGE, words_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

KINDS = ("note", "tip", "important", "warning", "caution")
ALIASES: Mapping[str, str] = {"info": "note", "hint": "tip", "danger": "caution"}
_MARKER = re.compile(r"\[!([A-Za-z]+)\](?:[ \t]+(.*?))?[ \t]*(?:\n|\Z)")


def kind_of(name: str) -> str:
    """Return the kind of callout with this name, in any case; "" for another name."""
    small = name.lower()
    return small if small in KINDS else ALIASES.get(small, "")


def title_of(kind: str, language: str) -> str:
    """Return the title of a kind of callout in the language of the tag, else in English."""
    return words_of(CALLOUT_TITLES, language)[KINDS.index(kind)]


def use_callouts(parser: "MarkdownIt") -> None:
    """Turn quotations that begin with `[!NOTE]` into callouts."""
    parser.core.ruler.after("block", "callouts", _replace_quotations)


def title_tokens(title: str, at: "Token") -> "list[Token]":
    """Return the paragraph with the title, one level below this token; the title may contain inline Markdown."""
    from markdown_it.token import Token

    level = at.level + 1
    attrs: dict[str, str | int | float] = {"class": "callout-title"}
    opening = Token("paragraph_open", "p", 1, attrs=attrs, map=at.map, level=level, block=True)
    inline = Token("inline", "", 0, content=title, children=[], map=at.map, level=level + 1, block=True)
    return [opening, inline, Token("paragraph_close", "p", -1, level=level, block=True)]


def class_of(kind: str) -> str:
    """Return the classes of a callout."""
    return f"callout callout-{kind}"


def _replace_quotations(state: "StateCore") -> None:
    tokens: list[Token] = []
    closing_levels: list[int] = []
    skipped, is_any = 0, False
    for place, token in enumerate(state.tokens):
        if skipped:
            skipped -= 1
            continue
        tokens.append(token)
        if token.type == "blockquote_open" and (found := _marker(state.tokens[place + 1 : place + 3])):
            kind, match = found
            is_any = True
            token.tag = "aside"
            token.attrSet("class", class_of(kind))
            tokens += title_tokens(match[2] or title_of(kind, state.env.get(LANGUAGE, "en")), token)
            closing_levels.append(token.level)
            inline = state.tokens[place + 2]
            inline.content = inline.content[match.end() :]
            skipped = 0 if inline.content else 3
        elif token.type == "blockquote_close" and closing_levels[-1:] == [token.level]:
            token.tag = "aside"
            closing_levels.pop()
    if is_any:
        state.tokens = tokens


def _marker(following: "Sequence[Token]") -> "tuple[str, re.Match[str]] | None":
    if len(following) < 2 or following[0].type != "paragraph_open":
        return None
    match = _MARKER.match(following[1].content)
    kind = kind_of(match[1]) if match else ""
    return (kind, match) if match and kind else None
