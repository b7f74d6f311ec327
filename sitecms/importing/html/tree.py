"""Tree of HTML elements: HTML5 parser and serializer."""

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import TypeAlias

from msgspec import Struct, field
from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_DEPTH = 150
"""Deeper elements are lifted up to this depth; no author writes so deep."""
VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "param"}
)
RAW = frozenset({"script", "style", "xmp", "noembed", "noframes", "iframe"})
_MAX_OPEN = 2 * MAX_DEPTH
_TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*)\b[^<>]*>", re.I)
_ENDS_BY_ITSELF = VOID | frozenset(
    {"p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "tbody", "thead", "tfoot", "colgroup", "rt", "rp"}
)
_BODY = re.compile(r"<(?:!doctype|html|head|body)\b", re.I)


class Element(Struct):
    """An element: its tag in lower case, its attributes and its children. The root has the tag ""."""

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    children: "list[Node]" = field(default_factory=list)

    def elements(self) -> "Iterator[Element]":
        """Yield the elements below this one, in order of the document; the tree may be changed meanwhile."""
        for child in tuple(self.children):
            if isinstance(child, Element):
                yield child
                yield from child.elements()

    def text(self) -> str:
        """Return the text of this element and all below it."""
        return "".join(
            child if isinstance(child, str) else child.text() if isinstance(child, Element) else ""
            for child in self.children
        )

    def find(self, tag: str) -> "Element | None":
        """Return the first element of that tag below this one."""
        return next((each for each in self.elements() if each.tag == tag), None)

    def classes(self) -> frozenset[str]:
        """Return the names in the attribute class."""
        return frozenset(self.attrs.get("class", "").split())

    def with_class(self, name: str) -> "Element | None":
        """Return the first element of that class below this one."""
        return next((each for each in self.elements() if name in each.classes()), None)


class Remark(Struct, frozen=True):
    """A comment, as `<!-- wp:more -->`."""

    text: str


Node: TypeAlias = Element | Remark | str


def parse(html: str) -> Element:
    """Return the root above the nodes of a fragment, or of the body of a whole document."""
    root = Element("")
    if html.count("<") > _MAX_OPEN:
        html = _without_depth(html)
    if _BODY.search(html, 0, 2000):
        body = LexborHTMLParser(html).body
        top = body.first_child if body else None
    else:
        top = LexborHTMLParser(html, is_fragment=True).root
        while top is not None and top.prev is not None:
            top = top.prev
    _fill(root, top)
    return root


def _without_depth(html: str) -> str:
    """Return the HTML without tags of elements that are too many in each other: the parser takes quadratic time."""
    still_open: dict[str, int] = {}
    left_out: dict[str, int] = {}

    def checked(match: re.Match[str]) -> str:
        name = match[2].lower()
        if name in _ENDS_BY_ITSELF:
            return match[0]
        count = still_open.get(name, 0)
        if not match[1]:
            counts = left_out if count >= _MAX_OPEN else still_open
        else:
            counts = left_out if left_out.get(name) else still_open
        is_kept = counts is still_open
        counts[name] = max(0, counts.get(name, 0) + (-1 if match[1] else 1))
        return match[0] if is_kept else ""

    return _TAG.sub(checked, html)


def _fill(root: Element, top: LexborNode | None) -> None:
    """Add a node and those after it. Without recursion, since depth is the author's choice."""
    path: list[Element] = [root]
    stack: list[tuple[LexborNode | None, int]] = [(top, 1)]
    while stack:
        node, depth = stack.pop()
        if node is None:
            continue
        stack.append((node.next, depth))
        del path[depth:]
        parent = path[min(depth, MAX_DEPTH) - 1]
        if node.is_text_node:
            text = node.text_content or ""
            if parent.children and isinstance(parent.children[-1], str):
                parent.children[-1] += text
            elif text:
                parent.children.append(text)
        elif node.is_comment_node:
            parent.children.append(Remark(node.comment_content or ""))
        elif node.is_element_node:
            attrs = {name: value or "" for name, value in node.attributes.items()}
            element = Element((node.tag or "").lower(), attrs)
            parent.children.append(element)
            path.append(element)
            stack.append((node.first_child, depth + 1))


def line_of(element: Element | None) -> str:
    """Return the text of an element with each run of white space as one space; "" for None."""
    return " ".join(element.text().split()) if element else ""


def check_box(node: Element) -> "Element | None":
    """Return the check box with which an item of a task list begins, in a label, span or paragraph or not."""
    first = next((child for child in node.children if not isinstance(child, str) or child.strip()), None)
    if not isinstance(first, Element):
        return None
    if first.tag == "input" and first.attrs.get("type", "").lower() == "checkbox":
        return first
    return check_box(first) if first.tag in ("label", "span", "p", "div") else None


def to_html(node: Node) -> str:
    """Return the node as HTML; for the root, that of its children."""
    if isinstance(node, str):
        return escape(node, quote=False)
    if isinstance(node, Remark):
        return f"<!--{node.text}-->"
    inner = "".join(map(to_html, node.children)) if node.tag not in RAW else node.text()
    if not node.tag:
        return inner
    attrs = "".join(f' {name}="{escape(value)}"' for name, value in node.attrs.items())
    if node.tag in VOID:
        return f"<{node.tag}{attrs}>"
    newline = "\n" if node.tag in ("pre", "textarea") and inner.startswith("\n") else ""
    return f"<{node.tag}{attrs}>{newline}{inner}</{node.tag}>"


def replace_children(element: Element, change: "Callable[[Node], list[Node] | None]") -> None:
    """Replace each node below an element by what `change` returns for it, children first; None keeps it."""
    changed: list[Node] = []
    for child in element.children:
        if isinstance(child, Element):
            replace_children(child, change)
        replacement = change(child)
        changed += [child] if replacement is None else replacement
    element.children = changed


def rewrite(element: Element, change: "Callable[[Node], list[Node] | None]") -> None:
    """Replace each node below an element by what `change` returns for it; None keeps it. The outer ones come first.

    `change` is not called for the nodes that it returned, but for their children.
    """
    changed: list[Node] = []
    for child in element.children:
        replacement = change(child)
        changed += [child] if replacement is None else replacement
    for child in changed:
        if isinstance(child, Element):
            rewrite(child, change)
    element.children = changed
