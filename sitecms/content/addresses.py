"""Addresses that content declares: own paths and former addresses (site folder reference, Addresses)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote

from msgspec import Struct, field

from sitecms.content.permalink import MAX_FILE_BYTES, MAX_PART_BYTES, locale_root
from sitecms.content.text.slug import composed

ANY_LOCALE = ""
"""The key of former addresses that a page or item has in no certain locale."""
PAGE_EXTENSIONS = (".html", ".htm")
BUILT_FILES = frozenset(
    {"_redirects", "_headers", "nginx-redirects.map", "nginx-redirect-maps.conf", "nginx-redirects.conf"}
    | {"nginx-headers.conf", "robots.txt", ".sitecms-manifest.json", ".sitecms-journal.json", ".sitecms-next"}
)
"""Files at the root of the built site, below which there can be no pages."""
MAX_PATH_BYTES = 2_000
"""Most bytes of an address: file systems allow 4,096 for a path, in which the output folder has a part, too."""
_DOCUMENT = re.compile(r"\.(?:[xps]?html?|php\d?|aspx?|jspx?|cfm|cgi|pl|do|xml|rss|rdf|atom|json|txt|pdf)\Z", re.I)
_LETTERS = re.compile(r"[A-Za-z]?(?:%[89A-Fa-f][0-9A-Fa-f]|[^\x00-\x7f])+")  # ASCII letters may get an accent


class OwnAddresses(Struct, frozen=True):
    """Own paths and former addresses of an entry, by locale; `guid` is the own id of a post in feeds, or ""."""

    paths: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    guid: str = ""

    def path(self, locale: str) -> str:
        """Return the own path in a locale, or ""."""
        return self.paths.get(locale, "")

    def as_json(self) -> dict[str, Any]:
        """Return the addresses as plain data, without empty parts."""
        aliases = {locale: list(paths) for locale, paths in self.aliases.items() if paths}
        parts = (("paths", dict(self.paths)), ("aliases", aliases), ("guid", self.guid))
        return {key: value for key, value in parts if value}


NO_ADDRESSES = OwnAddresses()


def read_addresses(data: Mapping[str, Any] | None) -> OwnAddresses:
    """Return the addresses of the plain data that `as_json` made."""
    if not data:
        return NO_ADDRESSES
    aliases = {locale: tuple(paths) for locale, paths in data.get("aliases", {}).items()}
    return OwnAddresses(data.get("paths", {}), aliases, data.get("guid", ""))


def site_path(text: str) -> str:
    """Return the canonical form of an address of the site: decoded, with a final slash unless it names a file."""
    decoded = unquote(text.strip(), errors="strict") if _is_decodable(text) else text.strip()
    path = "/" + decoded.strip("/")
    is_file = "." in path.rsplit("/", 1)[-1] and not decoded.endswith("/")
    return path if is_file else path.rstrip("/") + "/"


def alias_path(text: str) -> str:
    """Return the canonical form of a former address of an entry, which was that of a page.

    So a last part with a dot names a file only if it ends as documents on the web do: `/old.html` and `/old.php` stay
    as they are, `/releases/1.2.0` becomes `/releases/1.2.0/`, whose page a web server also finds without the slash.
    """
    path = site_path(text)
    return path if path.endswith("/") or _DOCUMENT.search(path) else f"{path}/"


def own_path(text: str) -> str:
    """Return the canonical form of the own path of an entry, in which outputs are named: as `site_path`, composed."""
    return composed(site_path(text))


def composed_address(text: str) -> str:
    """Return an address within the site, percent-encoded or not, with its letters in composed form, as outputs have."""
    return text if text.isascii() and "%" not in text else _LETTERS.sub(_composed_letters, text)


def _composed_letters(match: re.Match[str]) -> str:
    try:
        letters = unquote(match[0], errors="strict")
    except UnicodeDecodeError:
        return match[0]
    return match[0] if composed(letters) == letters else quote(composed(letters))


def _is_decodable(text: str) -> bool:
    try:
        return unquote(text, errors="strict").isprintable()
    except UnicodeDecodeError:
        return False


def path_problem(text: str) -> str:
    """Return the problem of an address in an entry or a redirect; "" for a valid one."""
    path = site_path(text)
    if not text.strip().startswith("/"):
        return "does not begin with /"
    if any(sign in path for sign in "?#\\") or not path.isprintable():
        return "contains a character that no path of a page can contain"
    return output_problem(path)


def output_problem(path: str) -> str:
    """Return the reason why the built site can have no file at a path; "" if it can."""
    parts = path.strip("/").split("/")
    if "//" in path or any(part in (".", "..") for part in parts):
        return "contains an empty part, . or .."
    if any(len(part.encode()) > MAX_PART_BYTES for part in parts):
        return f"has a part of more than {MAX_PART_BYTES} bytes"
    if not path.endswith("/") and len(parts[-1].encode()) > MAX_FILE_BYTES:
        return f"has a file name of more than {MAX_FILE_BYTES} bytes"
    if len(path.encode()) > MAX_PATH_BYTES:
        return f"has more than {MAX_PATH_BYTES} bytes"
    if parts[0] in BUILT_FILES:
        return f"is below {parts[0]}, which is a file of the built site itself"
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
        path = own_path(given)
        return {locale: locale_root(locale, default_locale) + path for locale in locales}
    return {locale: own_path(text) for locale, text in given.items() if text} if isinstance(given, dict) else {}


def paths_to_file(paths: Mapping[str, str], locales: Iterable[str], default_locale: str) -> str | dict[str, str]:
    """Return own paths as a file writes them: one text if all locales follow from it."""
    known = {locale: paths[locale] for locale in locales if locale in paths}
    first = known.get(default_locale, "")
    return first if first and known == paths_by_locale(first, locales, default_locale) else known
