"""Formatted text as pages of the studio show it, cut into blocks of words that can be compared.

Stored HTML is sanitised, and it still may have ids, classes, frames and boxes that a page of the studio must not have
twice or at all. What is shown has elements and a few attributes alone: nothing in it is loaded from other hosts but
pictures, and nothing can be focused.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from html.parser import HTMLParser

from msgspec import Struct, field

from sitecms.content.text.allowed_html import TABLE_PARTS, VOID
from sitecms.content.text.html import sanitize
from sitecms.messages import N_
from sitecms.studio.texts import _

_HEADINGS = {f"h{level}": ("p", f' class="heading-{level}"') for level in range(1, 7)}
_RENAMED: Mapping[str, tuple[str, str]] = {
    **_HEADINGS,
    **dict.fromkeys(("address", "article", "aside", "section"), ("div", "")),
    "details": ("div", ' class="details"'),
    "summary": ("p", ' class="heading-6"'),
}
"""Elements that are shown as another one: headings of a text are none of the page."""
_BLOCKS = frozenset(
    {
        "blockquote", "dd", "div", "dl", "dt", "figcaption", "figure", "li", "ol", "p", "pre", "ul", *_RENAMED,
        *TABLE_PARTS,
    }
)  # fmt: skip
CELLS = frozenset({"td", "th"})
_MARKS = frozenset(
    {
        "a", "abbr", "b", "cite", "code", "em", "i", "kbd", "mark", "q", "s", "samp", "small", "strong", "sub", "sup",
        "u", "var",
    }
)  # fmt: skip
_RENAMED_MARKS = {"del": "s", "ins": "u"}
_KEPT = frozenset({"colspan", "dir", "lang", "rowspan", "start", "value"})
_PLACEHOLDERS = {"audio": N_("Audio"), "iframe": N_("Embedded page"), "video": N_("Video")}
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_SPACE = re.compile(r"\s+")


class Element(Struct, frozen=True):
    """An element around words: `id` tells it from others with the same start tag."""

    id: int
    name: str
    attributes: str = ""

    @property
    def start_tag(self) -> str:
        """The start tag as it is shown."""
        return f"<{self.name}{self.attributes}>"


class Mark(Struct, frozen=True):
    """An element of formatting within a line; `address` is that of a link."""

    name: str
    address: str = ""


class Word(Struct, frozen=True):
    """A word, a space, a sign or a picture, as HTML, with the formatting around it."""

    html: str
    marks: tuple[Mark, ...] = ()
    is_word: bool = False


class TextBlock(Struct, frozen=True):
    """Words that stand together, with the elements around them, the outermost first."""

    path: tuple[Element, ...]
    words: tuple[Word, ...]

    @property
    def shape(self) -> tuple[str, ...]:
        """The start tags of the elements around the words."""
        return tuple(element.start_tag for element in self.path)

    @property
    def content(self) -> tuple[tuple[str, ...], tuple[Word, ...]]:
        """What two blocks that look the same have in common."""
        return self.shape, self.words


class Change(Struct, frozen=True):
    """The element around changed words, and what says so to those who do not see it."""

    tag: str
    beginning: str
    end: str


REMOVED = Change("del", N_("removed:"), N_("(end of what was removed)"))
ADDED = Change("ins", N_("added:"), N_("(end of what was added)"))
Run = tuple[Change | None, Sequence[Word]]


def text_blocks(html: str) -> tuple[TextBlock, ...]:
    """Return the blocks of formatted text, which is sanitised first."""
    reader = _Reader()
    reader.feed(sanitize(html))
    reader.close()
    reader.end_block()
    return tuple(reader.blocks)


def formatted(html: str) -> str:
    """Return formatted text as a page of the studio may show it."""
    writer = Writer()
    for block in text_blocks(html):
        writer.write(block.path, [(None, block.words)])
    return writer.html


class _Reader(HTMLParser):
    """Reader of sanitised HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[TextBlock] = []
        self._path: list[tuple[str, Element]] = []
        self._marks: list[tuple[str, Mark | None]] = []
        self._words: list[Word] = []
        self._raw: list[str] = []
        self._outer, self._depth, self._count = "", 0, 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a block, a mark, or something that is shown as one thing."""
        attributes = {name: value or "" for name, value in attrs}
        if self._outer:
            self._depth += tag == self._outer
            self._raw.append(_start_tag(tag, {} if tag == "math" else attributes))
        elif tag == "math" or tag in _PLACEHOLDERS:
            self._outer, self._depth = tag, 1
            self._raw = [_start_tag(tag, {"display": attributes["display"]} if "display" in attributes else {})]
            if tag in _PLACEHOLDERS:
                text = f"{_(_PLACEHOLDERS[tag])} {attributes.get('src', '')}".strip()
                self._add(f'<span class="placeholder">{escape(text)}</span>')
        elif tag in _BLOCKS:
            self._begin_block(tag, attributes)
        elif tag in VOID:
            self._void(tag, attributes)
        else:
            self._begin_mark(tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        """End what began."""
        if self._outer:
            self._end_outer(tag)
        elif tag in _BLOCKS:
            self.end_block(keeps_empty=tag in CELLS)
            if self._path and self._path[-1][0] == tag:
                self._path.pop()
        elif tag not in VOID and self._marks and self._marks[-1][0] == tag:
            self._marks.pop()

    def handle_data(self, data: str) -> None:
        """Read words."""
        if self._outer:
            self._raw.append(escape(data))
            return
        is_plain = not any(name == "pre" for name, _ in self._path)
        for text in _WORDS.findall(_SPACE.sub(" ", data) if is_plain else data):
            if text != " " or self._words or not is_plain:
                self._add(escape(text), is_word=text[0].isalnum() or text[0] == "_")

    def end_block(self, *, keeps_empty: bool = False) -> None:
        """End the block of the words before; `keeps_empty` for one whose place counts, such as a cell."""
        words = self._words
        while words and words[-1].html == " ":
            words.pop()
        path = tuple(element for _, element in self._path)
        if words or (keeps_empty and not (self.blocks and self.blocks[-1].path[: len(path)] == path)):
            self.blocks.append(TextBlock(path, tuple(words)))
        self._words = []

    def _begin_block(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.end_block()
        name, own = _RENAMED.get(tag, (tag, ""))
        kept = {key: value for key, value in attributes.items() if key in _KEPT}
        self._count += 1
        self._path.append((tag, Element(self._count, name, own + _written(kept))))

    def _begin_mark(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = _RENAMED_MARKS.get(tag, tag)
        mark = Mark(name, attributes.get("href", "") if name == "a" else "") if name in _MARKS else None
        self._marks.append((tag, mark))

    def _void(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "img":
            shown = {"src": attributes.get("src", ""), "alt": attributes.get("alt", ""), "loading": "lazy"}
            self._add(_start_tag("img", shown), is_word=True)
        elif tag == "hr":
            self.end_block()
            self._add("<hr>")
            self.end_block()
        elif tag == "br":
            self._add("<br>")
        elif tag == "input":
            self._add("☑ " if "checked" in attributes else "☐ ", is_word=True)

    def _end_outer(self, tag: str) -> None:
        self._raw.append(f"</{tag}>")
        self._depth -= tag == self._outer
        if self._depth:
            return
        if self._outer == "math":
            self._add("".join(self._raw), is_word=True)
        self._outer = ""

    def _add(self, html: str, *, is_word: bool = False) -> None:
        self._words.append(Word(html, tuple(mark for _, mark in self._marks if mark), is_word))


def _start_tag(name: str, attributes: Mapping[str, str]) -> str:
    return f"<{name}{_written(attributes)}>"


def _written(attributes: Mapping[str, str]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())


class _Page(Struct):
    """What is written so far, and the elements that are open."""

    parts: list[str] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)


class Writer:
    """Writer of blocks one after the other; elements that neighbours share stay open."""

    def __init__(self) -> None:
        self._page = _Page()

    @property
    def html(self) -> str:
        """All that was written."""
        self._close(0)
        return "".join(self._page.parts)

    def write(self, path: Sequence[Element], runs: Iterable[Run]) -> None:
        """Write runs of words within the elements of a path."""
        page, shared = self._page, 0
        while shared < min(len(page.elements), len(path)) and page.elements[shared].id == path[shared].id:
            shared += 1
        self._close(shared)
        for element in path[shared:]:
            page.parts.append(element.start_tag)
            page.elements.append(element)
        page.parts += [_run(change, words) for change, words in runs if words]

    def skip(self) -> None:
        """Write the sign for blocks that are left out."""
        self._close(0)
        self._page.parts.append('<p class="skipped">…</p>')

    def _close(self, count: int) -> None:
        page = self._page
        while len(page.elements) > count:
            page.parts.append(f"</{page.elements.pop().name}>")


def _run(change: Change | None, words: Sequence[Word]) -> str:
    """Return words with their formatting, and what says that they were changed."""
    html, marks = [], list[Mark]()
    for word in words:
        shared = 0
        while shared < min(len(marks), len(word.marks)) and marks[shared] == word.marks[shared]:
            shared += 1
        html += [_end_mark(mark, change) for mark in reversed(marks[shared:])]
        html += [f"<{mark.name}>" for mark in word.marks[shared:]]
        html.append(word.html)
        marks = list(word.marks)
    html += [_end_mark(mark, change) for mark in reversed(marks)]
    return mark_change(change, "".join(html)) if change else "".join(html)


def _end_mark(mark: Mark, change: Change | None) -> str:
    """Return the end of a mark; the address of a changed link, which nobody sees else, stands before it."""
    address = f" <small>({escape(mark.address)})</small>" if change and mark.address else ""
    return f"{address}</{mark.name}>"


def mark_change(change: Change, html: str) -> str:
    """Return HTML marked as changed, with words for those who hear it."""
    beginning, end = (escape(_(text)) for text in (change.beginning, change.end))
    marked = f"<{change.tag}>{html}</{change.tag}>"
    return f'<span class="hidden">{beginning} </span>{marked}<span class="hidden"> {end} </span>'
