"""Replacement of the addresses in HTML and Markdown."""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from html import escape, unescape

from sitecms.content.text import markdown
from sitecms.content.text.media_links import replace_in_srcset
from sitecms.importing.html.tree import Element

_WITH_SRCSET = frozenset({"img", "source"})
_STYLE_URL = re.compile(r"url\(\s*(['\"]?)(.*?)\1\s*\)", re.I | re.S)
_UNSAFE = re.compile(r"[\s<>\"\\^`{|}\x00-\x1f]")
_ENTITY = re.compile(r"&(?=#?\w{1,40};)")
_PROBE = "sitecms-import-probe-"
# A destination after `](` or `]:`, in angle brackets or up to a space or an unmatched bracket; in raw HTML.
_DESTINATION = re.compile(
    r"(?P<opening>!?)(?P<before>\](?:\([ \t\n]*|:[ \t]*\n?[ \t]*))"
    r"(?:<(?P<enclosed>[^<>\n]+)>|(?P<bare>(?:\\.|\((?:\\.|[^\s()\\])*\)|[^\s()<\\])(?:\\.|\((?:\\.|[^\s()\\])*\)|[^\s()\\])*))"
    r"|(?P<attribute><[a-zA-Z][^<>]*?\s(?:src|href|poster)\s*=\s*(?P<quote>[\"']))(?P<raw>[^\"'<>\n]+)(?=(?P=quote))"
)


class Use(StrEnum):
    """The use of an address: a link, a picture or sound, or a frame."""

    LINK = "link"
    MEDIA = "media"
    FRAME = "frame"


Replace = Callable[[str, Use], str]
"""Gets an address as it was written, unescaped, and returns the new one."""

_PLACES: dict[str, tuple[tuple[str, Use], ...]] = {
    "a": (("href", Use.LINK),),
    "area": (("href", Use.LINK),),
    "audio": (("src", Use.MEDIA),),
    "embed": (("src", Use.FRAME),),
    "iframe": (("src", Use.FRAME),),
    "img": (("src", Use.MEDIA),),
    "source": (("src", Use.MEDIA),),
    "track": (("src", Use.MEDIA),),
    "video": (("src", Use.MEDIA), ("poster", Use.MEDIA)),
    "blockquote": (("cite", Use.LINK),),
    "q": (("cite", Use.LINK),),
    "del": (("cite", Use.LINK),),
    "ins": (("cite", Use.LINK),),
}


def replace_addresses(root: Element, replace: Replace) -> None:
    """Replace the addresses of all elements below the root: href, src, srcset, poster, cite, url() in style."""
    for element in root.elements():
        for name, use in _PLACES.get(element.tag, ()):
            if written := element.attrs.get(name, "").strip():
                element.attrs[name] = replace(written, use)
        if element.tag in _WITH_SRCSET and "srcset" in element.attrs:
            element.attrs["srcset"] = replace_in_srcset(
                element.attrs["srcset"], lambda address: replace(address, Use.MEDIA)
            )
        if "url(" in element.attrs.get("style", ""):
            element.attrs["style"] = _STYLE_URL.sub(
                lambda match: f"url({replace(match[2], Use.MEDIA)})", element.attrs["style"]
            )


def replace_in_markdown(text: str, replace: Replace) -> str:
    """Return the Markdown with the addresses of its links, images and raw HTML replaced, and nothing else changed.

    Text that only looks like an address, as in code, stays: a parse of the text with a different probe in each place
    shows which places are addresses, and which of these are images.
    """
    places = list(_DESTINATION.finditer(text))
    return _replaced(text, places, replace) if places else text


def _replaced(text: str, places: Sequence[re.Match[str]], replace: Replace) -> str:
    marked = _rewrite(text, places, lambda number, _match: f"{_PROBE}{number}x")
    links, images = _real(marked)

    def new(number: int, match: re.Match[str]) -> str | None:
        probe = f"{_PROBE}{number}x"
        if match["raw"] is not None:
            if probe not in links and probe not in images:
                return None
            tag = match["attribute"][1:].split(None, 1)[0].lower()
            use = Use.LINK if tag in ("a", "area") else Use.FRAME if tag == "iframe" else Use.MEDIA
            return escape(replace(unescape(match["raw"]).strip(), use))
        if probe not in links and probe not in images:
            return None
        address = _plain(match["enclosed"] or match["bare"])
        changed = replace(address, Use.MEDIA if probe in images else Use.LINK)
        return None if changed == address else destination(changed)

    return _rewrite(text, places, new)


def _rewrite(text: str, places: Sequence[re.Match[str]], new: Callable[[int, re.Match[str]], str | None]) -> str:
    parts, position = [], 0
    for number, match in enumerate(places):
        replacement = new(number, match)
        if replacement is None:
            continue
        group = "raw" if match["raw"] is not None else "enclosed" if match["enclosed"] is not None else "bare"
        start, end = match.span(group)
        if group == "enclosed":
            start, end = start - 1, end + 1
        parts += [text[position:start], replacement]
        position = end
    return "".join((*parts, text[position:]))


def _real(marked: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the probes that stand in links (raw HTML included), and in images."""
    addresses = markdown.addresses(marked)
    probes = frozenset(match for each in addresses for match in re.findall(rf"{_PROBE}\d+x", each))
    images = frozenset(re.findall(rf"!\[[^\]]*\]\(\s*<?({_PROBE}\d+x)", marked)) & probes
    return probes - images, images


def destination(address: str) -> str:
    """Return an address as the destination of a Markdown link, its spaces, brackets and quotes escaped."""
    plain = _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), address)
    plain = _ENTITY.sub("&amp;", plain)
    return f"<{plain}>" if not plain or "(" in plain or ")" in plain else plain


def _plain(address: str) -> str:
    """Return an address without escapes of Markdown and HTML."""
    from markdown_it.common.utils import unescapeAll

    return str(unescapeAll(address))
