"""The source of a plug-in's directive in its HTML, from which the studio fills in the form of the block.

Only the plug-in knows what its HTML means. So the first element names the directive as it is written, in an attribute
that readers do not see, and the element with the content says how many elements stand before it. HTML of several
elements, or with content that does not end its element, is left as it is: the studio shows it without a form.
"""

import re
from collections.abc import Sequence
from html import escape
from html.parser import HTMLParser
from itertools import groupby
from typing import TYPE_CHECKING

from sitecms.content.text.allowed_html import MAX_VALUE_LENGTH, VOID
from sitecms.content.text.html import sanitize

if TYPE_CHECKING:
    from markdown_it.token import Token

SOURCE = "data-directive"
CONTENT = "data-directive-content"
_HOLE = "data-directive-hole"
_HOLE_HTML = f'<p {_HOLE}=""></p>'
_FIRST_TAG = re.compile(r"\s*<[a-zA-Z][\w-]*")
_LAST_TAG = re.compile(r"(<[a-zA-Z][\w-]*)((?:\s[^<>]*)?)>\s*\Z")


class _Outline(HTMLParser):
    """The structure of well-formed HTML: its elements at the top, and where the hole for the content is."""

    def __init__(self) -> None:
        super().__init__()
        self.roots = 0
        self.has_bare_text = False
        self.hole: tuple[int, int] | None = None
        """The depth of the hole, and how many elements stand before it in the same one."""
        self.ends_with_hole = True
        self._children: list[int] = []
        self._texts: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count an element in the one around it."""
        depth = len(self._children)
        if self.hole and self.hole[0] == depth:
            self.ends_with_hole = False
        if any(name == _HOLE for name, _ in attrs):
            self.hole = (depth, self._children[-1] if self._children else 0)
            self.ends_with_hole = not (self._texts and self._texts[-1])
        elif self._children:
            self._children[-1] += 1
        else:
            self.roots += 1
        if tag not in VOID:
            self._children.append(0)
            self._texts.append(False)

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        if tag not in VOID and self._children:
            self._children.pop()
            self._texts.pop()

    def handle_data(self, data: str) -> None:
        """Note text."""
        if not data.strip():
            return
        if not self._texts:
            self.has_bare_text = True
            return
        self._texts[-1] = True
        if self.hole and self.hole[0] == len(self._texts):
            self.ends_with_hole = False


def note_source(tokens: "Sequence[Token]", head: str, text: str) -> None:
    """Note the directive in the HTML that it wrote: its first line, without colons, and the lines within.

    Lines that are rendered as content are not repeated. Does nothing where the HTML is not one element.
    """
    if not tokens or tokens[0].type != "html_block":
        return
    own = [token.type == "html_block" and token.map == tokens[0].map for token in tokens]
    runs = [
        (is_own, [token for _, token in run])
        for is_own, run in groupby(zip(own, tokens, strict=True), lambda pair: pair[0])
    ]
    html = "".join("".join(token.content for token in run) if is_own else _HOLE_HTML for is_own, run in runs)
    outline = _Outline()
    outline.feed(sanitize(html))
    has_content = not all(own)
    source = head if has_content or not text.strip() else f"{head}\n{text.rstrip()}"
    if outline.roots != 1 or outline.has_bare_text or len(source) > MAX_VALUE_LENGTH:
        return
    additions = f' {SOURCE}="{escape(source)}"'
    if has_content:
        if len(runs) > 3 or outline.hole is None or not outline.ends_with_hole:
            return
        depth, before = outline.hole
        if depth == 1:
            additions += f' {CONTENT}="{before}"'
        elif not _note_content(runs[0][1][-1]):
            return
    first = _FIRST_TAG.match(tokens[0].content)
    if first is not None:
        tokens[0].content = f"{first[0]}{additions}{tokens[0].content[first.end() :]}"


def _note_content(token: "Token") -> bool:
    """Note in the tag that ends the HTML before the content that the content is all in it; False if none ends it."""
    match = _LAST_TAG.search(token.content)
    if match is None:
        return False
    token.content = f'{token.content[: match.start()]}{match[1]} {CONTENT}="0"{match[2]}>'
    return True
