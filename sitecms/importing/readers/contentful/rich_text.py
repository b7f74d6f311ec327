"""Documents of Contentful, nodes with marks and links, as HTML."""

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

Data = Mapping[str, Any]
_BLOCKS = {
    "paragraph": "p",
    "heading-1": "h1",
    "heading-2": "h2",
    "heading-3": "h3",
    "heading-4": "h4",
    "heading-5": "h5",
    "heading-6": "h6",
    "ordered-list": "ol",
    "unordered-list": "ul",
    "list-item": "li",
    "blockquote": "blockquote",
    "table": "table",
    "table-row": "tr",
    "table-cell": "td",
    "table-header-cell": "th",
}
_MARKS = {
    "code": "code",
    "bold": "strong",
    "italic": "em",
    "underline": "u",
    "superscript": "sup",
    "subscript": "sub",
    "strikethrough": "s",
}
_ONE_PARAGRAPH = ("list-item", "table-cell", "table-header-cell")


class RichText:
    """Writer of documents. `link` returns the address and title of an entry or asset, or None for an unknown one."""

    def __init__(self, link: Callable[[str, str], tuple[str, str] | None], report: Callable[[str], None]) -> None:
        self._link, self._report = link, report

    def html(self, node: object) -> str:
        """Return a node and everything in it; `report` gets the type of each one without an equivalent."""
        if not isinstance(node, dict):
            return ""
        kind = str(node.get("nodeType") or "")
        if kind == "text":
            return self._text(node)
        inner = self._children(node)
        if kind in _BLOCKS:
            if (
                kind in _ONE_PARAGRAPH
                and inner.count("<p>") == 1
                and inner.startswith("<p>")
                and inner.endswith("</p>")
            ):
                inner = inner.removeprefix("<p>").removesuffix("</p>")
            is_empty = kind == "paragraph" and not inner.strip()
            return "" if is_empty else f"<{_BLOCKS[kind]}>{inner}</{_BLOCKS[kind]}>"
        data = node.get("data")
        target = data if isinstance(data, dict) else {}
        match kind:
            case "document":
                return inner
            case "hr":
                return "<hr>"
            case "hyperlink":
                return f'<a href="{escape(str(target.get("uri") or ""))}">{inner}</a>'
            case "entry-hyperlink" | "asset-hyperlink":
                return self._linked(target, inner)
            case "embedded-asset-block":
                return self._asset(target)
            case "embedded-entry-block":
                linked = self._linked(target, "")
                return f"<p>{linked}</p>" if linked else ""
            case "embedded-entry-inline" | "resource-hyperlink":
                return self._linked(target, inner)
        self._report(kind or "node without a type")
        return inner

    def _children(self, node: Data) -> str:
        content = node.get("content")
        return "".join(map(self.html, content)) if isinstance(content, list) else ""

    def _text(self, node: Data) -> str:
        lines = str(node.get("value") or "").split("\n")
        html = "<br>".join(escape(line, quote=False) for line in lines)
        marks = node.get("marks")
        for mark in marks if isinstance(marks, list) else ():
            if tag := _MARKS.get(str(mark.get("type")) if isinstance(mark, dict) else ""):
                html = f"<{tag}>{html}</{tag}>"
        return html

    def _target(self, data: Data) -> tuple[str, str] | None:
        target = data.get("target")
        facts = target.get("sys") if isinstance(target, dict) else None
        if not isinstance(facts, dict):
            return None
        return self._link(str(facts.get("linkType") or facts.get("type") or ""), str(facts.get("id") or ""))

    def _linked(self, data: Data, inner: str) -> str:
        target = self._target(data)
        if target is None:
            self._report("link to content that is not in the export")
            return inner
        address, title = target
        shown = inner or escape(title, quote=False)
        return f'<a href="{escape(address)}">{shown}</a>' if address else shown

    def _asset(self, data: Data) -> str:
        target = self._target(data)
        if target is None:
            self._report("asset that is not in the export")
            return ""
        return f'<figure><img src="{escape(target[0])}" alt="{escape(target[1])}"></figure>'
