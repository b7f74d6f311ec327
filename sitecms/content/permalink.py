"""Paths on the built site, such as `/es/blog/leer-la-niebla/`.

A path is written as people read it; `url_path` makes it fit for a URL. The default locale stands at the root, every
other one under `/<locale>` (design, section 5).

Former names of published entries, whose old addresses still lead to them.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote

from sitecms.content.change import EntryKind
from sitecms.content.fingerprint import digest


@dataclass(frozen=True, slots=True)
class FormerName:
    """A former slug of an entry. `place` is the locale of a post, the page type of a page ("" for a Single Page)."""

    kind: EntryKind
    place: str
    slug: str
    entry_id: int


BLOG = "/blog/"
_PLAIN = re.compile(r"[a-z0-9/_.-]*")
MAX_PART_BYTES = 255  # the longest name that file systems take


def locale_root(locale: str, default_locale: str) -> str:
    """Return the beginning of every path of a locale: "" for the default locale, else `/<locale>`."""
    return "" if locale == default_locale else f"/{locale}"


def fill(pattern: str, *, slug: str, page_type: str = "") -> str:
    """Return a permalink pattern with its `{slug}` and `{page_type}` filled in."""
    return pattern.replace("{page_type}", page_type).replace("{slug}", slug)


def entry_path(pattern: str, locale: str, default_locale: str, *, slug: str, page_type: str = "") -> str:
    """Return the path of an entry, locale included; each part of it fits a file system."""
    path = locale_root(locale, default_locale) + fill(pattern, slug=slug, page_type=page_type)
    if len(path) * 4 <= MAX_PART_BYTES:  # as most are: no part can be longer
        return path
    return "/".join(map(capped_part, path.split("/")))


def capped_part(part: str, limit_bytes: int = MAX_PART_BYTES) -> str:
    """Return the part of a path, or its beginning and a digest where it is too long for a file name."""
    if len(part.encode()) <= limit_bytes:
        return part
    ending = f"-{digest(part.encode())[:8]}"
    return part.encode()[: limit_bytes - len(ending)].decode("utf-8", "ignore") + ending


def url_path(path: str) -> str:
    """Return the path with all characters percent-encoded that a URL cannot contain."""
    return path if _PLAIN.fullmatch(path) else quote(path, safe="/~@!$&'()*+,;=:-._")
