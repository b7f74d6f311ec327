"""Attributes in braces: `{#id .class key="value"}` at the end of a heading, and behind links, images and code."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sitecms.content.text.allowed_html import allowed_name

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_VALUE = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'{}=]+)"
_NAME = r"(?:[\w:-]|[^\x00-\x7f\s])+"  # combining marks too
_PART = rf"[#.]{_NAME}|[a-zA-Z][\w-]*={_VALUE}"
_BRACES = re.compile(rf"\{{[ \t]*((?:{_PART})(?:[ \t]+(?:{_PART}))*)[ \t]*\}}")
_ARGUMENT = rf"(?:{_PART}|[a-zA-Z][\w-]*(?![\w=-]))"
ARGUMENTS = re.compile(rf"\{{[ \t]*({_ARGUMENT}(?:[ \t]+{_ARGUMENT})*)[ \t]*\}}[ \t]*\Z")
"""Attributes in braces at the end of a line, those without a value included."""
_PARTS = re.compile(rf"([#.])({_NAME})|([a-zA-Z][\w-]*)(?:=({_VALUE}))?")
_HEADING_END = re.compile(r"(?:\A|[ \t]+)(\{[^{}\n]*\})[ \t]*\Z")
_MAX_LENGTH = 1_000
_OWN = frozenset({"href", "src", "alt", "title"})
_TAGS = {"link_close": "a", "image": "img", "code_inline": "code"}


def use_attributes(parser: "MarkdownIt") -> None:
    """Add attributes in braces."""
    parser.core.ruler.after("block", "heading_attributes", _of_headings)
    parser.inline.ruler.push("attributes", _of_inline)


def read_attributes(text: str) -> dict[str, str]:
    """Return the attributes written as `#id .class key="value"`, those of `class` joined."""
    found: dict[str, str] = {}
    for sign, name, key, value in _PARTS.findall(text):
        if sign == "#":
            found["id"] = name
        elif sign == ".":
            found["class"] = f"{found['class']} {name}" if "class" in found else name
        else:
            found[key.lower()] = value[1:-1] if value[:1] in ('"', "'") else value
    return found


def _allowed(tag: str, text: str) -> dict[str, str]:
    """Return the attributes if the tag may have all of them, else {}: then the braces stay text."""
    found = read_attributes(text)
    return found if all(allowed_name(tag, name) and name not in _OWN for name in found) else {}


def _of_headings(state: "StateCore") -> None:
    for opening, inline in zip(state.tokens, state.tokens[1:], strict=False):
        if opening.type != "heading_open" or not inline.content.endswith("}"):
            continue
        end = _HEADING_END.search(inline.content, max(0, len(inline.content) - _MAX_LENGTH))
        braces = _BRACES.fullmatch(end[1]) if end else None
        if end and braces and (found := _allowed(opening.tag, braces[1])):
            _set(opening, found)
            inline.content = inline.content[: end.start()]


def _of_inline(state: "StateInline", silent: bool) -> bool:
    if silent or state.pending or not state.tokens or state.src[state.pos] != "{":
        return False
    last = state.tokens[-1]
    tag = _TAGS.get(last.type)
    match = _BRACES.match(state.src, state.pos, min(state.posMax, state.pos + _MAX_LENGTH)) if tag else None
    if match is None or tag is None or last.info == "auto":
        return False
    found = _allowed(tag, match[1])
    if not found:
        return False
    _set(_opening(state) if tag == "a" else last, found)
    state.pos = match.end()
    return True


def _opening(state: "StateInline") -> "Token":
    """Return the start of the link that ends here; links hold no other link."""
    return next(token for token in reversed(state.tokens) if token.type == "link_open")


def _set(token: "Token", attributes: Mapping[str, str]) -> None:
    for name, value in attributes.items():
        if name == "class":
            token.attrJoin(name, value)
        else:
            token.attrSet(name, value)
