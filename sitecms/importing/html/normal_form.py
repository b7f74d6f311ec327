"""Normal form of a document: its visible content, without markup that editors and converters add.

Two documents that look the same have equal normal forms: `<b>` is `<strong>`, spaces at the ends of emphasis stand
outside of it, text directly in a block is a paragraph, a picture alone is a figure. Classes, styles, sizes and ids that
no link of the text leads to do not count; the alignment of text does.
"""

import re
from collections.abc import Iterable
from urllib.parse import quote

from sitecms.content.text.allowed_html import ATTRIBUTES, BLOCKS, HEADINGS, ON_ALL_TAGS, TABLE_PARTS
from sitecms.content.text.inline_styles import ALIGNMENTS, read_style
from sitecms.content.text.markdown.callouts import KINDS, title_of
from sitecms.importing.html.code_lines import lines_of
from sitecms.importing.html.tree import Element, Node, Remark, check_box

SAME = {
    "b": "strong",
    "i": "em",
    "strike": "s",
    "del": "s",
    "tt": "code",
    "acronym": "abbr",
    "h1": "h2",
    "center": "div",
}
TRANSPARENT = frozenset({"div", "section", "article", "main", "header", "footer", "nav", "address", "aside", "form"})
PLAIN_INLINE = frozenset({"span", "font", "big", "nobr", "label"})
_PLAIN_IN_CODE = frozenset({"code", "pre", "span", "br", "font", "div", "ol", "li", "p", "kbd", "samp", "tt"})
_ITEMS = frozenset({"li", "dt", "dd", "div"})
"""Children of a list; one without them, as people indented texts, is the blocks within it."""
MERGED = frozenset({"strong", "em", "s", "code"})
MEDIA = frozenset({"img", "video", "audio", "iframe", "picture"})
BLOCK_TAGS = BLOCKS | TABLE_PARTS | TRANSPARENT | {"center", "fieldset", "p"}
_IN_ADDRESSES = "%/:?#@!$&'()*+,;=~-._"
_SPACE = re.compile(r"[ \t\n\r\f]{2,}|[\t\n\r\f]")  # a single space stays
_IGNORED = (ON_ALL_TAGS - {"lang", "dir"}) | {
    "style", "width", "height", "loading", "decoding", "srcset", "sizes", "rel", "target", "tabindex", "border",
}  # fmt: skip
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|brush)[-:]\s?([A-Za-z0-9_+#.-]+)")


def normal_form(root: Element, linked_ids: frozenset[str]) -> Element:
    """Return a new tree in normal form; `linked_ids` are the ids that links of the text lead to."""
    return Element("", {}, _Normalizer(linked_ids).blocks(root.children))


def linked_ids(root: Element) -> frozenset[str]:
    """Return the ids that links within the text lead to."""
    targets = (each.attrs.get("href", "") for each in root.elements() if each.tag == "a")
    return frozenset(target[1:] for target in targets if target.startswith("#") and len(target) > 1)


class _Normalizer:
    """Builder of normal forms."""

    def __init__(self, linked: frozenset[str]) -> None:
        self._linked = linked

    def blocks(self, nodes: Iterable[Node], align: str = "") -> list[Node]:
        """Return the nodes as a list of blocks; runs of inline nodes become paragraphs."""
        found: list[Node] = []
        run: list[Node] = []

        def flush() -> None:
            if run:
                found.extend(self._paragraph(run, align))
                run.clear()

        for node in nodes:
            if not isinstance(node, Element) or not _is_block(node):
                run.append(node)
                continue
            flush()
            found += self._block(node, align)
        flush()
        return found

    def _block(self, node: Element, align: str) -> list[Node]:
        tag = SAME.get(node.tag, node.tag)
        align = alignment(node) or align
        attrs = self._attrs(tag, node)
        if tag == "li" and (box := check_box(node)):
            attrs["task"] = "x" if "checked" in box.attrs else " "
        match tag:
            case "p":
                inline = self._paragraph(node.children, align)
                if "id" in attrs and inline and isinstance(inline[0], Element):
                    inline[0].attrs["id"] = attrs["id"]
                return inline
            case "hr":
                return [Element("hr")]
            case "pre":
                return [code_block(node)]
            case "code":
                return self.blocks(node.children, align)  # a block of code within it
            case "figure":
                return self._figure(node, align)
            case "aside" if kind := callout_of(node):
                return [self._callout(kind, node)]
            case _ if tag in HEADINGS:
                inline = self.inline(node.children)
                return [Element(tag, _aligned(attrs, align), inline)] if inline else []
            case _ if tag in TRANSPARENT and not attrs:
                return self.blocks(node.children, align)
            case "div" | "section" | "article" | "span":
                return [Element("div", attrs, self.blocks(node.children, align))]
            case "ul" | "ol" | "dl":
                inner = self.blocks(node.children)
                is_list = any(isinstance(each, Element) and each.tag in _ITEMS for each in inner)
                return [Element(tag, attrs, inner)] if is_list else inner
            case "table" | "tr" | "colgroup" | "thead" | "tbody" | "tfoot":
                inner = [
                    each for child in node.children if isinstance(child, Element) for each in self._block(child, "")
                ]
                if tag == "tfoot":
                    tag = "tbody"
                return [Element(tag, attrs, inner)] if inner or tag == "tr" else []
            case "td" | "th" | "li" | "blockquote" | "dd" | "details" | "figcaption" | "caption":
                return [Element(tag, _aligned(attrs, align if tag in ("td", "th") else ""), self.blocks(node.children))]
            case "dt" | "summary":
                return [Element(tag, attrs, self.inline(node.children))]
        return [Element(tag, attrs, self.blocks(node.children, align))]

    def _callout(self, kind: str, node: Element) -> Element:
        """Return a callout: its kind, its title unless it is the usual one, its content."""
        children = list(node.children)
        first = next((each for each in children if not isinstance(each, str) or each.strip()), None)
        title: list[Node] = []
        if isinstance(first, Element) and "callout-title" in first.classes():
            title = self.inline(first.children)
            children = children[children.index(first) + 1 :]
        is_usual = title in ([], [title_of(kind, "en")])
        heading = [] if is_usual else [Element("callout-title", {}, title)]
        return Element("aside", {"callout": kind}, [*heading, *self.blocks(children)])

    def _paragraph(self, nodes: Iterable[Node], align: str) -> list[Node]:
        """Return a paragraph, a figure for a picture alone, or nothing for one without content.

        Blocks within it, as authors write them in `<a>` or `<span>`, end it.
        """
        inline = self.inline(nodes)
        if not inline:
            return []
        if len(inline) == 1 and isinstance(only := inline[0], Element):
            if only.tag == "img" or (only.tag == "a" and _is_image(only)):
                return [Element("figure", {}, [only])]
            if only.tag in ("iframe", "video", "audio"):
                return [only]
        return [Element("p", {"align": align} if align else {}, inline)]

    def _figure(self, node: Element, align: str) -> list[Node]:
        caption = next((each for each in node.elements() if each.tag == "figcaption"), None)
        others = [child for child in node.children if child is not caption]
        text = self.inline(caption.children) if caption else []
        pictures = (
            self.inline(others) if not any(_is_block(each) for each in others if isinstance(each, Element)) else []
        )
        if len(pictures) == 1 and isinstance(pictures[0], Element) and _is_image(pictures[0]):
            return [Element("figure", {}, [pictures[0], *([Element("figcaption", {}, text)] if text else [])])]
        inner = self.blocks(others, align)
        if not text:
            return inner
        return [Element("figure", {}, [*inner, Element("figcaption", {}, text)])]

    def inline(self, nodes: Iterable[Node]) -> list[Node]:
        """Return inline nodes, spaces collapsed and moved out of emphasis, equal neighbours merged."""
        return _trimmed(self._joined(self._inline(nodes)))

    def _inline(self, nodes: Iterable[Node]) -> list[Node]:
        found: list[Node] = []
        for node in nodes:
            if isinstance(node, str):
                found.append(_collapsed(node))
            elif isinstance(node, Element):
                found += self._inline_element(node)
        return found

    def _inline_element(self, node: Element) -> list[Node]:
        tag = SAME.get(node.tag, node.tag)
        attrs = self._attrs(tag, node)
        if tag in ("br", "wbr", "img", "iframe"):
            return [Element(tag, attrs)]
        if tag == "code" and not any(each.tag in ("a", "img") for each in node.elements()):
            text = _SPACE.sub(" ", lines_of(node)).strip(" ")
            return [Element("code", attrs, [text])] if text else []
        inner = self._joined(self._inline(node.children))
        if (tag in PLAIN_INLINE or tag in BLOCK_TAGS) and not attrs:
            return inner
        if not inner and tag not in MEDIA and "id" not in attrs:
            return []
        if tag == "a" and not attrs:
            return inner
        if tag in MERGED and len(inner) == 1 and isinstance(inner[0], Element) and inner[0].tag == tag:
            return inner
        before, inner, after = _outer_spaces(inner)
        if not inner and tag not in MEDIA and "id" not in attrs:
            return [before or after]
        element = Element(tag, attrs, inner)
        return [each for each in (before, element, after) if each]

    def _joined(self, nodes: list[Node]) -> list[Node]:
        """Return the nodes with neighbouring texts and equal neighbouring emphasis as one."""
        found: list[Node] = []
        for node in nodes:
            last = found[-1] if found else None
            if isinstance(node, str) and isinstance(last, str):
                found[-1] = _collapsed(last + node)
            elif (
                isinstance(node, Element)
                and isinstance(last, Element)
                and node.tag == last.tag
                and node.tag in MERGED
                and node.attrs == last.attrs
            ):
                found[-1] = Element(node.tag, node.attrs, self._joined([*last.children, *node.children]))
            elif node != "":
                found.append(node)
        return found

    def _attrs(self, tag: str, node: Element) -> dict[str, str]:
        """Return the attributes that count."""
        if not node.attrs:
            return {}
        allowed = ATTRIBUTES.get(tag, set()) | {"lang", "dir"}
        kept = {
            name: value.strip()
            for name, value in node.attrs.items()
            if name in allowed and name not in _IGNORED and (value.strip() or name == "alt")
        }
        for name in ("href", "src"):
            if name in kept:
                kept[name] = quote(kept[name], safe=_IN_ADDRESSES)
        if kept.get("dir") == "ltr":
            del kept["dir"]
        if tag == "img":
            kept.setdefault("alt", "")
        if tag == "ol" and kept.get("start") == "1":
            del kept["start"]
        if tag in ("td", "th"):
            kept = {name: value for name, value in kept.items() if not (name.endswith("span") and value == "1")}
            kept.pop("scope", None)
        anchor = node.attrs.get("id") or (node.attrs.get("name", "") if node.tag == "a" else "")
        if anchor and anchor in self._linked:
            kept["id"] = anchor
        return kept


def code_block(node: Element) -> Element:
    """Return a block of code: its text without line ends at its end, and its language.

    One with emphasis or links in it is no code alone, and stays as it is.
    """
    rich = next((each for each in node.elements() if each.tag not in _PLAIN_IN_CODE), None)
    if rich:
        return Element("pre", {"rich": ""}, _copies(node.children))
    inner = node.find("code")
    classes = f"{node.attrs.get('class', '')} {inner.attrs.get('class', '') if inner else ''}"
    language = _LANGUAGE.search(classes)
    for line_break in [each for each in node.elements() if each.tag == "br"]:
        line_break.tag, line_break.children = "span", ["\n"]
    return Element("pre", {"language": language[1]} if language else {}, [node.text().rstrip("\n")])


def _copies(nodes: Iterable[Node]) -> list[Node]:
    """Return elements with the attributes that count, their text as it is."""
    kept = ("href", "title", "src", "alt")
    return [
        Element(
            SAME.get(node.tag, node.tag),
            {name: value for name, value in node.attrs.items() if name in kept},
            _copies(node.children),
        )
        if isinstance(node, Element)
        else node
        for node in nodes
        if not isinstance(node, Remark)
    ]


def callout_of(node: Element) -> str:
    """Return the kind of callout that an element is; "" for any other element."""
    classes = node.classes() if "callout" in node.attrs.get("class", "") else frozenset[str]()
    return next((kind for kind in KINDS if f"callout-{kind}" in classes), "")


def alignment(node: Element) -> str:
    """Return the alignment of a block's text: center, right or justify; "" for the usual one."""
    if not node.attrs:
        return "center" if node.tag == "center" else ""
    classes = node.classes()
    found = next((name for name, known in ALIGNMENTS.items() if known in classes), "")
    found = found or next((name for name in ALIGNMENTS if f"has-text-align-{name}" in classes), "")
    if not found and "style" in node.attrs:
        styled = read_style(node.tag, node.attrs["style"]).classes
        found = next((name for name, known in ALIGNMENTS.items() if known in styled), "")
    if not found and node.tag in BLOCK_TAGS:
        found = node.attrs.get("align", "").lower()
    if node.tag == "center":
        found = "center"
    found = {"start": "left", "end": "right"}.get(found, found)
    return found if found in ("center", "right", "justify") else ""


def _aligned(attrs: dict[str, str], align: str) -> dict[str, str]:
    return {**attrs, "align": align} if align else attrs


def _is_block(node: Element) -> bool:
    """Return whether it is a block, or an inline element without meaning around blocks."""
    if node.tag in BLOCK_TAGS:
        return True
    if node.tag == "code":
        return node.find("pre") is not None
    return node.tag in PLAIN_INLINE and any(
        isinstance(child, Element) and child.tag in BLOCK_TAGS for child in node.children
    )


def _is_image(node: Element) -> bool:
    if node.tag == "img":
        return True
    return (
        node.tag == "a"
        and len(node.children) == 1
        and isinstance(node.children[0], Element)
        and (node.children[0].tag == "img")
    )


def _collapsed(text: str) -> str:
    """Return the text with a single space for each run of white space; most texts have none to collapse."""
    return _SPACE.sub(" ", text) if "  " in text or not text.isprintable() else text


def _outer_spaces(nodes: list[Node]) -> tuple[str, list[Node], str]:
    before = after = ""
    if nodes and isinstance(nodes[0], str) and nodes[0].startswith(" "):
        before, nodes = " ", [nodes[0][1:], *nodes[1:]]
        nodes = nodes if nodes[0] else nodes[1:]
    if nodes and isinstance(nodes[-1], str) and nodes[-1].endswith(" "):
        after, nodes = " ", [*nodes[:-1], nodes[-1][:-1]]
        nodes = nodes if nodes[-1] else nodes[:-1]
    return before, nodes, after


def _trimmed(nodes: list[Node]) -> list[Node]:
    """Return the nodes without spaces and breaks at both ends, and without spaces beside breaks."""
    found: list[Node] = []
    for node in nodes:
        last = found[-1] if found else None
        after_break = last is None or (isinstance(last, Element) and last.tag == "br")
        if isinstance(node, str) and after_break:
            node = node.lstrip(" ")  # noqa: PLW2901 - the same text
            if not node:
                continue
        if isinstance(node, Element) and node.tag == "br":
            if last is None:
                continue
            if isinstance(last, str):
                found[-1] = last.rstrip(" ")
                if not found[-1]:
                    found.pop()
        if isinstance(node, str) and isinstance(last, str):
            found[-1] = _collapsed(last + node)
        else:
            found.append(node)
    while found and (found[-1] == " " or (isinstance(found[-1], Element) and found[-1].tag == "br")):
        found.pop()
    if found and isinstance(found[-1], str):
        found[-1] = found[-1].rstrip(" ")
        if not found[-1]:
            found.pop()
    if all(isinstance(each, str) and not each.strip(" \xa0") for each in found):
        return []
    return found
