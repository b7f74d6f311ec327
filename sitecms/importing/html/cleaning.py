"""Cleaning of HTML before its conversion: markup that the site cannot show becomes a link, or is removed."""

import re
from collections.abc import Callable
from html import escape
from urllib.parse import parse_qs

from sitecms.content.text.allowed_html import TAGS, allowed_value
from sitecms.importing.html.formulas import TAG, formula_of
from sitecms.importing.html.tree import Element, Node, check_box
from sitecms.importing.media.needed_media import TOKEN
from sitecms.importing.shortcodes import MARK
from sitecms.web_address import split_address

OnRemoval = Callable[[str], None]
"""Called with what was changed or removed, such as `<script>`."""

_EMPTY_OF_TEXT = frozenset({"link", "meta", "base", "noscript", "template", "param", "title", "head"})
_SILENT = frozenset(
    {
        "acronym", "basefont", "big", "body", "center", "fieldset", "font", "footer", "header", "hgroup", "html",
        "label", "legend", "main", "nav", "nobr", "o:p", "strike", "tt", "wbr",
    }
)  # fmt: skip
_INLINE = frozenset({"a", "b", "big", "em", "font", "i", "label", "small", "span", "strong"})
_OWN_LINE = re.compile(r"(?i)(?:^|;)\s*display\s*:\s*(?:block|flex|grid|table|list-item)\b")
_TASK = "data-task"  # on the check boxes that are kept, while a tree is cleaned
_YOUTUBE = re.compile(
    r"(?:www\.|m\.)?(?:youtube(?:-nocookie)?\.com/(?:v/|embed/|watch\?v=|shorts/|live/)|youtu\.be/)([\w-]{6,15})"
)
_VIMEO = re.compile(r"(?:www\.|player\.)?vimeo\.com/(?:video/|moogaloop\.swf\?clip_id=)?(\d{5,12})")
_GIST = re.compile(r"https?://gist\.github\.com/[\w./-]+")
_LAZY = ("data-src", "data-lazy-src", "data-original", "data-orig-file", "data-full-url")


def clean(root: Element, report: OnRemoval) -> None:
    """Remove comments, scripts and frames of other sites from the tree; call `report` with the name of each.

    Comments that stand for unknown shortcodes stay.
    """
    root.children = _cleaned(root.children, report)


def _cleaned(nodes: list[Node], report: OnRemoval) -> list[Node]:
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, str):
            found.append(node)
        elif isinstance(node, Element):
            cleaned = _element(node, report)
            if node.tag in _INLINE and _OWN_LINE.search(node.attrs.get("style", "")):
                cleaned = [Element("br"), *cleaned, Element("br")]
                cleaned = cleaned[1:] if found and getattr(found[-1], "tag", "") == "br" else cleaned
            found += cleaned
        elif node.text.startswith(MARK):
            found.append(node)
    return found


def _element(node: Element, report: OnRemoval) -> list[Node]:
    tag = node.tag
    if tag == "script":
        return _script(node, report)
    if tag == TAG:
        return [node]
    if tag == "math":
        return [formula_of(node) or node]
    if tag == "style" or tag in _EMPTY_OF_TEXT:
        if tag == "noscript":  # pictures that scripts load later stand here again
            return []
        report(f"<{tag}>")
        return []
    if tag in ("iframe", "embed", "object"):
        return _frame(node, report)
    if tag == "input" and _TASK in node.attrs:
        checked = {"checked": ""} if "checked" in node.attrs else {}
        node.attrs = {"type": "checkbox", "disabled": "", **checked}
        return [node]
    if tag == "li" and (box := check_box(node)):
        box.attrs[_TASK] = ""
    if tag == "a" and "name" in node.attrs:
        node.attrs.setdefault("id", node.attrs.pop("name"))
    if tag in ("svg", "canvas", "applet", "select", "textarea", "input", "button"):
        report(f"<{tag}>")
        text = " ".join(node.text().split())
        return [text] if text and tag in ("button", "textarea") else []
    node.children = _cleaned(node.children, report)
    if tag == "img":
        return _image(node, report)
    if tag == "h1":
        report("<h1>, now <h2>: the title of the page is the one <h1>")
        node.tag = "h2"
    elif tag not in TAGS and tag not in _SILENT and tag:
        report(f"<{tag}>, whose text stays")
        return node.children
    return [node]


def _image(node: Element, report: OnRemoval) -> list[Node]:
    """Return the image with the address that a script would have set, such as `data-src`; [] without an address."""
    source = node.attrs.get("src", "").strip()
    if not source or source.startswith("data:"):
        source = next((node.attrs[name] for name in _LAZY if node.attrs.get(name)), source)
        node.attrs["src"] = source
    if source.startswith("data:"):
        report("pictures within the text (data:)")
        return []
    return [node] if source else []


def _script(node: Element, report: OnRemoval) -> list[Node]:
    """Return a link to a gist in place of the script that shows it; [] for any other script."""
    source = node.attrs.get("src", "")
    if gist := _GIST.match(source):
        address = gist[0].removesuffix(".js")
        report("gists, now links")
        return [Element("p", {}, [Element("a", {"href": address}, [address])])]
    report("<script>")
    return []


def _frame(node: Element, report: OnRemoval) -> list[Node]:
    """Return a frame of an allowed host as it is, any other frame as a link to its address."""
    source = node.attrs.get("src", "") or node.attrs.get("data", "") or node.attrs.get("data-src", "")
    inner = node.find("embed") or node.find("iframe")
    if not source and inner:
        source = inner.attrs.get("src", "")
    if not source:
        params = (each.attrs for each in node.elements() if each.tag == "param")
        source = next((attrs.get("value", "") for attrs in params if attrs.get("name") == "movie"), "")
    address = embed_address(source) or source
    if address.startswith("//"):
        address = "https:" + address
    secure = re.sub(r"^http:", "https:", address)
    if allowed_value("iframe", "src", secure):
        title = {"title": node.attrs["title"]} if node.attrs.get("title") else {}
        return [Element("iframe", {"src": secure, **title})]
    if not address.startswith(("https://", "http://", "/")):
        report(f"<{node.tag}> without an address")
        return _cleaned([each for each in node.children if getattr(each, "tag", "") != "param"], report)
    report(f"frames of {split_address(address).hostname or 'the old site'}, now links")
    shown = node.attrs.get("title") or address
    return [Element("p", {}, [Element("a", {"href": address}, [shown])])]


def embed_address(address: str) -> str:
    """Return the address of the frame that shows a video of YouTube or Vimeo; "" for any other address."""
    plain = re.sub(r"^(?:https?:)?//", "", address.strip())
    if match := _YOUTUBE.match(plain):
        query = parse_qs(split_address(address).query)
        seconds = re.sub(r"\D", "", query.get("t", query.get("start", [""]))[0])
        return f"https://www.youtube-nocookie.com/embed/{match[1]}" + (f"?start={seconds}" if seconds else "")
    if match := _VIMEO.match(plain):
        return f"https://player.vimeo.com/video/{match[1]}"
    return ""


def embed_html(address: str) -> str:
    """Return the HTML for an address alone on a line: the frame of a video, else a link."""
    frame = embed_address(address)
    if frame:
        return f'<iframe src="{escape(frame)}"></iframe>'
    return f'<p><a href="{escape(address)}">{escape(address, quote=False)}</a></p>'


def without_noise(root: Element) -> None:
    """Remove widths and heights of images, and titles that repeat the alternative text or the file name.

    A build sets width and height from the file.
    """
    for image in root.elements():
        if image.tag in ("img", "source") and TOKEN.search(image.attrs.get("srcset", "")):
            for name in ("srcset", "sizes"):
                image.attrs.pop(name, None)
        if image.tag != "img" or "title" not in image.attrs:
            continue
        title = image.attrs["title"].strip()
        stem = image.attrs.get("src", "").rpartition("/")[2].rpartition(".")[0]
        if not title or title == image.attrs.get("alt", "").strip() or _plain(title) in _plain(stem):
            del image.attrs["title"]


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()
