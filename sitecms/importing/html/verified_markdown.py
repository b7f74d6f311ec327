"""Conversion of HTML to Markdown that is verified: rendering the Markdown again gives the same document."""

from dataclasses import dataclass

from sitecms.content.text import markdown
from sitecms.content.text.markdown import DEFAULT_EXTENSIONS, Extensions
from sitecms.importing.html.evident import is_evident
from sitecms.importing.html.normal_form import linked_ids, normal_form
from sitecms.importing.html.to_markdown import MarkdownWriter
from sitecms.importing.html.tree import Element, Node, parse

MAX_RAW_SHARE = 0.5
"""Largest share of blocks that may be HTML within Markdown; above it the whole text stays HTML."""


@dataclass(frozen=True, slots=True)
class Converted:
    """Markdown text, and the number of its blocks that are HTML."""

    text: str
    raw_blocks: int = 0


def to_markdown(root: Element, *, extensions: Extensions = DEFAULT_EXTENSIONS) -> Converted | None:
    """Return the document as Markdown; None if the rendered Markdown would differ from the document.

    Blocks that differ after rendering are written as HTML within the Markdown, if they are few.
    """
    ids = linked_ids(root)
    wanted = normal_form(root, ids)
    if not wanted.children:
        return Converted("")
    as_html: frozenset[int] = frozenset()
    is_plain = "typographer" not in extensions  # it changes plain text
    doubtful = [number for number, block in enumerate(wanted.children) if not (is_plain and is_evident(block))]
    for _attempt in range(2):
        writer = MarkdownWriter(as_html)
        text = writer.document(wanted)
        if writer.raw_blocks > max(1, MAX_RAW_SHARE * len(wanted.children)):
            return None
        if not doubtful or _is_equal(wanted, doubtful, as_html, ids, text, extensions=extensions):
            return Converted(text, writer.raw_blocks)
        as_html |= _unequal(wanted, as_html, ids, extensions=extensions)
    return None


def _is_equal(
    wanted: Element,
    doubtful: list[int],
    as_html: frozenset[int],
    ids: frozenset[str],
    text: str,
    *,
    extensions: Extensions,
) -> bool:
    """Return whether the rendered Markdown equals the document. Evident blocks are not compared.

    An empty line ends every block, so blocks do not change each other; lists in a row are kept apart by the writer.
    """
    if len(doubtful) < len(wanted.children):
        blocks: list[Node] = [wanted.children[number] for number in doubtful]
        numbers = frozenset(place for place, number in enumerate(doubtful) if number in as_html)
        text = MarkdownWriter(numbers).document(Element("", {}, blocks))
    else:
        blocks = wanted.children
    shown = normal_form(parse(markdown.render(text, extensions=extensions)), ids)
    return shown.children == blocks


def best_markdown(root: Element) -> Converted:
    """Return the document as Markdown without verification, for people who want no HTML files."""
    writer = MarkdownWriter()
    text = writer.document(normal_form(root, linked_ids(root)))
    return Converted(text, writer.raw_blocks)


def _unequal(
    wanted: Element, as_html: frozenset[int], ids: frozenset[str], *, extensions: Extensions
) -> frozenset[int]:
    """Return the numbers of the top-level blocks that differ after rendering each one alone."""
    found = set()
    for number, block in enumerate(wanted.children):
        if number in as_html:
            continue
        text = MarkdownWriter().document(Element("", {}, [block]))
        shown = normal_form(parse(markdown.render(text, extensions=extensions)), ids)
        if shown.children != [block]:
            found.add(number)
    return frozenset(found)
