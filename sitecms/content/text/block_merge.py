"""Merging of two changed versions of a text with what both began with, by top-level block.

A block that one side changed, added or removed is taken from that side. Where both changed the same block, both
versions stay, and the person chooses. Blocks are cut from Markdown and HTML without changing a byte.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

import orjson
from msgspec import Struct
from msgspec.structs import replace

from sitecms.errors import InvalidRequest

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
GAP = "\n\n"
NOT_PARTS = "The parts of the text did not arrive as they were sent. Nothing was changed; open the entry again."


class Block(Struct, frozen=True):
    """A block of a text, and the space before it."""

    before: str
    content: str


class Cut(Struct, frozen=True):
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
        match = _FENCE.match(line)
        is_new = is_after_gap and not fence and line.strip() and not (line[0] in " \t" and blocks)
        if is_new or not blocks:
            blocks.append(line)
        else:
            blocks[-1] += line
        if match and not fence:
            fence = match[1]
        elif match and match[1].startswith(fence) and not line.strip().strip(fence[0]):
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


_Changes = list[tuple[int, int, Sequence[Block]]]
"""Parts of the base, as first and end number of blocks, and the blocks that stand there instead."""


class MergedBlocks(Struct, frozen=True):
    """Blocks of a merged text. Where both changed them, `theirs` is the other version and `base` the old one."""

    before: str
    mine: str
    theirs: str | None = None
    base: str = ""


class MergedText(Struct, frozen=True):
    """A merged text in parts, and the space after them."""

    parts: tuple[MergedBlocks, ...]
    after: str

    @property
    def conflicts(self) -> tuple[MergedBlocks, ...]:
        """The parts that both changed."""
        return tuple(part for part in self.parts if part.theirs is not None)

    def text(self, takes_theirs: Sequence[bool] = ()) -> str:
        """Return the text; `takes_theirs` says of each conflict whether it is decided for the other version."""
        choices, result = iter(takes_theirs), ""
        for part in self.parts:
            is_theirs = part.theirs is not None and next(choices, False)
            content = (part.theirs or "") if is_theirs else part.mine
            if content:
                result += (part.before or GAP if result else self.parts[0].before) + content
        return result + self.after

    def to_json(self) -> str:
        """Return the merged text for a field of a form."""
        parts = [[part.before, part.mine, part.theirs, part.base] for part in self.parts]
        return orjson.dumps({"parts": parts, "after": self.after}).decode()

    @classmethod
    def from_json(cls, text: str) -> "MergedText":
        """Return the merged text in a field of a form. Raises InvalidRequest."""
        try:
            data = orjson.loads(text)
            parts = tuple(MergedBlocks(*each) for each in data["parts"])
            merged = cls(parts, data["after"])
        except (ValueError, TypeError, KeyError):
            raise InvalidRequest(NOT_PARTS) from None
        texts = [text for part in merged.parts for text in (part.before, part.mine, part.theirs or "", part.base)]
        if not all(isinstance(text, str) for text in (*texts, merged.after)):
            raise InvalidRequest(NOT_PARTS)
        return merged


def merge_texts(base: str, mine: str, theirs: str, *, is_markdown: bool) -> MergedText:
    """Return the text with the changes of both sides."""
    for one, other, result in ((mine, base, theirs), (theirs, base, mine), (mine, theirs, mine)):
        if one == other:
            return MergedText((MergedBlocks("", result),), "")
    old, my, their = (cut_text(text, is_markdown=is_markdown) for text in (base, mine, theirs))
    first, *rest = _joined(_parts(old, my, their)) or [MergedBlocks("", "")]
    lead = my.blocks[0].before if my.blocks else ""
    return MergedText((replace(first, before=lead), *rest), my.after)


def _parts(old: Cut, my: Cut, their: Cut) -> Iterator[MergedBlocks]:
    at = 0
    mine, theirs = _changes(old, my), _changes(old, their)
    unchanged = _kept(old, my)
    for start, end, changed in _clusters(mine, theirs):
        yield from (MergedBlocks(block.before, block.content) for block in unchanged[at:start])
        at = end
        my_own, their_own = (_applied(old.blocks, start, end, changed[side]) for side in (0, 1))
        if not changed[1] or _texts(my_own) == _texts(their_own):
            yield from _plain(my_own)
        elif not changed[0]:
            yield from _plain(their_own)
        elif start == end:
            yield from _plain([*my_own, *their_own])
        else:
            before = next((block.before for block in (*my_own, *their_own)), GAP)
            yield MergedBlocks(before, _text(my_own), _text(their_own), _text(old.blocks[start:end]))
    yield from (MergedBlocks(block.before, block.content) for block in unchanged[at:])


def _kept(old: Cut, my: Cut) -> list[Block]:
    """Return the blocks of the base, with the space that my text has before those that stayed in it."""
    blocks = list(old.blocks)
    matcher = SequenceMatcher(None, old.contents, my.contents, autojunk=False)
    for start, my_start, count in matcher.get_matching_blocks():
        blocks[start : start + count] = my.blocks[my_start : my_start + count]
    return blocks


def _changes(old: Cut, new: Cut) -> _Changes:
    """Return the changes of one side. As many blocks instead of others stand for them one by one."""
    changes: _Changes = []
    matcher = SequenceMatcher(None, old.contents, new.contents, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "replace" and end - start == new_end - new_start:
            pairs = zip(range(start, end), new.blocks[new_start:new_end], strict=True)
            changes += [(number, number + 1, [block]) for number, block in pairs]
        elif tag != "equal":
            changes.append((start, end, new.blocks[new_start:new_end]))
    return changes


def _clusters(mine: _Changes, theirs: _Changes) -> Iterator[tuple[int, int, tuple[_Changes, _Changes]]]:
    """Yield the parts of the base that were changed, with the changes of each side; overlapping ones are one part."""
    both = sorted(
        [(change, side) for side, changes in enumerate((mine, theirs)) for change in changes],
        key=lambda pair: (pair[0][0], pair[0][1], pair[1]),
    )
    start, end, changed = 0, -1, ([], [])  # type: tuple[int, int, tuple[_Changes, _Changes]]
    for change, side in both:
        is_same_place = (change[0], change[1]) == (start, end)
        if end >= 0 and (change[0] < end or is_same_place):
            end = max(end, change[1])
        else:
            if end >= 0:
                yield start, end, changed
            start, end, changed = change[0], change[1], ([], [])
        changed[side].append(change)
    if end >= 0:
        yield start, end, changed


def _applied(blocks: Sequence[Block], start: int, end: int, changes: _Changes) -> list[Block]:
    result: list[Block] = []
    for change_start, change_end, new in changes:
        result += [*blocks[start:change_start], *new]
        start = change_end
    return [*result, *blocks[start:end]]


def _texts(blocks: Sequence[Block]) -> list[str]:
    return [block.content for block in blocks]


def _text(blocks: Sequence[Block]) -> str:
    return "".join((block.before or GAP if number else "") + block.content for number, block in enumerate(blocks))


def _plain(blocks: Sequence[Block]) -> Iterator[MergedBlocks]:
    return (MergedBlocks(block.before, block.content) for block in blocks)


def _joined(parts: Iterator[MergedBlocks]) -> list[MergedBlocks]:
    """Return the parts with neighbours that are not in conflict as one."""
    joined: list[MergedBlocks] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last is not None and last.theirs is None and part.theirs is None:
            joined[-1] = replace(last, mine=last.mine + (part.before or GAP) + part.mine)
        else:
            joined.append(part)
    return joined


def decided_text(merged: MergedText, typed: str, choices: Mapping[int, bool], *, is_markdown: bool) -> str:
    """Return a typed text with the chosen versions; `choices` says of each conflict if it is decided for theirs.

    The form showed the text with my version of each conflict, and may have been changed since.
    """
    merged_text = merged.text()
    decided = merged.text([choices.get(number, False) for number in range(len(merged.conflicts))])
    again = merge_texts(merged_text, typed, decided, is_markdown=is_markdown)
    return again.text([True] * len(again.conflicts))
