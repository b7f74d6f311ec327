"""Editor documents of Ghost as HTML: Lexical (5 and later) and Mobiledoc (1 to 4), where an export has no HTML."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

import orjson

from sitecms.content.text import markdown

Data = Mapping[str, Any]
_FORMATS = ((16, "code"), (1, "strong"), (2, "em"), (4, "s"), (8, "u"), (32, "sub"), (64, "sup"), (128, "mark"))
_INLINE = {"strong", "b", "em", "i", "s", "strike", "u", "code", "sub", "sup", "mark", "a"}


def document_html(mobiledoc: object, lexical: object, report: Callable[[str], None]) -> str:
    """Return the HTML of the document of a post; `report` gets the name of each card without an equivalent.

    Raises ValueError for a document that cannot be read.
    """
    if lexical:
        root = _object(lexical).get("root")
        return "\n".join(_Lexical(report).block(node) for node in _nodes(root))
    if mobiledoc:
        return "\n".join(_Mobiledoc(_object(mobiledoc), report).sections())
    return ""


def _object(document: object) -> Data:
    data = orjson.loads(document) if isinstance(document, str) else document
    if not isinstance(data, dict):
        raise ValueError("the document of the editor is not an object")
    return data


def _nodes(node: object) -> list[Data]:
    children = node.get("children") if isinstance(node, dict) else None
    return [child for child in children if isinstance(child, dict)] if isinstance(children, list) else []


class _Lexical:
    """Writer of Lexical nodes as HTML."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report

    def block(self, node: Data) -> str:
        """Return a block and everything in it."""
        kind = str(node.get("type", "")).removeprefix("extended-")
        match kind:
            case "paragraph":
                inner = self.inline(node)
                return f"<p>{inner}</p>" if inner.strip() else ""
            case "heading":
                tag = node.get("tag") if node.get("tag") in ("h1", "h2", "h3", "h4", "h5", "h6") else "h2"
                return f"<{tag}>{self.inline(node)}</{tag}>"
            case "quote" | "aside":
                return f"<blockquote><p>{self.inline(node)}</p></blockquote>"
            case "list":
                tag = "ol" if node.get("listType") == "number" else "ul"
                start = f' start="{int(node["start"])}"' if tag == "ol" and node.get("start", 1) != 1 else ""
                return f"<{tag}{start}>{''.join(map(self._list_item, _nodes(node)))}</{tag}>"
            case "text" | "link" | "autolink" | "linebreak":
                return f"<p>{self._run(node)}</p>"
        return card_html(kind, node, self._report)

    def inline(self, node: Data) -> str:
        """Return the texts and links of a block."""
        return "".join(map(self._run, _nodes(node)))

    def _list_item(self, node: Data) -> str:
        nested = [child for child in _nodes(node) if child.get("type") == "list"]
        runs = "".join(self._run(child) for child in _nodes(node) if child.get("type") != "list")
        return f"<li>{runs}{''.join(map(self.block, nested))}</li>"

    def _run(self, node: Data) -> str:
        kind = str(node.get("type", "")).removeprefix("extended-")
        if kind == "linebreak":
            return "<br>"
        if kind in ("link", "autolink", "at-link"):
            return f'<a href="{escape(str(node.get("url") or ""))}">{self.inline(node)}</a>'
        if kind == "tab":
            return " "
        if kind != "text":
            return self.inline(node) or escape(str(node.get("text") or ""), quote=False)
        html = escape(str(node.get("text") or ""), quote=False)
        bits = node.get("format")
        for bit, tag in _FORMATS:
            if isinstance(bits, int) and bits & bit:
                html = f"<{tag}>{html}</{tag}>"
        return html


class _Mobiledoc:
    """Writer of a Mobiledoc as HTML (versions 0.3.x)."""

    def __init__(self, document: Data, report: Callable[[str], None]) -> None:
        self._document, self._report = document, report

    def sections(self) -> Iterator[str]:
        """Yield the blocks in order."""
        for section in self._list("sections"):
            match section:
                case [1, str(tag), list(markers), *_]:
                    safe = tag if tag in ("p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "aside") else "p"
                    yield f"<{safe}>{self._markers(markers)}</{safe}>"
                case [2, str(address), *_]:
                    yield f'<figure><img src="{escape(address)}" alt=""></figure>'
                case [3, str(tag), list(items), *_]:
                    safe = "ol" if tag == "ol" else "ul"
                    inner = "".join(f"<li>{self._markers(item)}</li>" for item in items if isinstance(item, list))
                    yield f"<{safe}>{inner}</{safe}>"
                case [10, int(number), *_] if 0 <= number < len(self._list("cards")):
                    match self._list("cards")[number]:
                        case [str(name), dict(payload), *_]:
                            yield card_html(name.removeprefix("card-"), payload, self._report)
                        case [str(name), *_]:
                            yield card_html(name.removeprefix("card-"), {}, self._report)

    def _list(self, name: str) -> Sequence[Any]:
        rows = self._document.get(name)
        return rows if isinstance(rows, list) else ()

    def _markers(self, markers: Sequence[Any]) -> str:
        html, opened = [], []
        for marker in markers:
            match marker:
                case [int(kind), list(openings), int(closings), value, *_]:
                    for number in openings:
                        opening, tag = self._markup(number)
                        html.append(opening)
                        opened.append(tag)
                    html.append(escape(str(value), quote=False) if kind == 0 else self._atom(value))
                    for _ in range(min(closings, len(opened))):
                        tag = opened.pop()
                        html.append(f"</{tag}>" if tag else "")
        return "".join(html)

    def _markup(self, number: object) -> tuple[str, str]:
        markups = self._list("markups")
        markup = markups[number] if isinstance(number, int) and 0 <= number < len(markups) else ()
        match markup:
            case ["a", [*attributes], *_]:
                pairs = dict(zip(attributes[::2], attributes[1::2], strict=False))
                return f'<a href="{escape(str(pairs.get("href") or ""))}">', "a"
            case [str(tag), *_] if tag in _INLINE:
                return f"<{tag}>", tag
        return "", ""

    def _atom(self, number: object) -> str:
        atoms = self._list("atoms")
        atom = atoms[number] if isinstance(number, int) and 0 <= number < len(atoms) else ()
        match atom:
            case ["soft-return", *_]:
                return "<br>"
            case [_, str(text), *_]:
                return escape(text, quote=False)
        return ""


def card_html(name: str, card: Data, report: Callable[[str], None]) -> str:
    """Return a card of either editor as HTML; "" with a report for one that has no content of its own."""
    writer = _CARDS.get(name)
    if writer is None:
        report(f"kg-{name}-card")
        return ""
    return writer(card)


def _text(card: Data, name: str) -> str:
    return str(card.get(name) or "")


def _link(url: str, text: str) -> str:
    return f'<p><a href="{escape(url)}">{escape(text or url, quote=False)}</a></p>' if url else ""


def _figure(inner: str, caption: str) -> str:
    return f"<figure>{inner}{f'<figcaption>{caption}</figcaption>' if caption else ''}</figure>"


def _img(card: Data) -> str:
    sizes = "".join(f' {name}="{card[name]}"' for name in ("width", "height") if isinstance(card.get(name), int))
    img = f'<img src="{escape(_text(card, "src"))}" alt="{escape(_text(card, "alt"))}"{sizes}>'
    return f'<a href="{escape(_text(card, "href"))}">{img}</a>' if _text(card, "href") else img


def _gallery(card: Data) -> str:
    images = card.get("images")
    inner = "".join(_img(image) for image in images if isinstance(image, dict)) if isinstance(images, list) else ""
    caption = f"<figcaption>{_text(card, 'caption')}</figcaption>" if card.get("caption") else ""
    return f'<figure class="gallery">{inner}{caption}</figure>'


def _code(card: Data) -> str:
    language = _text(card, "language").split(" ")[0]
    named = f' class="language-{escape(language)}"' if language else ""
    block = f"<pre><code{named}>{escape(_text(card, 'code'), quote=False)}</code></pre>"
    return _figure(block, _text(card, "caption")) if card.get("caption") else block


def _embed(card: Data) -> str:
    html = _text(card, "html")
    return _figure(html, _text(card, "caption")) if html else _link(_text(card, "url"), "")


def _bookmark(card: Data) -> str:
    metadata = card.get("metadata")
    facts: Data = metadata if isinstance(metadata, dict) else {}
    url = _text(card, "url") or _text(facts, "url")
    description = _text(facts, "description")
    more = f"<br>{escape(description, quote=False)}" if description else ""
    return _link(url, _text(facts, "title")).removesuffix("</p>") + f"{more}</p>" if url else ""


def _callout(card: Data) -> str:
    emoji = _text(card, "calloutEmoji")
    return f"<blockquote><p>{f'{emoji} ' if emoji else ''}{_text(card, 'calloutText')}</p></blockquote>"


def _toggle(card: Data) -> str:
    return f"<details><summary>{_text(card, 'heading')}</summary>{_text(card, 'content')}</details>"


def _file(card: Data) -> str:
    title = _text(card, "fileTitle") or _text(card, "fileName")
    return _link(_text(card, "src"), title)


def _audio(card: Data) -> str:
    player = f'<audio controls src="{escape(_text(card, "src"))}"></audio>'
    return _figure(player, escape(_text(card, "title"), quote=False))


def _video(card: Data) -> str:
    poster = f' poster="{escape(_text(card, "thumbnailSrc"))}"' if card.get("thumbnailSrc") else ""
    return _figure(f'<video controls src="{escape(_text(card, "src"))}"{poster}></video>', _text(card, "caption"))


def _header(card: Data) -> str:
    heading = f"<h2>{_text(card, 'header')}</h2>" if card.get("header") else ""
    below = f"<p>{_text(card, 'subheader')}</p>" if card.get("subheader") else ""
    return heading + below + _link(_text(card, "buttonUrl"), _text(card, "buttonText"))


def _product(card: Data) -> str:
    picture = _text(card, "productImageSrc")
    img = f'<p><img src="{escape(picture)}" alt=""></p>' if picture else ""
    title = f"<h4>{_text(card, 'productTitle')}</h4>" if card.get("productTitle") else ""
    link = _link(_text(card, "productUrl"), _text(card, "productButton"))
    return img + title + _text(card, "productDescription") + link


def _call_to_action(card: Data) -> str:
    picture = _text(card, "imageUrl")
    img = f'<p><img src="{escape(picture)}" alt=""></p>' if picture else ""
    return img + _text(card, "textValue") + _link(_text(card, "buttonUrl"), _text(card, "buttonText"))


_CARDS: Mapping[str, Callable[[Data], str]] = {
    "audio": _audio,
    "bookmark": _bookmark,
    "button": lambda card: _link(_text(card, "buttonUrl"), _text(card, "buttonText")),
    "call-to-action": _call_to_action,
    "callout": _callout,
    "code": _code,
    "codeblock": _code,
    "embed": _embed,
    "file": _file,
    "gallery": _gallery,
    "header": _header,
    "hr": lambda _card: "<hr>",
    "horizontalrule": lambda _card: "<hr>",
    "html": lambda card: _text(card, "html"),
    "image": lambda card: _figure(_img(card), _text(card, "caption")),
    "markdown": lambda card: markdown.render(_text(card, "markdown")),
    "product": _product,
    "toggle": _toggle,
    "video": _video,
}
