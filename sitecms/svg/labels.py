"""Labels of draw.io: HTML, and a text for programs that show none, as `<switch><foreignObject/><text/></switch>`.

Older versions wrote "[Not supported by viewer]" as that text, or the source of the HTML; newer ones write the begin of
the label, then "...".
"""

import html
import re
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

_LINE_ELEMENTS = frozenset({"div", "p", "br", "li", "tr", "pre", "hr", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6"})
_CELLS = frozenset({"td", "th"})
_HIDDEN_ELEMENTS = frozenset({"script", "style"})
_MARKERS = ("[Not supported by viewer]", "[Object]")
_CUT_OFF = "..."
_LINE_HEIGHT = 1.2
_TAG = re.compile(r"<[^<>]*>")
_SPACE = re.compile(r"\s+")


class Label:
    """The text of a `<foreignObject>`, in lines; what it looks like is lost."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._hidden = 0

    def begin(self, element: str) -> None:
        """Begin an element: some of them begin a line, others are not shown."""
        name = element.rpartition(" ")[2].lower()
        if self._hidden or name in _HIDDEN_ELEMENTS:
            self._hidden += 1
        elif name in _LINE_ELEMENTS or name in _CELLS:
            self._parts.append("\n" if name in _LINE_ELEMENTS else " ")

    def end(self, element: str) -> None:
        """End an element: what follows some of them is another line."""
        if self._hidden:
            self._hidden -= 1
        elif element.rpartition(" ")[2].lower() in _LINE_ELEMENTS:
            self._parts.append("\n")

    def add(self, text: str) -> None:
        """Add a text, whose line breaks mean no more than spaces."""
        if not self._hidden:
            self._parts.append(_SPACE.sub(" ", text))

    @property
    def lines(self) -> list[str]:
        """The lines that hold something."""
        return [line.strip() for line in "".join(self._parts).split("\n") if line.strip()]


class FallbackText:
    """The `<text>` beside a label: where its content starts, its attributes and its text."""

    def __init__(self, start: int, attributes: Mapping[str, str]) -> None:
        self.start = start
        self._attributes = attributes
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        """Add a part of the text."""
        self._parts.append(text)

    def written_out(self, label: Label) -> bytes:
        """Return the content that shows the whole label, in ASCII; b"" if the text is no shorter form of the label."""
        lines = label.lines
        if not lines or not self._stands_for("".join(lines)):
            return b""
        if len(lines) == 1:
            return _ascii(escape(lines[0]))
        x = quoteattr(self._attributes.get("x", "0"))
        first = -_LINE_HEIGHT * (len(lines) - 1) / 2
        return b"".join(
            _ascii(f'<tspan x={x} dy="{_LINE_HEIGHT if number else first:.1f}em">{escape(line)}</tspan>')
            for number, line in enumerate(lines)
        )

    def _stands_for(self, label: str) -> bool:
        text = "".join(self._parts).strip()
        plain, whole = _squeezed(html.unescape(_TAG.sub("", text))), _squeezed(label)
        is_begin = text.endswith(_CUT_OFF) and whole.startswith(plain.removesuffix(_CUT_OFF))
        return text in _MARKERS or plain == whole or is_begin


def _squeezed(text: str) -> str:
    return _SPACE.sub("", text)


def _ascii(text: str) -> bytes:
    return text.encode("ascii", "xmlcharrefreplace")
