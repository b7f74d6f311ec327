"""Code of several lines that stands outside of `<pre>`: a block of code, as readers saw it."""

from sitecms.importing.html.tree import Element, Node, Remark

_WRAPPERS = frozenset({"b", "big", "em", "font", "i", "small", "span", "strong", "tt"})
_NO_BLOCKS = frozenset({"a", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "summary"}) | _WRAPPERS


def use_code_blocks(root: Element) -> None:
    """Make a block of each code of several lines below an element that may hold one."""
    root.children = _children(root)


def lines_of(code: Element) -> str:
    """Return the text of code as it is shown: a line end for each `<br>`, however it is written."""
    text = ""
    for child in code.children:
        if isinstance(child, str):
            text += child.removeprefix("\n") if text.endswith("\n") else child
        elif isinstance(child, Element):
            text += "\n" if child.tag == "br" else lines_of(child)
    return text


def _children(parent: Element) -> list[Node]:
    nodes: list[Node] = []
    for child in parent.children:
        if not isinstance(child, Element) or child.tag == "pre":
            nodes.append(child)
            continue
        if parent.tag not in _NO_BLOCKS and parent.tag != "p" and (code := _code_of(child)):
            nodes.append(_block(code))
        elif child.tag == "p" and any(_code_of(each) for each in child.children):
            nodes += _parts(child)
        else:
            child.children = _children(child)
            nodes.append(child)
    return nodes


def _parts(paragraph: Element) -> list[Node]:
    """Return a paragraph as the texts before, between and after the code in it, and the blocks of that."""
    parts: list[Node] = []
    run: list[Node] = []
    for child in paragraph.children:
        if code := _code_of(child):
            parts += _paragraph(run, paragraph)
            parts.append(_block(code))
            run = []
        else:
            run.append(child)
    return parts + _paragraph(run, paragraph)


def _paragraph(nodes: list[Node], like: Element) -> list[Node]:
    is_empty = all(isinstance(each, Remark) or (isinstance(each, str) and not each.strip()) for each in nodes)
    return [] if is_empty else [Element("p", dict(like.attrs), nodes)]


def _code_of(node: Node) -> Element | None:
    """Return the code of several lines that a node is, in elements without a meaning or not; None for another node."""
    if not isinstance(node, Element):
        return None
    if node.tag in ("code", "tt", "samp", "kbd"):
        return node if _has_lines(node) else None
    inner = [each for each in node.children if not isinstance(each, str) or each.strip()]
    return _code_of(inner[0]) if node.tag in _WRAPPERS and len(inner) == 1 else None


def _has_lines(code: Element) -> bool:
    """Return whether code is shown in several lines: it has line breaks, or keeps those of its text."""
    if any(each.tag in ("img", "a") for each in code.elements()):
        return False
    style = "".join(code.attrs.get("style", "").split()).lower()
    has_breaks = any(each.tag == "br" for each in code.elements()) or "white-space:pre" in style
    return has_breaks and "\n" in lines_of(code).strip()


def _block(code: Element) -> Element:
    attrs = {"class": code.attrs["class"]} if "class" in code.attrs else {}
    return Element("pre", {}, [Element("code", attrs, [lines_of(code).strip("\n")])])
