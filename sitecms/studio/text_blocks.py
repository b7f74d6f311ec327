"""Top-level blocks of texts in Markdown and HTML, cut without changing a byte."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,}|:{3,})")
_TOKEN = re.compile(r"<!--.*?-->|<(/?)([a-zA-Z][\w-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*?)(/?)>", re.DOTALL)
_VOID = frozenset(
    ("area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)  # fmt: skip
_BLOCK_NAMES = (
    "address article aside blockquote details div dl figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre "
    "section table ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a text, and the space before it."""

    before: str
    content: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A text as its blocks, and the space after them."""

    blocks: Sequence[Block]
    after: str

    @property
    def contents(self) -> list[str]:
        """The blocks without the space between them."""
        return [block.content for block in self.blocks]


def cut_text(text: str, *, is_markdown: bool) -> Cut:
    """Return a text as its top-level blocks."""
    return _with_gaps(_markdown_blocks(text) if is_markdown else _html_blocks(text))


def _with_gaps(parts: Sequence[str]) -> Cut:
    """Return parts that together are a text as blocks, with the space around each apart."""
    blocks, gap = [], ""
    for part in parts:
        content = part.strip("\r\n") if part.strip() else ""
        if not content:
            gap += part
            continue
        start = part.index(content)
        blocks.append(Block(gap + part[:start], content))
        gap = part[start + len(content) :]
    return Cut(blocks, gap)


def _markdown_blocks(text: str) -> list[str]:
    """Return the blocks of Markdown, between empty lines outside of fences; indented lines belong to those above."""
    blocks: list[str] = []
    fence, is_after_gap = "", True
    for line in text.splitlines(keepends=True):
        found = _FENCE.match(line)
        is_new = is_after_gap and not fence and line.strip() and not (line[0] in " \t" and blocks)
        if is_new or not blocks:
            blocks.append(line)
        else:
            blocks[-1] += line
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        is_after_gap = not line.strip()
    return blocks


def _html_blocks(text: str) -> list[str]:
    """Return the elements at the top level of HTML, with the text between them; the whole text if tags do not nest."""
    blocks: list[str] = []
    open_names: list[str] = []
    start = 0
    for token in _TOKEN.finditer(text):
        slash, name = token[1], (token[2] or "").lower()
        if not name:
            continue
        if not open_names and not slash and name in _BLOCKS and text[start : token.start()].strip():
            blocks.append(text[start : token.start()])
            start = token.start()
        if slash:
            if not open_names or open_names.pop() != name:
                return [text]
        elif name not in _VOID and not token[4]:
            open_names.append(name)
        if not open_names and name in _BLOCKS:
            blocks.append(text[start : token.end()])
            start = token.end()
    if open_names:
        return [text]
    return [*blocks, text[start:]]
