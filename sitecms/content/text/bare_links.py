"""A rule of the Markdown parser for bare `http://` and `https://` addresses, in linear time.

The parser's own rule reads the whole text before and behind each `://`, which takes quadratic time.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.rules_inline import StateInline

MAX_ADDRESS_LENGTH = 2_000
_MARK = "://"
_SCHEME = re.compile(r"(?:\A|[^a-z0-9.+-])(https?)\Z", re.I)
_SCHEME_LENGTH = len(" https")


def link_bare_address(state: "StateInline", silent: bool) -> bool:
    """Make a link of the address at the current position. Addresses longer than MAX_ADDRESS_LENGTH stay text."""
    if state.linkLevel > 0 or not state.src.startswith(_MARK, state.pos):
        return False
    scheme = _SCHEME.search(state.pending[-_SCHEME_LENGTH:])
    if scheme is None or state.md.linkify is None:
        return False
    start = state.pos - len(scheme[1])
    text = state.src[start : start + MAX_ADDRESS_LENGTH]
    match = state.md.linkify.match_at_start(text)
    if not match or len(match.url) == MAX_ADDRESS_LENGTH:
        return False
    address = match.url.rstrip("*")  # these may end an emphasis
    target = state.md.normalizeLink(address)
    if not state.md.validateLink(target):
        return False
    if not silent:
        state.pending = state.pending[: -len(scheme[1])]
        _push_link(state, target, state.md.normalizeLinkText(address))
    state.pos = start + len(address)
    return True


def _push_link(state: "StateInline", target: str, text: str) -> None:
    opening = state.push("link_open", "a", 1)
    opening.attrs = {"href": target}
    state.push("text", "", 0).content = text
    closing = state.push("link_close", "a", -1)
    for token in (opening, closing):
        token.markup, token.info = "linkify", "auto"
