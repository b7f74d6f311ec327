"""Conversion of HTML to Markdown that is verified: rendering the Markdown again gives the same document.

A block whose Markdown is certainly rendered as the same block, by the rules of CommonMark, needs no verification, which
takes most of the time of a conversion.
"""

import re

from msgspec import Struct

from sitecms.content.text import markdown
from sitecms.content.text.markdown import DEFAULT_EXTENSIONS, Extensions
from sitecms.importing.html.normal_form import linked_ids, normal_form
from sitecms.importing.html.to_markdown import MarkdownWriter
from sitecms.importing.html.tree import Element, Node, parse

MAX_RAW_SHARE = 0.5
"""Largest share of blocks that may be HTML within Markdown; above it the whole text stays HTML."""


_SIGNS = re.compile(r"[\\`*_\[\]<~^|{}$\x00-\x1f]|://|==|:[\w+’'-]+:")
"""Signs that may have a meaning in Markdown or an extension, or need an escape."""
_START = re.compile(r"[^\W\d_]|\d+(?![\d.)])|[(\"'“”„‘’«»（《【—–…]")
_MARKED = re.compile(r"[^\W_](?:.*[^\W_])?")
_NEIGHBOUR = re.compile(r"[ \xa0.,;:!?()\"'/“”„‘’«»–—…、。，；：（）-]")
"""Signs beside emphasis that are white space or punctuation, so that its marks open or close it, never both."""
_ADDRESS = re.compile(r"(?:(?:https?:/)?/|media/)(?:[A-Za-z0-9./?=#_~+,-]|%[0-9A-F]{2})*")
_LANGUAGE = re.compile(r"[\w+#.-]*")
_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})


class Converted(Struct, frozen=True):
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


def is_evident(block: Node) -> bool:
    """Return whether a block is so plain that its Markdown is certainly rendered as the same block."""
    if not isinstance(block, Element):
        return False
    if block.tag == "pre":
        return _is_plain_code(block)
    if block.attrs:
        return False
    match block.tag:
        case "p":
            return _is_plain_line(block.children)
        case "figure":
            return _is_plain_figure(block)
        case "blockquote":
            return bool(block.children) and all(_is_paragraph(child) for child in block.children)
        case "ul" | "ol":
            return all(_is_plain_item(child) for child in block.children)
        case _ if block.tag in _HEADINGS:
            last = block.children[-1]
            has_break = any(isinstance(child, Element) and child.tag == "br" for child in block.children)
            return not has_break and isinstance(last, str) and last[-1:] != "#" and _is_plain_line(block.children)
    return False


def _is_paragraph(node: Node) -> bool:
    return isinstance(node, Element) and node.tag == "p" and is_evident(node)


def _is_plain_item(node: Node) -> bool:
    is_item = isinstance(node, Element) and node.tag == "li" and not node.attrs and len(node.children) == 1
    return isinstance(node, Element) and is_item and _is_paragraph(node.children[0])


def _is_plain_code(block: Element) -> bool:
    text = block.text()
    is_named = block.attrs.keys() <= {"language"} and _LANGUAGE.fullmatch(block.attrs.get("language", ""))
    return bool(is_named and text.strip()) and text.replace("\n", "").replace("\t", "").isprintable()


def _is_plain_figure(block: Element) -> bool:
    """Return whether it is a picture, in a link or not, with a caption of plain text or without one."""
    picture, *rest = block.children
    if isinstance(picture, Element) and picture.tag == "a":
        if picture.attrs.keys() != {"href"} or not _ADDRESS.fullmatch(picture.attrs["href"]):
            return False
        picture = picture.children[0]
    if not isinstance(picture, Element) or picture.attrs.keys() != {"src", "alt"}:
        return False
    caption = "".join(child.text() for child in rest if isinstance(child, Element))
    is_caption = all(isinstance(child, Element) and not child.attrs and _is_text(child.children) for child in rest)
    return bool(
        is_caption and _ADDRESS.fullmatch(picture.attrs["src"]) and all(map(_is_plain, (picture.attrs["alt"], caption)))
    )


def _is_text(nodes: list[Node]) -> bool:
    return len(nodes) == 1 and isinstance(nodes[0], str)


def _is_plain(text: str) -> bool:
    """Return whether a text in quotation marks or brackets stands for itself."""
    return text == text.strip() and '"' not in text and text.isprintable() and not _SIGNS.search(text)


def _is_plain_line(nodes: list[Node]) -> bool:
    """Return whether inline nodes are text, emphasis, code, links with plain addresses, and line breaks."""
    before = "\n"
    for place, node in enumerate(nodes):
        after = nodes[place + 1] if place + 1 < len(nodes) else " "
        if isinstance(node, str):
            if not _is_plain_text(node, is_start=before == "\n", after=after):
                return False
            before = node
        elif not isinstance(node, Element) or not _is_plain_inline(node, before, after):
            return False
        else:
            before = "\n" if node.tag == "br" else ""
    return before != "\n"


def _is_plain_text(text: str, *, is_start: bool, after: Node) -> bool:
    if is_start and not _START.match(text):
        return False
    is_last = after == " "
    if is_last and text[-1:].isspace():
        return False
    if text[-1:] == "!" and isinstance(after, Element) and after.tag == "a":  # `![` begins an image
        return False
    return text.replace("\xa0", " ").isprintable() and not _SIGNS.search(text)


def _is_plain_inline(node: Element, before: str, after: Node) -> bool:
    if node.tag == "br":
        return not node.attrs and before != "\n" and after != " "
    if not _is_text(node.children):
        return False
    text = str(node.children[0])
    match node.tag:
        case "code":
            return not node.attrs and "`" not in text and text.isprintable()
        case "a":
            is_link = node.attrs.keys() == {"href"} and _ADDRESS.fullmatch(node.attrs["href"])
            return bool(is_link) and text == text.strip() and text.isprintable() and not _SIGNS.search(text)
        case "strong" | "em":
            is_apart = _NEIGHBOUR.match(before[-1:] or "x") or before == "\n"
            is_apart_after = isinstance(after, str) and _NEIGHBOUR.match(after)
            is_plain = _MARKED.fullmatch(text) and text.isprintable() and not _SIGNS.search(text)
            return bool(not node.attrs and is_apart and is_apart_after and is_plain)
    return False
