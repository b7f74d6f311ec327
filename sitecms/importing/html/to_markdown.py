"""Writer of a tree in normal form as Markdown, with HTML for elements that Markdown does not have."""

import re
from collections.abc import Iterable
from html import escape
from itertools import zip_longest

from sitecms.content.text.markdown.callouts import title_of
from sitecms.importing.html.addresses import destination
from sitecms.importing.html.tree import Element, Node, to_html

_ESCAPED = re.compile(
    r"([\\`*\[\]])|(?<!\w)(_)|(_)(?!\w)|(<)(?=[A-Za-z/!?])|(&)(?=#?\w{1,40};)|(~)(?=~)|(?<=~)(~)"
    r"|(?<=\S)(~)(?=[^\s~]{1,200}~)|(\^)(?=[^\s^]{1,200}\^)|(=)(?==[^\s=])"
)
_MAY_NEED_ESCAPE = re.compile(r"[\\`*\[\]_<&~^=]|://")
_NUMBER = re.compile(r"[0-9]{1,9}")  # as CommonMark has it
_ADDRESS = re.compile(r"(?i)(https?)(://)")
_LINE_START = re.compile(
    r"(?m)^(\s*)(?:(#{1,6})(?=\s|$)|([-+])(?=\s|$|-)|(\d{1,9})([.)])(?=\s|$)|(>|=+\s*$|:(?=\s|::)))"
)
_FENCES = re.compile(r"`+")
_HEADS = {f"h{level}": "#" * level for level in range(1, 7)}
_MARKS = {"strong": "**", "em": "*", "s": "~~"}
_PLAIN_NAME = re.compile(r"[\w+#.-]+")
_EXPRESSIBLE = {
    "p": frozenset[str](),
    "pre": frozenset({"language"}),
    "ol": frozenset({"start"}),
    "aside": frozenset({"callout"}),
}


class MarkdownWriter:
    """Writer of Markdown. `raw_blocks` counts the blocks that were written as HTML."""

    def __init__(self, as_html: frozenset[int] = frozenset()) -> None:
        self._as_html = as_html
        self.raw_blocks = 0

    def document(self, root: Element) -> str:
        """Return the whole text; the top-level blocks whose numbers are in `as_html` become HTML."""
        parts = [
            self._raw(node) if number in self._as_html else self._block(node)
            for number, node in enumerate(root.children)
        ]
        return self._separated(root.children, parts) + "\n"

    def _separated(self, nodes: list[Node], parts: list[str]) -> str:
        """Return the blocks with empty lines between them; two lists in a row are kept apart."""
        text = ""
        for number, part in enumerate(parts):
            if number:
                before, node = nodes[number - 1], nodes[number]
                is_double = (
                    isinstance(before, Element)
                    and isinstance(node, Element)
                    and (before.tag == node.tag and node.tag in ("ul", "ol"))
                )
                text += "\n\n<!-- -->\n\n" if is_double else "\n\n"
            text += part
        return text

    def _blocks(self, nodes: Iterable[Node]) -> str:
        listed = list(nodes)
        return self._separated(listed, [self._block(node) for node in listed])

    def _block(self, node: Node) -> str:
        if not isinstance(node, Element):
            return self._inline([node])
        if set(node.attrs) - _EXPRESSIBLE.get(node.tag, frozenset()):
            return self._raw(node)
        match node.tag:
            case "p":
                return _line_starts(self._inline(node.children))
            case "hr":
                return "---"
            case "pre":
                return _fenced(node)
            case "figure":
                return self._figure(node)
            case "blockquote":
                return _prefixed(self._blocks(node.children), "> ", "> ") if node.children else self._raw(node)
            case "ul" | "ol":
                return self._list(node)
            case "aside" | "details":
                return self._directive(node) or self._raw(node)
            case "table":
                return self._table(node) or self._raw(node)
            case _ if node.tag in _HEADS:
                text = self._inline(node.children)
                return f"{_HEADS[node.tag]} {text}" if "\n" not in text and not text.endswith("#") else self._raw(node)
        return self._raw(node)

    def _directive(self, node: Element) -> str:
        """Return a callout, or details with a summary, as a directive; "" for any other element."""
        first, rest = (node.children[:1], node.children[1:])
        has_title = bool(first) and isinstance(first[0], Element) and first[0].tag in ("callout-title", "summary")
        title = self._inline(first[0].children) if has_title and isinstance(first[0], Element) else ""
        name = node.attrs.get("callout", "") or ("details" if has_title and title else "")
        if not name or "\n" in title or "{" in title:
            return ""
        content = self._blocks(rest if has_title else node.children)
        return f"::: {name} {title}".rstrip() + (f"\n\n{content}" if content else "") + "\n\n:::"

    def _list(self, node: Element) -> str:
        start = node.attrs.get("start", "")
        number = int(start) if _NUMBER.fullmatch(start) else 1
        is_tight = all(_is_tight(item) for item in node.children if isinstance(item, Element))
        lines = []
        for place, item in enumerate(node.children):
            if not isinstance(item, Element) or item.tag != "li" or item.attrs.keys() - {"task"} or not item.children:
                return self._raw(node)
            mark = f"{number + place}. " if node.tag == "ol" else "- "
            parts = [self._block(child) for child in item.children]
            if "task" in item.attrs:
                parts[0] = f"[{item.attrs['task']}] {parts[0]}"
            inner = "\n".join(parts) if is_tight else self._separated(item.children, parts)
            lines.append(_prefixed(inner, mark, " " * len(mark)))
        return ("\n" if is_tight else "\n\n").join(lines)

    def _figure(self, node: Element) -> str:
        picture, *rest = node.children
        if not isinstance(picture, Element) or picture.tag not in ("img", "a") or len(rest) > 1:
            return self._raw(node)
        caption = ""
        if rest:
            inner = rest[0].children if isinstance(rest[0], Element) else []
            if len(inner) != 1 or not isinstance(inner[0], str):
                return self._raw(node)
            caption = inner[0]
        image = picture if picture.tag == "img" else (picture.children or [""])[0]
        if not isinstance(image, Element) or image.tag != "img" or "title" in image.attrs:
            return self._raw(node)
        markdown = _image(image, caption)
        if markdown is None:
            return self._raw(node)
        return markdown if picture.tag == "img" else self._link(picture, markdown) or self._raw(node)

    def _table(self, node: Element) -> str:
        """Return a table with one head row; "" for any other."""
        rows = [row for part in node.children if isinstance(part, Element) for row in part.children]
        heads = [part for part in node.children if isinstance(part, Element) and part.tag == "thead"]
        parts = [part.tag for part in node.children if isinstance(part, Element)]
        if len(heads) != 1 or len(heads[0].children) != 1 or parts not in (["thead", "tbody"], ["thead"]):
            return ""
        lines: list[list[str]] = []
        aligns: list[str] = []
        for row in rows:
            cells = (
                [self._cell(cell) for cell in row.children if isinstance(cell, Element)]
                if isinstance(row, Element)
                else []
            )
            if any(cell is None for cell in cells) or not cells:
                return ""
            lines.append([cell or "" for cell in cells])
            if not aligns and isinstance(row, Element):
                aligns = [cell.attrs.get("align", "") for cell in row.children if isinstance(cell, Element)]
        if len({len(line) for line in lines}) != 1:
            return ""
        rule = [{"center": ":---:", "right": "---:", "": "---"}.get(align, "---") for align in aligns]
        return "\n".join("| " + " | ".join(line) + " |" for line in (lines[0], rule, *lines[1:]))

    def _cell(self, cell: Element) -> str | None:
        if set(cell.attrs) - {"align"} or len(cell.children) > 1:
            return None
        if not cell.children:
            return ""
        inner = cell.children[0]
        if not isinstance(inner, Element) or inner.tag not in ("p", "figure"):
            return None
        nodes = inner.children
        text = self._inline(nodes)
        return None if "\n" in text else text.replace("|", "\\|")

    def _inline(self, nodes: Iterable[Node]) -> str:
        listed, text = list(nodes), ""
        for node, following in zip_longest(listed, listed[1:], fillvalue=""):
            if isinstance(node, Element) and node.tag in _MARKS and not node.attrs:
                inner = self._inline(node.children)
                mark = _MARKS[node.tag]
                is_marked = _may_be_marked(text, inner, following)
                text += f"{mark}{inner}{mark}" if is_marked else f"<{node.tag}>{inner}</{node.tag}>"
            else:
                text += self._inline_node(node)
        return text

    def _inline_node(self, node: Node) -> str:
        if isinstance(node, str):
            return escaped(node)
        if not isinstance(node, Element):
            return ""
        inner = node.children
        match node.tag:
            case "br":
                return "\\\n"
            case "code" if not node.attrs and all(isinstance(child, str) for child in inner):
                return _code(node.text())
            case "img":
                markdown = _image(node, node.attrs.get("title", ""))
                return markdown if markdown is not None else to_html(node)
            case "a":
                return self._link(node, self._inline(inner)) or self._tagged(node)
        return self._tagged(node)

    def _link(self, node: Element, text: str) -> str:
        """Return a link; "" for one that Markdown cannot express."""
        if set(node.attrs) - {"href", "title"} or "href" not in node.attrs or "\n\n" in text:
            return ""
        href = node.attrs["href"]
        if node.text() == href and re.fullmatch(r"https?://[^\s<>\\]+", href):
            return f"<{href}>"
        title = f' "{_title(node.attrs["title"])}"' if "title" in node.attrs else ""
        return f"[{text}]({destination(href)}{title})"

    def _tagged(self, node: Element) -> str:
        """Return an inline element as a tag around Markdown."""
        attrs = "".join(f' {name}="{escape(value)}"' for name, value in node.attrs.items())
        if not node.children and node.tag in ("wbr", "img"):
            return f"<{node.tag}{attrs}>"
        return f"<{node.tag}{attrs}>{self._inline(node.children)}</{node.tag}>"

    def _raw(self, node: Node) -> str:
        """Return a block as HTML without empty lines, which would end it."""
        self.raw_blocks += 1
        return raw_html(node)


def _may_be_marked(before: str, inner: str, following: Node) -> bool:
    """Return whether asterisks around a text are parsed as emphasis (CommonMark, flanking delimiters)."""
    if not inner or before.endswith(("*", "~")) or (isinstance(following, Element) and following.tag in _MARKS):
        return False
    last = before[-1:]
    first = following[:1] if isinstance(following, str) else "."
    opens = inner[0].isalnum() or not last or not last.isalnum()
    closes = inner[-1].isalnum() or not first.isalnum()
    return opens and closes and not inner[0].isspace() and not inner[-1].isspace()


def raw_html(node: Node) -> str:
    """Return a block of a normal form as HTML, its alignment as a class, its code in `<pre><code>`."""
    html = to_html(_denormal(node)) if isinstance(node, Element) else to_html(node)
    return re.sub(r"\n(?=[ \t]*\n)", "&#10;", html)


def _denormal(node: Element) -> Element:
    attrs = dict(node.attrs)
    if align := attrs.pop("align", ""):
        attrs["class"] = f"align-{align}"
    task = attrs.pop("task", "")
    children: list[Node] = [_denormal(child) if isinstance(child, Element) else child for child in node.children]
    if node.tag == "pre" and attrs.pop("rich", None) is not None:
        return Element("pre", attrs, node.children)
    if node.tag == "pre":
        language = attrs.pop("language", "")
        children = [Element("code", {"class": f"language-{language}"} if language else {}, children)]
    if node.tag in ("li", "td", "th", "dd", "figcaption") and len(children) == 1:
        only = children[0]
        if isinstance(only, Element) and only.tag == "p" and not only.attrs:
            children = only.children
    if kind := attrs.pop("callout", ""):
        attrs["class"] = f"callout callout-{kind}"
        first = children[0] if children else None
        if isinstance(first, Element) and first.tag == "callout-title":
            children[0] = Element("p", {"class": "callout-title"}, first.children)
        else:
            children.insert(0, Element("p", {"class": "callout-title"}, [title_of(kind, "en")]))
    if task:
        first = children[0] if children else None
        box = Element("input", {"type": "checkbox", "disabled": "", **({"checked": ""} if task == "x" else {})})
        (first.children if isinstance(first, Element) and first.tag == "p" else children)[:0] = [box, " "]
    return Element(node.tag, attrs, children)


def escaped(text: str) -> str:
    """Return the text with all characters escaped that have a meaning in Markdown."""
    if not _MAY_NEED_ESCAPE.search(text):
        return text
    text = _ESCAPED.sub(lambda match: "&amp;" if match[0] == "&" else "\\" + match[0], text)
    text = text.replace("![", "!\\[") if "![" in text else text
    return _ADDRESS.sub(r"\1\\\2", text) if "://" in text else text


def _line_starts(text: str) -> str:
    """Return a paragraph with line beginnings escaped that would start a heading, list, quote or rule."""

    def fixed(match: re.Match[str]) -> str:
        if match[4]:
            return f"{match[1]}{match[4]}\\{match[5]}"
        sign = match[2] or match[3] or match[6]
        return f"{match[1]}\\{sign}"

    is_plain = "\n" not in text and text[:1].isalpha()
    return text if is_plain else _LINE_START.sub(fixed, text)


def _prefixed(text: str, first: str, others: str) -> str:
    lines = text.split("\n")
    return "\n".join(
        (first if number == 0 else others if line else others.rstrip()) + line for number, line in enumerate(lines)
    )


def _fenced(node: Element) -> str:
    text = node.text()
    longest = max((len(run) for run in _FENCES.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    language = node.attrs.get("language", "")
    return f"{fence}{language if _PLAIN_NAME.fullmatch(language) else ''}\n{text}\n{fence}"


def _code(text: str) -> str:
    longest = max((len(run) for run in _FENCES.findall(text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _image(node: Element, title: str) -> str | None:
    if set(node.attrs) - {"src", "alt", "title"}:
        return None
    alt = escaped(node.attrs.get("alt", "")).replace("\n", " ")
    shown = f' "{_title(title)}"' if title else ""
    return f"![{alt}]({destination(node.attrs.get('src', ''))}{shown})"


def _title(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return re.sub(r"&(?=#?\w{1,40};)", "&amp;", plain)


def _is_tight(item: Element) -> bool:
    """Return whether an item is a line of text, with lists below it or not."""
    first, *rest = item.children or [""]
    return (
        isinstance(first, Element)
        and first.tag == "p"
        and all(isinstance(each, Element) and each.tag in ("ul", "ol") for each in rest)
    )
