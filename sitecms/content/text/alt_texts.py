"""Pictures without alt text in stored HTML and in Markdown."""

import re

_PICTURE = re.compile(r"<img(?: [^>]*)?>")
_ALT = re.compile(r' alt="[^"]*[^"\s]')
MARKDOWN_WITHOUT_ALT = r"!\[\s*\]\("
"""The beginning of a Markdown image without description, as a regular expression."""
_MARKDOWN_WITHOUT_ALT = re.compile(MARKDOWN_WITHOUT_ALT)


def pictures_without_alt(html: str) -> int:
    """Return how many images of sanitised HTML have no alt text."""
    return sum(not _ALT.search(tag) for tag in _PICTURE.findall(html))


def markdown_lacks_alt(text: str) -> bool:
    """Return whether an image in Markdown has an empty description."""
    return bool(_MARKDOWN_WITHOUT_ALT.search(text))
