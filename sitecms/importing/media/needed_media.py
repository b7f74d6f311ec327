"""Media files that texts name: the address of the original, the placeholder in texts, the path on the new site."""

import re
import unicodedata
from functools import lru_cache
from mimetypes import guess_type
from pathlib import PurePosixPath
from urllib.parse import parse_qs, unquote, urlunsplit

from msgspec import Struct

from sitecms.content.fingerprint import digest
from sitecms.web_address import split_address

SOURCE_SCHEME = "source:"
EXTENSIONS = frozenset(
    {
        *("jpg", "jpeg", "jpe", "png", "gif", "webp", "avif", "svg", "bmp", "tif", "tiff", "ico", "heic"),
        *("mp3", "ogg", "oga", "ogv", "opus", "mp4", "m4a", "m4v", "webm", "mov", "avi", "wav", "flac", "mid", "wmv"),
        *("pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "pps", "odt", "ods", "odp", "odg", "rtf", "csv", "tsv"),
        *("txt", "log", "tex", "ps", "eps", "djvu", "pages", "key", "numbers", "epub", "mobi", "azw3", "ics", "vcf"),
        *("zip", "rar", "7z", "gz", "tgz", "bz2", "xz", "zst", "tar", "jar", "iso", "dmg", "exe", "msi", "apk", "deb"),
        *("c", "h", "cpp", "cs", "java", "py", "ipynb", "rb", "pl", "sh", "bat", "ps1", "sql", "r", "m", "go", "rs"),
        *("patch", "diff", "conf", "ini", "cfg", "toml", "yml", "yaml", "bib", "gpx", "kml", "kmz", "stl", "blend"),
        *("psd", "ai", "xcf", "sketch", "ttf", "otf", "woff", "woff2", "asc", "sig", "torrent", "srt", "drawio"),
    }
)
"""Endings of the names of files that a text shows or offers to readers; those of pages and feeds are not among them."""
_SETTINGS = re.compile(r"robots\.txt|[^/]+\.(?:conf|ini|toml|ya?ml)", re.I)
_TOKEN = "media/sitecms-pending-{}.x"  # noqa: S105 - no secret
TOKEN = re.compile(r"media/sitecms-pending-([0-9a-f]{16})\.x")
_WP_SIZE = re.compile(r"-(?:\d{1,5}x\d{1,5}|scaled)(?=\.[A-Za-z0-9]{2,5}$)")
_WP_QUERY = frozenset(
    {"w", "h", "resize", "fit", "ssl", "quality", "strip", "crop", "zoom", "q", "resize_w", "is-pending-load"}
)
_PHOTON = re.compile(r"i[0-3]\.wp\.com")
_GHOST_SIZE = re.compile(r"(?<=/content/images)/size/w\d+(?:h\d+)?(?:/format/\w+)?")
_MEDIUM_SIZE = re.compile(r"^/(?:v2/)?(?:max|fit/[a-z]|resize:[^/]+|freeze/[^/]+)(?:/[^/]+)*?/(?=\d\*)")
_SUBSTACK = re.compile(r"^/image/(?:fetch|upload)/(?:\$?[^/]*/)*?(?=https?(?:%3A|:))", re.I)
_BUTTER_SIZE = re.compile(r"^/(?:[a-z_]+=[^/]+/)+(?=[^/]+$)")
_UPLOADS = re.compile(
    r"^.*?/(?:wp-content/uploads(?:/sites/\d+)?|content/(?:images|media|files)|uploads|assets/images|sites/default/files)/",
    re.I,
)
_UNFIT = re.compile(r"[^\w.+@=-]+")


class NeededMedia(Struct, frozen=True):
    """A media file that a text names: its addresses, best first, and its preferred path below media/.

    An address is a URL or `source:PATH`. `old` is the address on the old site of a file of the source ("": unknown).
    """

    token: str
    addresses: tuple[str, ...]
    path: str
    old: str = ""


def token_of(identity: str) -> str:
    """Return the placeholder that stands in texts for a media file until its path is known."""
    return _TOKEN.format(digest(identity.encode())[:16])


@lru_cache(1_000)
def needed_media(address: str, path: str = "", *, is_exact: bool = False) -> NeededMedia:
    """Return the media file at an address; `is_exact`: the source itself names the address, so it is the original."""
    addresses = (address,) if is_exact or address.startswith(SOURCE_SCHEME) else (*originals(address), address)
    addresses = tuple(dict.fromkeys(addresses))
    return NeededMedia(token_of(addresses[0]), addresses, media_path(path or addresses[0]))


def originals(url: str) -> tuple[str, ...]:
    """Return the addresses at which the original of a resized copy may be found; none for an original."""
    parts = split_address(url)
    host, path = (parts.hostname or "").lower(), parts.path
    if _PHOTON.fullmatch(host) and path.count("/") > 1:
        inner = f"https:/{path}"
        return (*originals(inner), inner)
    if host.endswith(("substackcdn.com", "cdn.substack.com")) and (match := _SUBSTACK.match(path)):
        inner = unquote(path[match.end() :])
        return (inner,) if inner.startswith(("https://", "http://")) else ()
    changed = path
    if "wp-content/uploads" in path or "files.wordpress.com" in host:
        changed = _WP_SIZE.sub("", path)
    elif host.endswith(("medium.com", "miro.medium.com", "cdn-images-1.medium.com")):
        changed = _MEDIUM_SIZE.sub("/", path)
    elif host.endswith(("buttercms.com", "filestackcontent.com")):
        changed = _BUTTER_SIZE.sub("/", path)
    changed = _GHOST_SIZE.sub("", changed)
    query = "" if _is_resizing(parts.query, path, host) else parts.query
    address = urlunsplit((parts.scheme, parts.netloc, changed, query, ""))
    return (address,) if address != url else ()


def _is_resizing(query: str, path: str, host: str) -> bool:
    names = parse_qs(query, keep_blank_values=True).keys()
    is_known = "wp-content/uploads" in path or host.endswith(("files.wordpress.com", "ctfassets.net"))
    return bool(names) and is_known and (names <= _WP_QUERY or host.endswith("ctfassets.net"))


def is_media_path(path: str) -> bool:
    """Return whether a path is that of a picture, sound, video or document, by its extension."""
    return PurePosixPath(path).suffix.lower().lstrip(".") in EXTENSIONS


def upload_kind(address: str) -> str:
    """Return the kind of an upload for reports: "pictures", "audio and video" or "documents", by its extension."""
    content_type = guess_type(split_address(address.removeprefix(SOURCE_SCHEME)).path)[0] or ""
    kinds = {"image": "pictures", "audio": "audio and video", "video": "audio and video"}
    return kinds.get(content_type.partition("/")[0], "documents")


def is_document_path(address: str) -> bool:
    """Return whether the file of an address can be published there: no page, script, or setting of a server or host."""
    path = unquote(split_address(address.removeprefix(SOURCE_SCHEME)).path).lstrip("/")
    return is_media_path(path) and not is_hidden(path) and not is_settings(path)


def is_settings(path: str) -> bool:
    """Return whether a path at the root of a site is one at which servers, hosts or crawlers look for settings."""
    return _SETTINGS.fullmatch(path) is not None


def is_hidden(path: str) -> bool:
    """Return whether a part of a path begins with a dot."""
    return any(part.startswith(".") for part in path.split("/"))


def media_path(address: str) -> str:
    """Return the path below media/ of a file: the path of its upload, without characters that need escapes."""
    path = address.removeprefix(SOURCE_SCHEME)
    if "://" in path:
        path = unquote(split_address(path).path)
    path = _UPLOADS.sub("", "/" + path.lstrip("/"))
    parts = [_part(part) for part in unicodedata.normalize("NFC", path).split("/") if part not in ("", ".", "..")]
    return "/".join(part for part in parts if part) or "file"


def _part(part: str) -> str:
    stem, dot, suffix = part.rpartition(".")
    name = (
        f"{_UNFIT.sub('-', stem).strip('-')}{dot}{_UNFIT.sub('', suffix)}" if dot else _UNFIT.sub("-", part).strip("-")
    )
    return name.lstrip(".~")[-150:]
