"""HTML to Markdown, with proof: what our own renderer makes of the Markdown is the same document."""

from dataclasses import dataclass

from sitecms.content.text import markdown
from sitecms.importing.html.normal import linked_ids, normal_form
from sitecms.importing.html.to_markdown import MarkdownWriter
from sitecms.importing.html.tree import Element, parse

MAX_RAW_SHARE = 0.5
"""Most of the blocks of a Markdown text that may stand in it as HTML; beyond it the text stays HTML as a whole."""


@dataclass(frozen=True, slots=True)
class Converted:
    """Markdown, and how many of its blocks are HTML."""

    text: str
    raw_blocks: int = 0


def to_markdown(root: Element, *, typographer: bool = False) -> Converted | None:
    """Return the document as Markdown; None if Markdown would not say the same.

    Blocks that do not come back equal are written as HTML within the Markdown, if they are few.
    """
    ids = linked_ids(root)
    wanted = normal_form(root, ids)
    if not wanted.children:
        return Converted("")
    as_html: frozenset[int] = frozenset()
    for _attempt in range(2):
        writer = MarkdownWriter(as_html)
        text = writer.document(wanted)
        if writer.raw_blocks > max(1, MAX_RAW_SHARE * len(wanted.children)):
            return None
        shown = normal_form(parse(markdown.render(text, typographer=typographer)), ids)
        if shown.children == wanted.children:
            return Converted(text, writer.raw_blocks)
        as_html |= _unequal(wanted, as_html, ids, typographer=typographer)
    return None


def best_markdown(root: Element) -> Converted:
    """Return the document as Markdown without proof, for people who want no HTML files."""
    writer = MarkdownWriter()
    text = writer.document(normal_form(root, linked_ids(root)))
    return Converted(text, writer.raw_blocks)


def _unequal(wanted: Element, as_html: frozenset[int], ids: frozenset[str], *, typographer: bool) -> frozenset[int]:
    """Return the numbers of the top-level blocks that do not come back equal when rendered alone."""
    found = set()
    for number, block in enumerate(wanted.children):
        if number in as_html:
            continue
        text = MarkdownWriter().document(Element("", {}, [block]))
        shown = normal_form(parse(markdown.render(text, typographer=typographer)), ids)
        if shown.children != [block]:
            found.add(number)
    return frozenset(found)
