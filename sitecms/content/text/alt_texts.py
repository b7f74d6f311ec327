"""Pictures without alt text in stored HTML and in Markdown."""

import re
from collections.abc import Collection

_PICTURE = re.compile(r"<img(?: [^>]*)?>")
_SOURCE = re.compile(r' src="([^"]*)"')
_ALT = re.compile(r' alt="[^"]*[^"\s]')
MARKDOWN_WITHOUT_ALT = r"!\[\s*\]\("
"""The beginning of a Markdown image without description, as a regular expression."""
_MARKDOWN_WITHOUT_ALT = re.compile(MARKDOWN_WITHOUT_ALT)


def pictures_without_alt(html: str, decorative: Collection[str] = ()) -> int:
    """Return how many images of sanitised HTML have no alt text; those at `decorative` addresses need none."""
    missing = (_SOURCE.search(tag) for tag in _PICTURE.findall(html) if not _ALT.search(tag))
    return sum(not found or found[1] not in decorative for found in missing)


def markdown_lacks_alt(text: str) -> bool:
    """Return whether an image in Markdown has an empty description; code that shows how to write one is no image."""
    if not _MARKDOWN_WITHOUT_ALT.search(text):
        return False
    from sitecms.content.text.markdown import render  # a build with nothing to do needs fields, but no Markdown

    return pictures_without_alt(render(text)) > 0
