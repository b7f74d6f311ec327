"""Replacement of media addresses in HTML, from those that an author wrote to those that are served."""

import re
from collections.abc import Callable
from html import escape, unescape
from urllib.parse import unquote

from msgspec import Struct

from sitecms.content.media import MEDIA_ENDINGS

MEDIA_FOLDER = "media/"
_ADDRESSES = {
    "a": ("href",),
    "audio": ("src",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "track": ("src",),
    "video": ("src", "poster"),
}
_PICTURE_TAGS = frozenset({"img", "source", "video"})
_PICTURES = frozenset({("img", "src"), ("img", "srcset"), ("source", "srcset"), ("video", "poster")})
# Read `sanitize`'s output, where each attribute is ` name="value"` and no value holds `"` or `>`.
_TAG = re.compile(rf"<({'|'.join(_ADDRESSES)})( [^>]*)>")
_ATTRIBUTE = re.compile(r' ([^\s="]+)="([^"]*)"')
_ENDINGS = "md|ya?ml|" + "|".join(sorted(MEDIA_ENDINGS))
FILE_PATH_PATTERN = (
    rf"(?![a-zA-Z][a-zA-Z0-9+.-]*:)[^\s()<>\"'/?#\\][^\s()<>\"'?#\\]*\.(?:{_ENDINGS})(?:#[^\s()<>\"'\\]*)?"
)
"""A relative path of a file without signs that Markdown or HTML escape, as a regular expression."""
_FILE_PATH = re.compile(rf"(?![a-zA-Z][a-zA-Z0-9+.-]*:|/|#|\?)[^?#]*\.(?:{_ENDINGS})(?:[?#]|\Z)", re.I)
_TO_FILE = re.compile(rf' (?:href|src)="(?![a-zA-Z][a-zA-Z0-9+.-]*:|/|#|\?)[^"?#]*\.(?:{_ENDINGS})["?#]', re.I)
_SIZES = frozenset({"width", "height"})
_SEPARATORS = re.compile(r"[\s,]*")
_WORD = re.compile(r"\S+")
_ABSOLUTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")


class ResolvedImage(Struct, frozen=True):
    """The address at which a media file is served; width and height in pixels where they are known."""

    src: str
    width: int | None = None
    height: int | None = None


ResolveImage = Callable[[str], ResolvedImage | None]


def is_file_path(address: str) -> bool:
    """Return whether an address is the relative path of a content file or media file, such as `first-steps.md#top`."""
    return _FILE_PATH.match(address) is not None


def resolve_media(html: str, resolve: ResolveImage | None = None) -> str:
    """Return sanitised HTML with its media addresses replaced by the results of `resolve`; None changes nothing.

    `resolve` is called for every picture (`src` of images, `poster` of videos, each address of a `srcset`), and for
    links, audio, video and tracks below `media/` or at the relative path of a file. Relative addresses reach it
    percent-decoded, as a file is named. Images get their size where both are known and the author gave none.
    """
    return _TAG.sub(lambda match: _rewritten(match, resolve), html) if "<" in html else html


def replace_in_srcset(srcset: str, replace: Callable[[str], str]) -> str:
    """Return a srcset with each of its addresses replaced, split as browsers split it.

    An address ends at white space, or at commas before white space; commas within it are part of it.
    """
    parts, position = [], 0
    while True:
        start = _after(_SEPARATORS, srcset, position)
        parts.append(srcset[position:start])
        end = _after(_WORD, srcset, start)
        if end == start:
            return "".join(parts)
        address = srcset[start:end].rstrip(",")
        position = start + len(address)
        parts.append(replace(address))
        if position == end:  # what follows up to a comma is its width or density
            comma = srcset.find(",", position)
            position = comma if comma != -1 else len(srcset)
            parts.append(srcset[end:position])


def addresses_in_srcset(srcset: str) -> tuple[str, ...]:
    """Return the addresses of a srcset."""
    found: list[str] = []

    def note(address: str) -> str:
        found.append(address)
        return address

    replace_in_srcset(srcset, note)
    return tuple(found)


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _rewritten(match: re.Match[str], resolve: ResolveImage | None) -> str:
    tag = match[1]
    if tag not in _PICTURE_TAGS and MEDIA_FOLDER not in match[2] and not _TO_FILE.search(match[2]):
        return match[0]
    attributes = dict(_ATTRIBUTE.findall(match[2]))
    if resolve:
        _replace(tag, attributes, resolve)
    written = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<{tag}{written}>"


def _replace(tag: str, attributes: dict[str, str], resolve: ResolveImage) -> None:
    """Replace the addresses among the attributes of a tag, and add the size of an image."""

    def replaced(written: str) -> str:
        wanted = _resolvable(written, is_picture=True)
        resolved = resolve(wanted) if wanted else None
        return _quoted(resolved.src) if resolved else written

    for name in _ADDRESSES[tag]:
        if name == "srcset" and name in attributes:
            attributes[name] = replace_in_srcset(attributes[name], replaced)
            continue
        wanted = _resolvable(attributes.get(name, ""), is_picture=(tag, name) in _PICTURES)
        resolved = resolve(wanted) if wanted else None
        if resolved:
            attributes[name] = _quoted(resolved.src)
        if resolved and tag == "img" and resolved.width and resolved.height and not attributes.keys() & _SIZES:
            attributes |= {"width": str(resolved.width), "height": str(resolved.height)}


def _resolvable(written: str, *, is_picture: bool) -> str:
    """Return the address to resolve; "" for one that stays."""
    address = unescape(written).strip()
    if not is_picture and not address.startswith(MEDIA_FOLDER) and not is_file_path(address):
        return ""
    return address if _ABSOLUTE.match(address) else unquote(address)


def _quoted(value: str) -> str:
    """Return the text escaped as nh3 escapes it, so that sanitising again changes nothing."""
    return escape(value, quote=False).replace('"', "&quot;").replace("\xa0", "&nbsp;")
