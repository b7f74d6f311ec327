"""Emphasis beside Chinese, Japanese and Korean signs, and line breaks between Chinese or Japanese ones.

CommonMark decides by spaces and punctuation whether `**` begins or ends a strong text, which fails in scripts that put
no spaces around full-width punctuation: `これは**「重要」**です`. The CJK-friendly amendments of CommonMark
(github.com/tats-u/markdown-cjk-friendly) change the rule beside such signs alone, and let more marks begin or end an
emphasis, never fewer. A line break between two Chinese or Japanese signs is no space, as CSS Text says.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias
from unicodedata import category, east_asian_width

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

Rule: TypeAlias = "Callable[[StateInline, bool], bool]"
CJK_PATTERN = re.compile(
    "[\u1100-\u11ff\u2329\u232a\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7fb\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b"
    "\ufe01\uff01-\uffee\U00016fe0-\U0001b2ff\U0001f200-\U0001f265\U00020000-\U0003fffd]"
)
"""Finds the texts that need this module; it takes few signs too many."""
_HANGUL = re.compile(
    "[\u1100-\u11ff\u302e\u302f\u3131-\u318e\u3200-\u321e\u3260-\u327e\ua960-\ua97f\uac00-\ud7fb\uffa0-\uffdc]"
)
_SYMBOLS = frozenset({"So", "Sk"})
_LETTER_LIKE_SYMBOLS = range(0x2E80, 0x3400)  # other wide symbols are emoji
_SELECTORS = frozenset((*range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0)))
_FULL_WIDTH_QUOTES = frozenset(f"{quote}\ufe01" for quote in "‘’“”")
_TEXTS = frozenset({"text", "text_special", "code_inline"})
_TRANSPARENT = frozenset({"footnote_ref", "html_inline"})


def use_cjk(parser: "MarkdownIt") -> None:
    """Amend the rules of emphasis that the parser has, and join lines of Chinese and Japanese."""
    from markdown_it.rules_inline import emphasis, strikethrough

    from sitecms.content.text.markdown.marks import delimit_mark

    rules = {"emphasis": emphasis.tokenize, "strikethrough": strikethrough.tokenize, "mark": delimit_mark}
    for name in rules.keys() & set(parser.inline.ruler.get_all_rules()):
        parser.inline.ruler.at(name, _amended(rules[name]))
    parser.core.ruler.after("inline", "cjk_lines", _join_lines)


def _amended(rule: Rule) -> Rule:
    """Return the rule of a mark such as `**`, which then also begins and ends an emphasis as the amendments say."""

    def amended(state: "StateInline", silent: bool) -> bool:
        start, number = state.pos, len(state.delimiters)
        if not rule(state, silent):
            return False
        if len(state.delimiters) > number:
            can_open, can_close = _flanks(state, start, state.pos)
            for delimiter in state.delimiters[number:]:
                delimiter.open = delimiter.open or can_open
                delimiter.close = delimiter.close or can_close
        return True

    return amended


def _flanks(state: "StateInline", start: int, end: int) -> tuple[bool, bool]:
    """Return whether a run of marks can open and close an emphasis beside a CJK sign; neither without one beside it."""
    from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace

    before, after = _sign_before(state.src, start), state.src[end] if end < state.posMax else " "
    is_cjk_before, is_cjk_after = _is_cjk(before), _is_cjk(after)
    if not (is_cjk_before or is_cjk_after):
        return False, False
    is_punct_before, is_punct_after = (isMdAsciiPunct(ord(each[0])) or isPunctChar(each[0]) for each in (before, after))
    is_space_before, is_space_after = isWhiteSpace(ord(before[0])), isWhiteSpace(ord(after))
    is_bound = is_punct_after and not is_cjk_after  # to a space, punctuation or CJK sign on the other side
    is_left = not is_space_after and (not is_bound or is_space_before or is_punct_before or is_cjk_before)
    is_bound = is_punct_before and not is_cjk_before
    is_right = not is_space_before and (not is_bound or is_space_after or is_punct_after or is_cjk_after)
    splits_words = state.src[start] != "_"
    can_open = is_left and (splits_words or not is_right or is_punct_before)
    return can_open, is_right and (splits_words or not is_left or is_punct_after)


def _sign_before(text: str, place: int) -> str:
    """Return the character before a place, together with a variation selector behind it; a space at the beginning."""
    sign = text[place - 1 : place] or " "
    base = text[place - 2 : place - 1] if place > 1 and ord(sign) in _SELECTORS else ""
    return base + sign if not base.isspace() else sign


def _is_cjk(sign: str) -> bool:
    """Return whether a character is of Chinese, Japanese or Korean text, punctuation and full-width forms included."""
    first = sign[0]
    if not CJK_PATTERN.match(first):
        return sign in _FULL_WIDTH_QUOTES
    width = east_asian_width(first)
    if width == "W":
        return category(first) not in _SYMBOLS or ord(first) in _LETTER_LIKE_SYMBOLS
    return width in ("F", "H") or _HANGUL.match(first) is not None


def _join_lines(state: "StateCore") -> None:
    """Remove the line breaks between Chinese and Japanese signs; Korean has spaces between words."""
    for token in state.tokens:
        if token.type == "inline" and token.children and "\n" in token.content:
            token.children = list(_joined(token.children))


def _joined(children: "Sequence[Token]") -> "Iterator[Token]":
    for place, child in enumerate(children):
        if child.type != "softbreak" or not (_joins(children, place, -1) and _joins(children, place, 1)):
            yield child


def _joins(children: "Sequence[Token]", place: int, step: int) -> bool:
    """Return whether the next sign before (`step` -1) or behind (1) a line break is a Chinese or Japanese one."""
    while 0 <= (place := place + step) < len(children):
        child = children[place]
        if child.type in _TEXTS and child.content:
            sign = _sign_before(child.content, len(child.content)) if step < 0 else child.content[0]
            return _is_cjk(sign) and not _HANGUL.match(sign)
        if child.nesting == 0 and child.type not in _TRANSPARENT and child.type not in _TEXTS:
            return False
    return False
