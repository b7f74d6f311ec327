"""Addresses that content declares: own paths and former addresses (site folder reference, Addresses)."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any
from urllib.parse import unquote

from sitecms.content.permalink import MAX_PART_BYTES, locale_root
from sitecms.values import dataclass

ANY_LOCALE = ""
"""The key of former addresses that a page or item has in no certain locale."""
PAGE_EXTENSIONS = (".html", ".htm")


@dataclass(frozen=True, slots=True)
class OwnAddresses:
    """Own paths and former addresses of a page or item, by locale."""

    paths: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def path(self, locale: str) -> str:
        """Return the own path in a locale, or ""."""
        return self.paths.get(locale, "")

    def as_json(self) -> dict[str, Any]:
        """Return the addresses as plain data, without empty parts."""
        aliases = {locale: list(paths) for locale, paths in self.aliases.items() if paths}
        return {key: dict(value) for key, value in (("paths", self.paths), ("aliases", aliases)) if value}


NO_ADDRESSES = OwnAddresses()


def read_addresses(data: Mapping[str, Any] | None) -> OwnAddresses:
    """Return the addresses of the plain data that `as_json` made."""
    if not data:
        return NO_ADDRESSES
    aliases = {locale: tuple(paths) for locale, paths in data.get("aliases", {}).items()}
    return OwnAddresses(data.get("paths", {}), aliases)


def site_path(text: str) -> str:
    """Return the canonical form of an address of the site: decoded, with a final slash unless it names a file."""
    decoded = unquote(text.strip(), errors="strict") if _is_decodable(text) else text.strip()
    path = "/" + decoded.strip("/")
    is_file = "." in path.rsplit("/", 1)[-1] and not decoded.endswith("/")
    return path if is_file else path.rstrip("/") + "/"


def _is_decodable(text: str) -> bool:
    try:
        return unquote(text, errors="strict").isprintable()
    except UnicodeDecodeError:
        return False


def path_problem(text: str) -> str:
    """Return the problem of an address in an entry or a redirect; "" for a valid one."""
    path = site_path(text)
    parts = path.strip("/").split("/")
    if not text.strip().startswith("/"):
        return "does not begin with /"
    if any(sign in path for sign in "?#\\") or not path.isprintable():
        return "contains a character that no path of a page can contain"
    if "//" in path or any(part in (".", "..") for part in parts):
        return "contains an empty part, . or .."
    if any(len(part.encode()) > MAX_PART_BYTES for part in parts):
        return f"has a part of more than {MAX_PART_BYTES} bytes"
    return ""


def own_path_problem(text: str) -> str:
    """Return the problem of the own path of an entry; "" for a valid one."""
    path = site_path(text)
    if path == "/":
        return "is the address of the home page (build.home in site.toml names the page that stands there)"
    if not path.endswith(("/", *PAGE_EXTENSIONS)):
        return "is not the address of a page: it ends with neither / nor .html"
    return path_problem(text)


def paths_by_locale(given: object, locales: Iterable[str], default_locale: str) -> dict[str, str]:
    """Return the own path in each locale; one text is that of the default locale, and follows `/<locale>` elsewhere."""
    if isinstance(given, str) and given:
        path = site_path(given)
        return {locale: locale_root(locale, default_locale) + path for locale in locales}
    return {locale: site_path(text) for locale, text in given.items() if text} if isinstance(given, dict) else {}


def paths_to_file(paths: Mapping[str, str], locales: Iterable[str], default_locale: str) -> str | dict[str, str]:
    """Return own paths as a file writes them: one text if all locales follow from it."""
    known = {locale: paths[locale] for locale in locales if locale in paths}
    first = known.get(default_locale, "")
    return first if first and known == paths_by_locale(first, locales, default_locale) else known
