"""Slugs: the last part of an address, made from a title."""

import re
import unicodedata

MAX_SLUG_LENGTH = 100
_DROPPED = re.compile(r"[^\w\s-]")
_GAPS = re.compile(r"[-\s]+")


def slugify(text: str, *, max_length: int = MAX_SLUG_LENGTH) -> str:
    """Lower-case letters and digits of any script joined by hyphens; "" if nothing of the text can stand.

    Unicode letters stay (specification, Create blog post: "slugified (unicode)"), in composed form, so that two
    spellings of one word give one slug.
    """
    plain = _DROPPED.sub("", unicodedata.normalize("NFKC", text).lower())
    return unicodedata.normalize("NFC", _GAPS.sub("-", plain)[:max_length]).strip("-_")


def numbered(slug: str, number: int) -> str:
    """The slug with `-<number>` added, shortened to stay within the limit."""
    ending = f"-{number}"
    return slug[: MAX_SLUG_LENGTH - len(ending)].rstrip("-_") + ending
