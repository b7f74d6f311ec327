"""Settings of the media library and of images: the tables [media], [images] and [share_images] of site.toml."""

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from urllib.parse import parse_qsl

from msgspec import Struct, field

from sitecms.settings.service_url import ServiceUrl
from sitecms.web_address import is_address, split_address

_MEGABYTE = 1_000_000
SCHEME = "s3"
EXAMPLE = "s3://tide-media/site?endpoint=https://s3.example&region=eu-1"
_OPTIONS = ("endpoint", "region", "style")
_STYLES = ("", "path", "virtual")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]", re.IGNORECASE)
_PREFIX = re.compile(r"[A-Za-z0-9._~/-]*")


class ImageSettings(Struct, frozen=True):
    """Settings of derived image sizes. `formats` are in order of preference; qualities go from 1 to 100.

    An image larger than `original_max_pixels` on its longer side, or than `original_max_mb`, is not published itself.
    """

    enabled: bool
    widths: tuple[int, ...]
    formats: tuple[str, ...]
    avif_quality: int
    webp_quality: int
    original_max_pixels: int = 2560
    original_max_mb: int | float = 2

    def publishes_original(self, width: int, height: int, size_bytes: int) -> bool:
        """Return whether an image of this size is published itself."""
        return max(width, height) <= self.original_max_pixels and size_bytes <= self.original_max_mb * _MEGABYTE

    def quality(self, form: str) -> int:
        """Return the quality of one of the formats."""
        return self.avif_quality if form == "avif" else self.webp_quality


class ShareImageSettings(Struct, frozen=True):
    """Settings of share images, which are drawn for pages without an image.

    `fonts` are files of the site folder for letters that the font of the package lacks.
    """

    enabled: bool
    fonts: tuple[str, ...]


class Serving(StrEnum):
    """The answer of /media for a file in object storage: a redirect, or the file."""

    REDIRECT = "redirect"
    STREAM = "stream"


class InBuild(StrEnum):
    """The media files of the built site: copies, or links to `public_url`."""

    COPY = "copy"
    LINK = "link"


class Bucket(Struct, frozen=True):
    """A place in object storage: files lie below `prefix`, which is "" or ends with a slash.

    `endpoint` and `region` "": those of the client library. `style` is where requests name the bucket: in their
    `path`, or in their host (`virtual`).
    """

    name: str
    prefix: str = ""
    endpoint: str = ""
    region: str = ""
    style: str = "virtual"

    def __str__(self) -> str:
        """Return `s3://name/prefix at endpoint`."""
        at = f" at {self.endpoint}" if self.endpoint else ""
        return f"s3://{self.name}/{self.prefix}".rstrip("/") + at


class MediaSettings(Struct, frozen=True):
    """Settings of the media library. `allow_hosts` are private hosts from which remote media may come.

    `url` "" means that files are stored in a folder. `public_url` stands before `/media/<name>` for readers, "" is the
    API server. `fetch_seconds` and `fetch_mb` limit the remote media of one write together, `retry_minutes` the time
    for which they are tried. With `aside`, new files are stored in the site's folder only, whatever `url` is.
    """

    allow_hosts: tuple[str, ...]
    url: ServiceUrl = field(default_factory=ServiceUrl)
    public_url: str = ""
    serve: Serving = Serving.REDIRECT
    in_build: InBuild = InBuild.COPY
    cache_mb: int = 1024
    fetch_seconds: int = 120
    fetch_mb: int = 200
    retry_minutes: int = 10
    cache: Path | None = None
    aside: bool = False

    @property
    def bucket(self) -> Bucket | None:
        """The bucket that stores the files; None: a folder does."""
        return read_bucket(self.url) if self.url else None


def read_bucket(url: ServiceUrl) -> Bucket:
    """Return the bucket that a valid address names."""
    parts = split_address(url.reveal())
    options = dict(parse_qsl(parts.query))
    endpoint, prefix = options.get("endpoint", "").rstrip("/"), parts.path.strip("/")
    style = options.get("style") or ("path" if endpoint else "virtual")
    return Bucket(parts.netloc, f"{prefix}/" if prefix else "", endpoint, options.get("region", ""), style)


def bucket_problems(url: ServiceUrl) -> Iterator[str]:
    """Yield the errors of an address, no part of which is shown, since it may contain a password."""
    if not is_address(url.reveal()):
        yield "is not an address"
        return
    parts = split_address(url.reveal())
    try:
        options = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        yield "is not an address"
        return
    if parts.scheme != SCHEME:
        yield "does not begin with s3://"
    elif "@" in parts.netloc:
        yield "holds credentials, which belong in the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or a file"
    elif not _BUCKET.fullmatch(parts.netloc):
        yield "does not name a bucket"
    elif not _PREFIX.fullmatch(parts.path) or "//" in parts.path or parts.fragment:
        yield "has a prefix with other characters than letters, digits and . _ ~ - /"
    names = [name for name, _ in options]
    if unknown := sorted(set(names) - set(_OPTIONS)):
        yield f"has the option {unknown[0][:20]!r}, and not only {', '.join(_OPTIONS)}"
    elif len(set(names)) < len(names):
        yield "gives an option twice"
    elif dict(options).get("style", "") not in _STYLES:
        yield "has another style than path and virtual"
    elif not _is_endpoint(dict(options).get("endpoint", "")):
        yield "has an endpoint that is not an address such as https://s3.example"


def _is_endpoint(endpoint: str) -> bool:
    try:
        parts = split_address(endpoint)
        bare = "@" not in parts.netloc and not parts.query and not parts.fragment and (parts.port is None or parts.port)
    except ValueError:
        return False
    return not endpoint or bool(bare and parts.scheme in ("http", "https") and parts.hostname)
