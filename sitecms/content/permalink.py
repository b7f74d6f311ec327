"""Paths on the built site, such as `/es/blog/leer-la-niebla/`.

A path is written as people read it; `url_path` makes it fit for a URL. The default locale stands at the root, every
other one under `/<locale>` (design, section 5).
"""

import re
from collections.abc import Iterable
from datetime import date, datetime
from unicodedata import normalize
from urllib.parse import quote
from zoneinfo import ZoneInfo

from sitecms.content.fingerprint import digest
from sitecms.content.locale import Locales

BLOG = "/blog/"
_DATES = ("{year}", "{month}", "{day}")
_PLAIN = re.compile(r"[a-z0-9/_.-]*")
MAX_PART_BYTES = 255  # the longest name that file systems take
MAX_FILE_BYTES = MAX_PART_BYTES - len(".gz")
"""Most bytes of the name of a page's file, beside which compressed copies may lie."""
_PAGE = ".html"


def locale_root(locale: str, default_locale: str) -> str:
    """Return the beginning of every path of a locale: "" for the default locale, else `/<locale>`."""
    return "" if locale == default_locale else f"/{locale}"


def is_dated(pattern: str) -> bool:
    """Return whether addresses of the pattern contain the day of publication."""
    return any(each in pattern for each in _DATES)


def day_of(moment: datetime, timezone: str) -> date:
    """Return the day of a time in the time zone of the site."""
    return moment.astimezone(ZoneInfo(timezone)).date()


def fill(pattern: str, *, slug: str, page_type: str = "", day: date | None = None) -> str:
    """Return a permalink pattern with its placeholders filled in."""
    if day:
        for name, value in zip(_DATES, (f"{day.year:04}", f"{day.month:02}", f"{day.day:02}"), strict=True):
            pattern = pattern.replace(name, value)
    return pattern.replace("{page_type}", page_type).replace("{slug}", slug)


def entry_path(
    pattern: str, locale: str, default_locale: str, *, slug: str, page_type: str = "", day: date | None = None
) -> str:
    """Return the path of an entry, locale included; each part of it fits a file system.

    `day` is that of publication, for a pattern that `is_dated`.
    """
    path = locale_root(locale, default_locale) + fill(pattern, slug=slug, page_type=page_type, day=day)
    if len(path) * 4 <= MAX_PART_BYTES:  # as most are: no part can be longer
        return path
    return "/".join(map(capped_part, path.split("/")))


def moved_aliases(aliases: Iterable[str], pattern: str, old: str, new: str, locales: Locales) -> tuple[str, ...]:
    """Return the aliases of an archive whose slug changes: its former paths are added, its new ones removed."""

    def paths(slug: str) -> list[str]:
        return [entry_path(pattern, code, locales.default, slug=slug) for code in locales.codes]

    taken = {*paths(new)}
    return tuple(each for each in dict.fromkeys((*aliases, *paths(old))) if each not in taken)


def capped_part(part: str, limit_bytes: int = MAX_PART_BYTES) -> str:
    """Return the part of a path, or its beginning and a digest where it is too long for a file name.

    The extension of a page stays.
    """
    extension = _PAGE if part.endswith(_PAGE) else ""
    limit_bytes = min(limit_bytes, MAX_FILE_BYTES) if extension else limit_bytes
    if len(part.encode()) <= limit_bytes:
        return part
    ending = f"-{digest(part.encode())[:8]}{extension}"
    return part.encode()[: limit_bytes - len(ending)].decode("utf-8", "ignore") + ending


def folded_path(path: str) -> str:
    """Return the path as file systems compare it that ignore case and Unicode form."""
    lower = path.lower() if path.isascii() else normalize("NFC", path).lower()
    return path if lower == path else lower  # one text, not two


def url_path(path: str) -> str:
    """Return the path with all characters percent-encoded that a URL cannot contain."""
    return path if _PLAIN.fullmatch(path) else quote(path, safe="/~@!$&'()*+,;=:-._")
