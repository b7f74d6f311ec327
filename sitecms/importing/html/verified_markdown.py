"""Conversion of HTML to Markdown that is verified: rendering the Markdown again gives the same document."""

from msgspec import Struct

from sitecms.content.text import markdown
from sitecms.content.text.markdown import DEFAULT_EXTENSIONS, Extensions
from sitecms.importing.html.normal_form import linked_ids, normal_form
from sitecms.importing.html.to_markdown import MarkdownWriter
from sitecms.importing.html.tree import Element, parse

MAX_RAW_SHARE = 0.5
"""Largest share of blocks that may be HTML within Markdown; above it the whole text stays HTML."""


class Converted(Struct, frozen=True):
    """Markdown text, and the number of its blocks that are HTML."""

    text: str
    raw_blocks: int = 0


def to_markdown(root: Element, *, extensions: Extensions = DEFAULT_EXTENSIONS) -> Converted | None:
    """Return the document as Markdown; None if the rendered Markdown would differ from the document.

    Blocks that differ after rendering are written as HTML within the Markdown, if they are few.
    """
    ids = linked_ids(root)
    document = normal_form(root, ids)
    if not document.children:
        return Converted("")
    as_html: frozenset[int] = frozenset()
    for _attempt in range(2):
        writer = MarkdownWriter(as_html)
        text = writer.document(document)
        if writer.raw_blocks > max(1, MAX_RAW_SHARE * len(document.children)):
            return None
        if _rendered(text, ids, extensions).children == document.children:
            return Converted(text, writer.raw_blocks)
        as_html |= _unequal(document, as_html, ids, extensions=extensions)
    return None


def _rendered(text: str, ids: frozenset[str], extensions: Extensions) -> Element:
    """Return the normal form of the document that the Markdown is rendered as."""
    return normal_form(parse(markdown.render(text, extensions=extensions)), ids)


def best_markdown(root: Element) -> Converted:
    """Return the document as Markdown without verification, for people who want no HTML files."""
    writer = MarkdownWriter()
    text = writer.document(normal_form(root, linked_ids(root)))
    return Converted(text, writer.raw_blocks)


def _unequal(
    document: Element, as_html: frozenset[int], ids: frozenset[str], *, extensions: Extensions
) -> frozenset[int]:
    """Return the numbers of the top-level blocks that differ after rendering each one alone."""
    unequal = set()
    for number, block in enumerate(document.children):
        if number in as_html:
            continue
        text = MarkdownWriter().document(Element("", {}, [block]))
        if _rendered(text, ids, extensions).children != [block]:
            unequal.add(number)
    return frozenset(unequal)
