"""Permalink patterns of the old site, inferred from its own addresses."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

MIN_SHARE = 0.3
"""Least share of the addresses that the most frequent pattern must have to become the site's pattern."""
_DATE_PARTS = (("{year}", "%Y"), ("{month}", "%m"), ("{day}", "%d"))
_ENDINGS = {"": "/", ".html": ".html"}


def pattern_of(path: str, slug: str, local: datetime | None) -> str:
    """Return the pattern of one address, such as `/{year}/{month}/{slug}/`; "" if it does not end in the slug.

    `path` is as `old_path` writes it, `local` the time of publication in the site's time zone.
    """
    *before, last = path.strip("/").split("/")
    ending = next((end for known, end in _ENDINGS.items() if last == slug + known), "")
    if not slug or not ending or any(sign in path for sign in "{}"):
        return ""
    wanted = list(_DATE_PARTS) if local else []
    parts = []
    for part in before:
        if wanted and local and part == local.strftime(wanted[0][1]):
            parts.append(wanted.pop(0)[0])
        else:
            parts.append(part)
    return "/" + "/".join((*parts, "{slug}")) + ending


def infer_pattern(found: Iterable[str]) -> str:
    """Return the most frequent of the patterns of all addresses; "" if none is frequent enough."""
    counts = Counter(found)
    total = sum(counts.values())
    del counts[""]
    if not counts:
        return ""
    count, pattern = max((count, pattern) for pattern, count in counts.items())
    return pattern if count >= MIN_SHARE * total else ""


def fill_pattern(pattern: str, slug: str, local: datetime | None, page_type: str = "") -> str:
    """Return the address of an entry by a pattern."""
    path = pattern.replace("{page_type}", page_type)
    if local:
        for name, code in _DATE_PARTS:
            path = path.replace(name, local.strftime(code))
    return path.replace("{slug}", slug)
