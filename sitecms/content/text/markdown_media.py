"""Replacement of the addresses of media and files in Markdown, which stays Markdown."""

import re
from collections.abc import Callable
from urllib.parse import unquote

from sitecms.content.text import markdown
from sitecms.content.text.media_links import FILE_PATH_PATTERN

_PROBE = "sitecms-media-probe-"
_MEDIA = r"(?:(?:\.\./)+|/)?media/"
# After `](` of a link or image, or `]:` of a definition: in angle brackets, or up to a space or a closing bracket;
# or the value of an attribute in raw HTML, or of an argument of a directive.
_DESTINATION = re.compile(
    rf"(?<=\])(?P<before>\(\s*|:[ \t]*\n?[ \t]*)"
    rf"(?:<(?P<enclosed>{_MEDIA}[^<>\n]+)>|(?P<bare>{_MEDIA}(?:\\.|\((?:\\.|[^\s()\\])*\)|[^\s()\\])+"
    rf"|{FILE_PATH_PATTERN}(?=[\s)])))"
    rf"|(?P<attribute>[\s{{](?:src|href|poster|captions|link)\s*=\s*[\"'])"
    rf"(?P<raw>{_MEDIA}[^\"'<>\n]+|{FILE_PATH_PATTERN})(?=[\"'])"
)


def replace_media(text: str, address: Callable[[str], str | None]) -> str:
    """Return the Markdown with the results of `address` for images and links in `media/` and to files beside the text.

    None changes nothing.

    Addresses in raw HTML are included, except those of a `srcset`. Text that only looks like an address, as in code,
    stays: a parse of the text with a different probe in each place shows which ones are real.
    """
    if not _DESTINATION.search(text):
        return text
    marked = _DESTINATION.sub(_numbered(), text)
    real = markdown.addresses(marked) if marked != text else frozenset()
    number = -1

    def resolved(match: re.Match[str]) -> str:
        nonlocal number
        number += 1
        written = match["enclosed"] or match["bare"] or match["raw"]
        replacement = address(_plain(written)) if f"{_PROBE}{number}" in real else None
        return (match["before"] or match["attribute"]) + replacement if replacement else match[0]

    return _DESTINATION.sub(resolved, text)


def _numbered() -> Callable[[re.Match[str]], str]:
    number = -1

    def probe(match: re.Match[str]) -> str:
        nonlocal number
        number += 1
        return f"{match['before'] or match['attribute']}{_PROBE}{number}"

    return probe


def _plain(written: str) -> str:
    """Return the address without escapes of Markdown, HTML and URLs, as files are named."""
    from markdown_it.common.utils import unescapeAll

    return unquote(unescapeAll(written))
