"""Comparison of two texts by words, for people: what was removed, what was added, and a little of what stayed.

Lines are compared first and words within changed lines, so that long texts are compared while a page is answered.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum

from msgspec import Struct

CONTEXT_CHARACTERS = 200
MAX_WORDS = 6_000
MAX_LINES = 4_000
_LINES = re.compile(r".*?(?:\n|</(?:p|li|h[1-6]|blockquote|pre|td|th|figure)>|\Z)", re.DOTALL)
_WORD = re.compile(r"[^\W_]")
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


class PieceKind(StrEnum):
    """The kind of a piece of compared text; SKIPPED stands for text that stayed and is not shown."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    SKIPPED = "skipped"


class Piece(Struct, frozen=True):
    """A piece of compared text."""

    kind: PieceKind
    text: str


def compare_texts(before: str, after: str) -> tuple[Piece, ...]:
    """Return the pieces of two texts, in order; long texts that stayed are shortened around the changes."""
    old, new = _LINES.findall(before), _LINES.findall(after)
    if len(old) + len(new) > MAX_LINES:
        return _joined([Piece(PieceKind.REMOVED, before), Piece(PieceKind.ADDED, after)])
    pieces: list[Piece] = []
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            pieces.append(Piece(PieceKind.SAME, "".join(old[start:end])))
        else:
            pieces += _words("".join(old[start:end]), "".join(new[new_start:new_end]))
    return tuple(_shortened(_joined(pieces)))


def _words(before: str, after: str) -> Iterator[Piece]:
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) + len(new) > MAX_WORDS:
        yield from (Piece(PieceKind.REMOVED, before), Piece(PieceKind.ADDED, after))
        return
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            yield Piece(PieceKind.SAME, "".join(old[start:end]))
        else:
            yield from (
                Piece(PieceKind.REMOVED, "".join(old[start:end])),
                Piece(PieceKind.ADDED, "".join(new[new_start:new_end])),
            )


def _joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Join neighbouring changes, also over spaces and signs between them that stayed: words are read as groups."""
    joined: list[Piece] = []
    removed = added = between = ""
    for piece in (*pieces, Piece(PieceKind.SAME, "\0word")):
        if piece.kind is PieceKind.REMOVED:
            removed, added, between = removed + between + piece.text, added + between, ""
        elif piece.kind is PieceKind.ADDED:
            removed, added, between = removed + between, added + between + piece.text, ""
        elif (removed or added) and not between and not _WORD.search(piece.text):
            between = piece.text
        else:
            changed = (Piece(PieceKind.REMOVED, removed), Piece(PieceKind.ADDED, added))
            joined += (each for each in changed if each.text)
            stayed = between + piece.text.removesuffix("\0word")
            if stayed and joined and joined[-1].kind is PieceKind.SAME:
                joined[-1] = Piece(PieceKind.SAME, joined[-1].text + stayed)
            elif stayed:
                joined.append(Piece(PieceKind.SAME, stayed))
            removed = added = between = ""
    return tuple(joined)


def _shortened(pieces: Sequence[Piece]) -> Iterator[Piece]:
    last = len(pieces) - 1
    for number, piece in enumerate(pieces):
        if piece.kind is not PieceKind.SAME:
            yield piece
            continue
        begin = "" if number == 0 else piece.text[:CONTEXT_CHARACTERS]
        end = "" if number == last else piece.text[-CONTEXT_CHARACTERS:]
        if len(piece.text) <= len(begin) + len(end) + CONTEXT_CHARACTERS:
            yield piece
            continue
        yield from (each for each in (
            Piece(PieceKind.SAME, begin), Piece(PieceKind.SKIPPED, ""), Piece(PieceKind.SAME, end)
        ) if each.text or each.kind is PieceKind.SKIPPED)  # fmt: skip
