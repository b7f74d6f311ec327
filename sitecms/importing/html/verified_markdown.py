"""Conversion of HTML to Markdown that is verified: rendering the Markdown again gives the same document."""

import re
from dataclasses import dataclass

from sitecms.content.text import markdown
from sitecms.importing.html.normal_form import linked_ids, normal_form
from sitecms.importing.html.to_markdown import MarkdownWriter
from sitecms.importing.html.tree import Element, Node, parse

_PLAIN = re.compile(r"(?:[^\W_]|[ ,.;()'\"?–—’‘“”…%-])+")
_WORDS = re.compile(r"[^\W_](?:(?:[^\W_]|[ ,'’-])*[^\W_])?")
_PLAIN_ADDRESS = re.compile(r"(?:https?:/)?/[A-Za-z0-9./?=-]*")
MAX_RAW_SHARE = 0.5
"""Largest share of blocks that may be HTML within Markdown; above it the whole text stays HTML."""


@dataclass(frozen=True, slots=True)
class Converted:
    """Markdown text, and the number of its blocks that are HTML."""

    text: str
    raw_blocks: int = 0


def to_markdown(root: Element, *, typographer: bool = False) -> Converted | None:
    """Return the document as Markdown; None if the rendered Markdown would differ from the document.

    Blocks that differ after rendering are written as HTML within the Markdown, if they are few.
    """
    ids = linked_ids(root)
    wanted = normal_form(root, ids)
    if not wanted.children:
        return Converted("")
    as_html: frozenset[int] = frozenset()
    doubtful = [number for number, block in enumerate(wanted.children) if not is_evident(block)]
    for _attempt in range(2):
        writer = MarkdownWriter(as_html)
        text = writer.document(wanted)
        if writer.raw_blocks > max(1, MAX_RAW_SHARE * len(wanted.children)):
            return None
        if not doubtful or _is_equal(wanted, doubtful, as_html, ids, text, typographer=typographer):
            return Converted(text, writer.raw_blocks)
        as_html |= _unequal(wanted, as_html, ids, typographer=typographer)
    return None


def _is_equal(
    wanted: Element,
    doubtful: list[int],
    as_html: frozenset[int],
    ids: frozenset[str],
    text: str,
    *,
    typographer: bool,
) -> bool:
    """Return whether the rendered Markdown equals the document. Evident blocks are not compared.

    An empty line ends every block, so blocks do not change each other; lists in a row are kept apart by the writer.
    """
    if len(doubtful) < len(wanted.children) and not typographer:
        blocks: list[Node] = [wanted.children[number] for number in doubtful]
        numbers = frozenset(place for place, number in enumerate(doubtful) if number in as_html)
        text = MarkdownWriter(numbers).document(Element("", {}, blocks))
    else:
        blocks = wanted.children
    shown = normal_form(parse(markdown.render(text, typographer=typographer)), ids)
    return shown.children == blocks


def is_evident(block: Node) -> bool:
    """Return whether a paragraph is so plain that its Markdown is certainly rendered as the same paragraph.

    It begins with a letter and holds plain text, emphasis of words between spaces, and links with plain addresses.
    """
    if not isinstance(block, Element) or block.tag != "p" or block.attrs or not isinstance(block.children[0], str):
        return False
    if not block.children[0][:1].isalpha():
        return False
    following = [*block.children[1:], " "]
    before = " "
    for child, after in zip(block.children, following, strict=True):
        if isinstance(child, str):
            if not _PLAIN.fullmatch(child):
                return False
            before = child
            continue
        if not isinstance(child, Element) or len(child.children) != 1 or not isinstance(child.children[0], str):
            return False
        inner, is_apart = child.children[0], before.endswith(" ") and isinstance(after, str) and after[:1] == " "
        if not _WORDS.fullmatch(inner) or not is_apart:
            return False
        is_link = child.tag == "a" and child.attrs.keys() == {"href"} and _PLAIN_ADDRESS.fullmatch(child.attrs["href"])
        if not is_link and (child.tag not in ("strong", "em") or child.attrs):
            return False
        before = ""
    return block.children[-1:] != [" "]


def best_markdown(root: Element) -> Converted:
    """Return the document as Markdown without verification, for people who want no HTML files."""
    writer = MarkdownWriter()
    text = writer.document(normal_form(root, linked_ids(root)))
    return Converted(text, writer.raw_blocks)


def _unequal(wanted: Element, as_html: frozenset[int], ids: frozenset[str], *, typographer: bool) -> frozenset[int]:
    """Return the numbers of the top-level blocks that differ after rendering each one alone."""
    found = set()
    for number, block in enumerate(wanted.children):
        if number in as_html:
            continue
        text = MarkdownWriter().document(Element("", {}, [block]))
        shown = normal_form(parse(markdown.render(text, typographer=typographer)), ids)
        if shown.children != [block]:
            found.add(number)
    return frozenset(found)
