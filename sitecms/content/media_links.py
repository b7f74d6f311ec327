"""Addresses of media in a body: from what an author wrote to where the file is served."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape, unescape
from urllib.parse import unquote

MEDIA_FOLDER = "media/"


@dataclass(frozen=True, slots=True)
class ResolvedImage:
    """Where an image or another media file is served; width and height in pixels where they are known."""

    src: str
    width: int | None = None
    height: int | None = None


ResolveImage = Callable[[str], ResolvedImage | None]
_ADDRESSES = {
    "a": ("href",),
    "audio": ("src",),
    "img": ("src",),
    "source": ("src",),
    "track": ("src",),
    "video": ("src", "poster"),
}
# Read `sanitize`'s output, where each attribute is ` name="value"` and no value holds `"` or `>`.
_TAG = re.compile(rf"<({'|'.join(_ADDRESSES)})( [^>]*)>")
_ATTRIBUTE = re.compile(r' ([^\s="]+)="([^"]*)"')
_CANDIDATE = re.compile(r"(?P<before>[\s,]*)(?P<address>\S*[^\s,])(?P<after>,+|\s[^,]*|$)")
_ABSOLUTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")


def resolve_media(html: str, resolve: ResolveImage | None = None) -> str:
    """Sanitised HTML with its media addresses replaced by what `resolve` answers; None leaves one as it is.

    `resolve` is asked for every image, and for links, audio, video, sources and posters below `media/`,
    those in a srcset one by one. Relative
    addresses reach it percent-decoded, as a file is named. Images get their size where both are known and the author
    gave none.
    """
    return _TAG.sub(lambda match: _rewritten(match, resolve), html) if "<" in html else html


def _rewritten(match: re.Match[str], resolve: ResolveImage | None) -> str:
    tag = match[1]
    if tag != "img" and MEDIA_FOLDER not in match[2]:
        return match[0]
    attributes = dict(_ATTRIBUTE.findall(match[2]))
    for name in _ADDRESSES[tag]:
        asked = _asked(tag, attributes.get(name, ""))
        if resolve and asked and (resolved := resolve(asked)):
            attributes[name] = _quoted(resolved.src)
            if tag == "img" and resolved.width and resolved.height and not attributes.keys() & {"width", "height"}:
                attributes |= {"width": str(resolved.width), "height": str(resolved.height)}
    if resolve and "srcset" in attributes:
        attributes["srcset"] = _CANDIDATE.sub(lambda found: _candidate(found, tag, resolve), attributes["srcset"])
    written = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<{tag}{written}>"


def _candidate(found: re.Match[str], tag: str, resolve: ResolveImage) -> str:
    """One address of a srcset and what stands around it."""
    asked = _asked(tag, found["address"])
    resolved = resolve(asked) if asked else None
    return found["before"] + (_quoted(resolved.src) if resolved else found["address"]) + found["after"]


def _asked(tag: str, written: str) -> str:
    address = unescape(written).strip()
    if tag != "img" and not address.startswith(MEDIA_FOLDER):
        return ""
    return address if _ABSOLUTE.match(address) else unquote(address)


def _quoted(value: str) -> str:
    """Escaped as nh3 escapes, so that sanitising once more changes nothing."""
    return escape(value, quote=False).replace('"', "&quot;").replace("\xa0", "&nbsp;")
