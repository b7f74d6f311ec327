"""Assets and media of the built site: assets get a name that changes with their content.

Stylesheets are minified by removing comments and unneeded white space; every other token stays, nothing is reordered
or merged, so the meaning stays. The packages from PyPI were compared on the theme's stylesheet (22,453 bytes; 18,890
here, 5,511 with gzip) and on modern CSS:

- rcssmin 1.3: 18,802 bytes; turns `a :hover` inside `@layer`, `@container` or another rule into `a:hover`.
- csscompressor 0.9: 18,733 bytes; turns `& :hover` into `&:hover`, and has had no release since 2017.
- tdewolff-minify 2.24: 18,771 bytes; turns `a/**/b` into `ab`, and fails on text without an end.
- lightningcss 0.3: 18,716 bytes, 5,498 with gzip; correct, but 12 MB installed for 13 bytes of each transfer, and it
  reorders declarations and computes colours, so that an owner does not find the rules again.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath
from posixpath import normpath

import orjson

from sitecms.content.fingerprint import digest
from sitecms.content.media import CONTENT_TYPES, MEDIA_NAME, MEDIA_PREFIX, MediaFile
from sitecms.errors import ConfigurationError, InvalidMedia, NotFound
from sitecms.media.library import MediaLibrary
from sitecms.site.routes import Routes
from sitecms.site.theme.theme import Theme
from sitecms.values import dataclass

_TOKENS = re.compile(
    r"""
      (?P<kept>"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'   # text in quotes
        |\\(?:[0-9a-fA-F]{1,6}\s?|[\s\S])                          # an escape, with the blank that ends it
        |(?i:url)\(\s*(?!["'\s])[^)"'(]*\)                         # an address without quotes
        |/\*![\s\S]*?\*/)                                          # a licence
    | (?P<comment>/\*[\s\S]*?\*/)
    | (?P<space>\s+)
    | (?P<sign>[{}();:,])
    | (?P<text>(?:[^"'\\/\s{}();:,u]|u(?!rl\()|/(?!\*))+|(?i:u)rl)
    """,
    re.VERBOSE,
)
_NO_SPACE_AFTER = frozenset("{};,(:")
_NO_SPACE_BEFORE = frozenset("{};,)")


def minified_css(css: str) -> str:
    """Return the stylesheet without comments and spare white space; unchanged if a token in it has no end."""
    out: list[str] = []
    apart = ""
    position = 0
    while position < len(css):
        match = _TOKENS.match(css, position)
        if match is None:
            return css
        position = match.end()
        token, kind = match[0], match.lastgroup
        if kind in ("comment", "space"):
            apart = " " if kind == "space" or apart == " " else "/**/"  # a comment parts names as a blank would not
            continue
        if apart and out and out[-1] not in _NO_SPACE_AFTER and token not in _NO_SPACE_BEFORE:
            out.append(apart)
        apart = ""
        if token == "}":  # noqa: S105 - a sign of CSS
            while out and out[-1] == ";":
                out.pop()
        out.append(token)
    return "".join(out)


_ASSETS = "/assets/"
_SCRIPTS = "integrations.js"
"""The script that loads those of services, which sites without them do not have."""
_TYPES = {**CONTENT_TYPES, "jpeg": "image/jpeg"}
_CSS_URL = re.compile(
    r"""(?:url\(\s*["']?|(?P<import>@import\s+)["'])(?P<name>[^"')?#:;]+)(?P<rest>[?#][^"')]*)?(?:["'](?!\s*\))|["']?\s*\))""",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FileJob:
    """Output that is a copy of bytes; `read` returns them when they are needed.

    `media` is the name of the copied file in the library, "" for assets.
    """

    path: str
    fingerprint: str
    read: Callable[[], bytes]
    media: str = ""


def file_of_bytes(path: str, data: bytes) -> FileJob:
    """Return the job that writes these bytes."""
    return FileJob(path, digest(data), lambda: data)


def plan_assets(theme: Theme, routes: Routes) -> tuple[dict[str, str], tuple[FileJob, ...]]:
    """Return the URL of each asset by its name in the theme, and the jobs that write them.

    Stylesheets name other assets by their plain names (`url(fonts/x.woff2)`, `@import "more.css"`), and get the final
    ones. Raises ConfigurationError for stylesheets that import one another, since each name would depend on the other.
    """
    urls: dict[str, str] = {}
    jobs = []
    services = routes.settings.integrations
    for name in _in_order(theme):
        if name == _SCRIPTS and not services.analytics and not services.comments:
            continue
        data = theme.asset_bytes(name)
        if name.endswith(".css"):
            data = _stylesheet(data, name, urls, minify=routes.settings.delivery.minify)
        elif kind := _TYPES.get(PurePosixPath(name).suffix[1:].lower()):
            data = _without_metadata(data, kind)
        fingerprint = digest(data)
        plain = PurePosixPath(name)
        path = _ASSETS + str(plain.with_name(f"{plain.stem}.{fingerprint[:12]}{plain.suffix}"))
        urls[name] = routes.url(path)
        jobs.append(FileJob(path[1:], fingerprint, lambda data=data: data))  # type: ignore[misc]  # bound now
    return urls, tuple(jobs)


def _without_metadata(data: bytes, content_type: str) -> bytes:
    """Return a picture or video of the theme without metadata, unchanged if its structure is unknown."""
    from sitecms.media.stripping import strip_metadata

    try:
        return data if content_type == "image/svg+xml" else strip_metadata(data, content_type)
    except InvalidMedia:
        return data


def is_file_path(path: str) -> bool:
    """Return True if an output at this path is an asset or a media file, not a page."""
    return path.startswith((_ASSETS[1:], MEDIA_PREFIX[1:]))


def plan_media(names: Iterable[str], media: Mapping[str, MediaFile], library: MediaLibrary) -> tuple[FileJob, ...]:
    """Return a job for each media file that pages name, so files of drafts stay unpublished."""
    return tuple(_media_job(media[name], library) for name in sorted(set(names) & media.keys()))


def plain_json(value: object) -> bytes:
    """Serialise a value. Unlike `canonical`, it keeps the order of mappings, over which templates iterate."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)


def media_named(serialised: bytes, media: Mapping[str, MediaFile]) -> tuple[MediaFile, ...]:
    """Return the media files whose addresses occur in a serialised context, in order of name."""
    names = {name.decode() for name in _MEDIA_IN_BYTES.findall(serialised)}
    return tuple(media[name] for name in sorted(names) if name in media)


_MEDIA_IN_BYTES = re.compile(MEDIA_NAME.pattern.encode())


def _media_job(media: MediaFile, library: MediaLibrary) -> FileJob:
    def read() -> bytes:
        try:
            return library.path(media.name).read_bytes()
        except (OSError, NotFound) as error:
            problem = f"The media library has lost {media.original_name} ({library.folder / media.name})"
            reason = getattr(error, "strerror", "") or "there is no such file"
            raise ConfigurationError(f"{problem}: {reason}. Put it back, or load it again.") from error

    return FileJob(MEDIA_PREFIX[1:] + media.name, media.name, read, media.name)


def _in_order(theme: Theme) -> tuple[str, ...]:
    """Return the names of all assets, each stylesheet after those that it names."""
    sheets = [name for name in sorted(theme.assets) if name.endswith(".css")]
    named = {}
    for sheet in sheets:
        text = theme.asset_bytes(sheet).decode("utf-8", "surrogateescape")
        targets = {_target(sheet, match) for match in _CSS_URL.finditer(text)}
        named[sheet] = [other for other in sheets if other in targets]
    try:
        ordered = tuple(TopologicalSorter(named).static_order())
    except CycleError as error:
        circle = " → ".join(reversed(error.args[1]))
        raise ConfigurationError(f"Stylesheets name one another in a circle: {circle}. Take one url() out.") from error
    return (*(name for name in sorted(theme.assets) if name not in named), *ordered)


def _target(sheet: str, match: re.Match[str]) -> str:
    return normpath(PurePosixPath(sheet).parent / match["name"].strip())


def _stylesheet(data: bytes, name: str, urls: Mapping[str, str], *, minify: bool) -> bytes:
    def final(match: re.Match[str]) -> str:
        target = _target(name, match)
        return f"{match['import'] or ''}url({urls[target]}{match['rest'] or ''})" if target in urls else match[0]

    css = _CSS_URL.sub(final, data.decode("utf-8", "surrogateescape"))
    return (minified_css(css) if minify else css).encode("utf-8", "surrogateescape")
