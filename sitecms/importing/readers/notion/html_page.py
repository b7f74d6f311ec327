"""Pages of a Notion export in HTML: title, properties and body in plain HTML."""

from collections.abc import Mapping

from sitecms.importing.html.formulas import TAG, formula
from sitecms.importing.html.tree import Element, Node, line_of, parse, rewrite
from sitecms.values import dataclass

_LANGUAGE = ("code", "class")
_KEPT = frozenset(
    {"id", "href", "src", "alt", "title", "start", "width", "height", "colspan", "rowspan", "open", "scope"}
)


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """A page: its title, its properties by name, the address of its cover, and its body."""

    title: str
    properties: Mapping[str, str]
    cover: str
    description: str
    body: Element


def read_html_page(html: str) -> HtmlPage | None:
    """Return a page; None for a file that is none."""
    root = parse(html)
    article = next((each for each in root.elements() if each.tag == "article"), None)
    body = article.with_class("page-body") if article else None
    if article is None or body is None:
        return None
    cover = article.with_class("page-cover-image")
    title, description = article.with_class("page-title"), article.with_class("page-description")
    properties = {}
    for row in (each for each in article.elements() if "property-row" in each.classes()):
        name, value = row.find("th"), row.find("td")
        if name and value:
            properties[" ".join(name.text().split())] = _value(value)
    rewrite(body, _plain)
    return HtmlPage(
        " ".join(title.text().split()) if title else "",
        properties,
        cover.attrs.get("src", "") if cover else "",
        line_of(description),
        Element("", children=body.children),
    )


def _value(cell: Element) -> str:
    """Return the value of a property: several choices with commas, a checkbox as Yes or No, a picture's address."""
    box = cell.with_class("checkbox")
    if box:
        return "Yes" if "checkbox-on" in box.classes() else "No"
    if image := cell.find("img"):
        return image.attrs.get("src", "")
    choices = [each for each in cell.elements() if "selected-value" in each.classes() or "user" in each.classes()]
    if choices:
        return ", ".join(" ".join(each.text().split()) for each in choices)
    status = cell.with_class("status-value") or cell
    return " ".join(status.text().split())


def _plain(node: Node) -> list[Node] | None:
    """Change Notion's markup into plain HTML; None: the node stays, and its children are changed."""
    if not isinstance(node, Element):
        return None if isinstance(node, str) else []
    if node.tag == TAG:
        return None
    classes = node.classes()
    if node.tag == "style" or classes & {"page-header-icon", "table_of_contents"}:  # the theme has contents of its own
        return []
    if "callout" in classes or node.tag == "aside":
        quotation = Element("blockquote", children=_blocks(node))
        rewrite(quotation, _plain)
        return [quotation]
    if "checkbox" in classes and node.tag == "div":
        checked = {"checked": ""} if "checkbox-on" in classes else {}
        return [Element("input", {"type": "checkbox", "disabled": "", **checked}), " "]
    if "bookmark" in classes and node.tag == "a":
        title = node.with_class("bookmark-title")
        text = " ".join(title.text().split()) if title else ""
        return [Element("a", {"href": node.attrs.get("href", "")}, [text or node.attrs.get("href", "")])]
    if node.tag == "figure" and "equation" in classes:
        rewrite(node, _plain)
        return [Element("p", children=node.children)]
    if "katex" in classes or "katex-display" in classes:
        return _formula(node)
    if node.tag == "div" and ({"indented", "column", "column-list", "source"} & classes or not node.attrs.get("id")):
        rewrite(node, _plain)
        return node.children
    if node.tag in ("span", "mark") and "to-do-children" not in " ".join(classes):
        rewrite(node, _plain)
        return node.children
    node.attrs = {name: value for name, value in node.attrs.items() if name in _KEPT or (node.tag, name) == _LANGUAGE}
    return None


def _blocks(callout: Element) -> list[Node]:
    """Return the text of a callout, its symbol at the beginning of the first paragraph."""
    icon = callout.with_class("icon")
    symbol = icon.text().strip() if icon else ""
    boxes = [each for each in callout.children if isinstance(each, Element)]
    content = boxes[-1].children if boxes and icon and len(boxes) > 1 else callout.children
    has_blocks = any(isinstance(each, Element) and each.tag in ("p", "ul", "ol", "h1", "h2", "h3") for each in content)
    blocks: list[Node] = list(content) if has_blocks else [Element("p", children=list(content))]
    first = next((each for each in blocks if isinstance(each, Element) and each.tag == "p"), None)
    if symbol and first:
        first.children.insert(0, f"{symbol} ")
    return blocks


def _formula(node: Element) -> list[Node]:
    """Return a formula by its TeX."""
    source = next((each for each in node.elements() if each.tag == "annotation"), None)
    return [formula(source.text(), is_block="katex-display" in node.classes())] if source else [node.text()]
