"""Anchors of headings that links expect: generators make them by other rules than sitecms.

A heading whose old anchor is named by any link of the source gets it in braces, `## A & B {#a--b}`. Which generator
made the links need not be known: the rules of all are tried, and only anchors that are linked are written.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

from sitecms.content.text import markdown
from sitecms.content.text.markdown import Extensions, HeadingPlace
from sitecms.content.text.slug import is_mark

_FRAGMENT = re.compile(r"(?<=[\w/(\"'<.=-])#([^\s#()<>\"'\[\]{}|`]+)")
_HEADING = re.compile(r"(?m)^ {0,3}#{1,6}[ \t]+(.*)$")
_NUMBER = re.compile(r"[-_]\d+\Z")
_CLOSING_HASHES = re.compile(r"[ \t]+#+[ \t]*\Z")
_WRITABLE = re.compile(r"[\w:-]+|(?:[\w:-]|[^\x00-\x7f\s])+")


class _Rule(NamedTuple):
    """A way to make an anchor of a text; a repeated one gets the sign and a number from 1."""

    anchor: Callable[[str], str]
    sign: str = "-"


def linked_anchors(text: str) -> Iterator[str]:
    """Yield what follows `#` in the addresses of a text, and of code that looks like one."""
    for fragment in _FRAGMENT.findall(text) if "#" in text else ():
        yield unquote(fragment)


def without_number(anchor: str) -> str:
    """Return an anchor without the number that a repeated one has at its end."""
    return _NUMBER.sub("", anchor)


def possible_anchors(text: str) -> frozenset[str]:
    """Return the old anchors that headings of a Markdown text may have had, without numbers of repeated ones.

    It is a quick look, with which an import finds the texts to make again when links to their headings change.
    """
    words = _HEADING.findall(text) if "#" in text else ()
    return frozenset(rule.anchor(each.rstrip(" \t\r#")) for each in words for rule in _RULES)


def with_old_anchors(text: str, linked: Collection[str], extensions: Extensions) -> tuple[str, int]:
    """Return Markdown whose headings have the anchors that links expect, and the number of anchors that were added."""
    if "attributes" not in extensions or not linked:
        return text, 0
    headings = markdown.headings(text, extensions)
    anchors = _missing_anchors(headings, linked)
    if not anchors:
        return text, 0
    lines = text.split("\n")
    for number, anchor in anchors.items():
        line = headings[number].last_line
        ending = "\r" if lines[line].endswith("\r") else ""
        written = _CLOSING_HASHES.sub("", lines[line].removesuffix("\r").rstrip())
        lines[line] = f"{written} {{#{anchor}}}{ending}"
    changed = "\n".join(lines)
    ids = [heading.id for heading in markdown.headings(changed, extensions)]
    is_right = len(ids) == len(headings) and all(ids[number] == anchor for number, anchor in anchors.items())
    return (changed, len(anchors)) if is_right else (text, 0)


def _missing_anchors(headings: Sequence[HeadingPlace], linked: Collection[str]) -> dict[int, str]:
    """Return the anchors to write, by the number of the heading.

    Where one of several headings with the same words needs its old anchor, all of them get theirs, as numbers differ.
    """
    anchors: dict[int, str] = {}
    for rule in _RULES:
        old = _numbered(headings, rule)
        missing = {
            heading.words
            for heading, anchor in zip(headings, old, strict=True)
            if anchor in linked and anchor != heading.id and not heading.has_own_id
        }
        for number, (heading, anchor) in enumerate(zip(headings, old, strict=True)):
            is_free = number not in anchors and anchor not in anchors.values()
            if heading.words in missing and is_free and not heading.has_own_id and _WRITABLE.fullmatch(anchor):
                anchors[number] = anchor
    return {number: anchor for number, anchor in anchors.items() if anchor != headings[number].id}


def _numbered(headings: Sequence[HeadingPlace], rule: _Rule) -> list[str]:
    """Return the old anchors of the headings; repeated ones are numbered."""
    counts: dict[str, int] = {}
    anchors = []
    for heading in headings:
        plain = rule.anchor(heading.words)
        number = counts.get(plain, 0)
        counts[plain] = number + 1
        anchors.append(f"{plain}{rule.sign}{number}" if number else plain)
    return anchors


def _github(words: str) -> str:
    """GitHub, and with it Hugo, Docusaurus, Gatsby and Jekyll: signs are dropped, each space becomes a hyphen."""
    kept = (sign for sign in words.strip().lower() if sign.isalnum() or sign in "-_ " or is_mark(sign))
    return "".join(kept).replace(" ", "-")


def _kramdown(words: str) -> str:
    """Kramdown without GitHub's rules: ASCII alone, from the first letter."""
    plain = re.sub(r"[^a-zA-Z0-9 -]", "", re.sub(r"\A[^a-zA-Z]+", "", words))
    return plain.replace(" ", "-").lower() or "section"


def _zola(words: str) -> str:
    """Zola, VitePress and others: without accents, runs of other signs become one hyphen."""
    return re.sub(r"[\W_]+", "-", _without_accents(words).lower()).strip("-")


def _python_markdown(words: str) -> str:
    """Python-Markdown, and with it Pelican and MkDocs."""
    plain = re.sub(r"[^\w\s-]", "", _without_accents(words)).strip().lower()
    return re.sub(r"[-\s]+", "-", plain)


def _without_accents(words: str) -> str:
    return "".join(sign for sign in normalize("NFKD", words) if not is_mark(sign))


_RULES = (_Rule(_github), _Rule(_kramdown), _Rule(_zola), _Rule(_python_markdown, "_"))
