"""Pictures without alt text in stored HTML and in Markdown."""

import re
from collections.abc import Collection
from html import unescape

_PICTURE = re.compile(r"<img(?: [^>]*)?>")
_SOURCE = re.compile(r' src="([^"]*)"')
_TITLE_OF_EMBED = re.compile(r"<span>(?!https?://|[\w-]+(?:\.[\w-]+)+</span>)[^<]*\w")  # no address or host
_ALT = re.compile(r' alt="[^"]*[^"\s]')
MARKDOWN_WITHOUT_ALT = r"!\[\s*\]\("
"""The beginning of a Markdown image without description, as a regular expression."""
_MARKDOWN_WITHOUT_ALT = re.compile(MARKDOWN_WITHOUT_ALT)


def pictures_without_alt(html: str, decorative: Collection[str] = ()) -> tuple[str, ...]:
    """Return the addresses of the images of sanitised HTML that have no alt text, "" for one without address.

    Those at `decorative` addresses need none, nor does the poster of an embed beside its title.
    """
    missing = (
        unescape(source[1]) if (source := _SOURCE.search(found[0])) else ""
        for found in _PICTURE.finditer(html)
        if not _ALT.search(found[0]) and not _TITLE_OF_EMBED.match(html, found.end())
    )
    return tuple(address for address in missing if not address or address not in decorative)


def markdown_lacks_alt(text: str) -> bool:
    """Return whether an image in Markdown has an empty description; code that shows how to write one is no image."""
    if not _MARKDOWN_WITHOUT_ALT.search(text):
        return False
    from sitecms.content.text.markdown import render  # a build with nothing to do needs fields, but no Markdown

    return pictures_without_alt(render(text)) != ()
