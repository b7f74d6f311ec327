"""Assets and media of the built site: assets get a name that changes with their content."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath

import orjson
from msgspec import Struct
from msgspec.structs import asdict

from sitecms.content.fingerprint import digest
from sitecms.content.media import CONTENT_TYPES, MEDIA_PREFIX, MediaFile
from sitecms.errors import ConfigurationError, InvalidMedia, NotFound
from sitecms.media.library import MediaLibrary
from sitecms.site.routes import Routes
from sitecms.site.theme.app_icons import MANIFEST, app_icons, manifest
from sitecms.site.theme.stylesheets import ASSETS, minified, published, with_final_names
from sitecms.site.theme.theme import Theme

_SCRIPTS = "integrations.js"
"""The script that loads those of services, which sites without them do not have."""
_TYPES = {**CONTENT_TYPES, "jpeg": "image/jpeg"}


class FileJob(Struct, frozen=True):
    """Output that is a copy of bytes; `read` returns them when they are needed.

    `media` is the name of the copied file in the library, "" for assets. `source` is a file of the site folder, which
    is copied without being read as a whole, and `name` its path in that folder.
    """

    path: str
    fingerprint: str
    read: Callable[[], bytes]
    media: str = ""
    source: Path | None = None
    name: str = ""

    @property
    def shows(self) -> str:
        """The name of the file in messages."""
        return f"file {self.name or self.path}"


def file_of_bytes(path: str, data: bytes) -> FileJob:
    """Return the job that writes these bytes."""
    return FileJob(path, digest(data), lambda: data)


def plan_assets(theme: Theme, routes: Routes) -> tuple[dict[str, str], tuple[FileJob, ...]]:
    """Return the URL of each asset by its name in the theme, and the jobs that write them.

    Stylesheets name other assets by their plain names (`url(fonts/x.woff2)`, `@import "/assets/more.css"`), and get the
    final ones. Raises ConfigurationError for stylesheets that import one another, since each name would depend on the
    other.
    """
    urls: dict[str, str] = {}
    jobs = []
    services = routes.settings.integrations
    for name in published(theme):
        if name == _SCRIPTS and not services.analytics and not services.comments:
            continue
        data = theme.asset_bytes(name)
        if name.endswith(".css"):
            data = with_final_names(data, name, urls, routes.base_path)
            data = minified(data) if routes.settings.delivery.minify else data
        elif kind := _TYPES.get(PurePosixPath(name).suffix[1:].lower()):
            data = _without_metadata(data, kind)
        fingerprint = digest(data)
        plain = PurePosixPath(name)
        path = ASSETS + str(plain.with_name(f"{plain.stem}.{fingerprint[:12]}{plain.suffix}"))
        urls[name] = routes.url(path)
        jobs.append(FileJob(path[1:], fingerprint, lambda data=data: data))  # type: ignore[misc]  # bound now
    for icon in app_icons(theme):
        plain = PurePosixPath(icon.name)
        path = ASSETS + str(plain.with_name(f"{plain.stem}.{icon.fingerprint[:12]}{plain.suffix}"))
        urls[icon.name] = routes.url(path)
        jobs.append(FileJob(path[1:], icon.fingerprint, icon.read))
    if data := manifest(theme, routes, urls):
        path = f"{ASSETS}{PurePosixPath(MANIFEST).stem}.{digest(data)[:12]}.json"
        urls[MANIFEST] = routes.url(path)
        jobs.append(file_of_bytes(path[1:], data))
    return urls, tuple(jobs)


def _without_metadata(data: bytes, content_type: str) -> bytes:
    """Return a picture or video of the theme without metadata, unchanged if its structure is unknown."""
    from sitecms.media.metadata import strip_metadata

    try:
        return data if content_type == "image/svg+xml" else strip_metadata(data, content_type)
    except InvalidMedia:
        return data


def is_file_path(path: str) -> bool:
    """Return True if an output at this path is an asset or a media file, not a page."""
    return path.startswith((ASSETS[1:], MEDIA_PREFIX[1:]))


def plan_media(names: Iterable[str], media: Mapping[str, MediaFile], library: MediaLibrary) -> tuple[FileJob, ...]:
    """Return a job for each media file that pages name, so files of drafts stay unpublished."""
    return tuple(_media_job(media[name], library) for name in sorted(set(names) & media.keys()))


def plain_json(value: object) -> bytes:
    """Serialise a value. Unlike `canonical`, it keeps the order of mappings, over which templates iterate."""
    return orjson.dumps(value, default=asdict, option=orjson.OPT_NON_STR_KEYS)


def _media_job(media: MediaFile, library: MediaLibrary) -> FileJob:
    def read() -> bytes:
        try:
            return library.path(media.name).read_bytes()
        except (OSError, NotFound) as error:
            problem = f"The media library has lost {media.original_name} ({library.folder / media.name})"
            reason = getattr(error, "strerror", "") or "there is no such file"
            raise ConfigurationError(f"{problem}: {reason}. Put it back, or load it again.") from error

    return FileJob(MEDIA_PREFIX[1:] + media.name, media.name, read, media.name)
