"""Unknown tags while HTML is converted: words stand for them, and become comments of HTML in the result."""

import re

from sitecms.importing.html.tree import Element, Node, Remark, replace_children
from sitecms.importing.shortcodes import MARK, place_comments

_WORD = re.compile(r"sitecmscomment(\d+)end")
_WITH_BREAK = re.compile(r"(?m)^((?:sitecmscomment\d+end[ \t]*)+)\\\n")


class Comments:
    """Comments of one text that are kept: taken out of its tree, and put back into the result."""

    def __init__(self, root: Element) -> None:
        self._texts: list[str] = []
        replace_children(root, self._word)

    def in_markdown(self, text: str) -> str:
        """Return Markdown with the comments, none of which hides the text behind it."""
        return place_comments(self._put(_WITH_BREAK.sub(r"\1\n", text))) if self._texts else text

    def in_html(self, text: str) -> str:
        """Return HTML with the comments."""
        return self._put(text).replace(MARK, "") if self._texts else text

    def _word(self, node: Node) -> list[Node] | None:
        if not isinstance(node, Remark):
            return None
        self._texts.append(f"<!--{node.text.rstrip()} -->")
        return [f"sitecmscomment{len(self._texts) - 1}end"]

    def _put(self, text: str) -> str:
        return _WORD.sub(lambda match: self._texts[int(match[1])], text)
