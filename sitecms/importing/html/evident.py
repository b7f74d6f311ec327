"""Blocks of a normal form whose Markdown is certainly rendered as the same block, by the rules of CommonMark.

They need no verification, which takes most of the time of a conversion. What is not covered here is merely verified.
"""

import re

from sitecms.importing.html.tree import Element, Node

_SIGNS = re.compile(r"[\\`*_\[\]<~^|{}$\x00-\x1f]|://|==|:[\w+’'-]+:")
"""Signs that may have a meaning in Markdown or an extension, or need an escape."""
_START = re.compile(r"[^\W\d_]|\d+(?![\d.)])|[(\"'“”„‘’«»（《【—–…]")
_MARKED = re.compile(r"[^\W_](?:.*[^\W_])?")
_NEIGHBOUR = re.compile(r"[ \xa0.,;:!?()\"'/“”„‘’«»–—…、。，；：（）-]")
"""Signs beside emphasis that are white space or punctuation, so that its marks open or close it, never both."""
_ADDRESS = re.compile(r"(?:(?:https?:/)?/|media/)(?:[A-Za-z0-9./?=#_~+,-]|%[0-9A-F]{2})*")
_LANGUAGE = re.compile(r"[\w+#.-]*")
_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})


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
