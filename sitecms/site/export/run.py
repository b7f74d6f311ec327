"""Steps of an export for another system: one snapshot, the texts, the media, the target folder."""

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from sitecms.documents.folders import STATIC_FOLDER
from sitecms.errors import ConfigurationError
from sitecms.media.library import MediaLibrary, open_library, protected_media
from sitecms.plurals import counted
from sitecms.settings.site import SiteSettings
from sitecms.site.export import ghost, hugo, wxr
from sitecms.site.export.contents import Contents, read_contents
from sitecms.site.export.media import MediaAddresses
from sitecms.site.plan.redirect_files import HOSTED
from sitecms.site.plan.static_files import plan_static
from sitecms.site.theme.assets import FileJob
from sitecms.store.database import Database
from sitecms.temporary_folders import temporary_folder


class ExportFormat(NamedTuple):
    """One export format: functions for the prefix of media addresses, the files, and the lines about losses.

    `static_folder` is where the system publishes files as they are, "" if it cannot.
    """

    address: Callable[[Contents], str]
    files: Callable[[Contents, MediaAddresses], Iterator[tuple[str, bytes]]]
    media_folder: str
    losses: Callable[[Contents], Iterator[str]]
    static_folder: str = ""


def _ghost_files(contents: Contents, media: MediaAddresses) -> Iterator[tuple[str, bytes]]:
    yield ghost.DATA, ghost.ghost_data(contents, media)
    yield "redirects.json", ghost.redirects(contents, media)


FORMATS: Mapping[str, ExportFormat] = {
    "wxr": ExportFormat(wxr.media_address, wxr.wxr_files, "media/", wxr.losses),
    "hugo": ExportFormat(hugo.media_address, hugo.hugo_files, "static/media/", hugo.losses, f"{STATIC_FOLDER}/"),
    "ghost": ExportFormat(ghost.media_address, _ghost_files, ghost.IMAGES, ghost.losses),
}


class ExportedSite(Struct, frozen=True):
    """Result of an export: counts, and a line for each kind of content that is left out or changed."""

    entries: int
    media: int
    notes: tuple[str, ...]


def export_to(name: str, database: Database, settings: SiteSettings, folder: Path) -> ExportedSite:
    """Write the site in a format of FORMATS into a new folder, which appears when it is complete.

    Raises ConfigurationError if the folder exists.
    """
    if folder.exists():
        raise ConfigurationError(f"{folder} exists; name a new folder. Nothing was changed.")
    if not folder.absolute().parent.is_dir():
        raise ConfigurationError(f"The folder {folder.absolute().parent} does not exist; create it first.")
    export_format, library = FORMATS[name], open_library(settings)
    with temporary_folder(f".{folder.name}", folder.absolute().parent) as aside:
        with protected_media(library):
            with database.reading() as session:
                contents = read_contents(session, settings)
            beginning = export_format.address(contents)
            media = MediaAddresses(contents.media_names, lambda file: beginning + file)
            for path, data in export_format.files(contents, media):
                _put(aside / path, data)
            missing = _copy_media(library, tuple(media.used), aside / export_format.media_folder)
            static = tuple(plan_static(settings.folder))
            if export_format.static_folder:
                _copy_static(static, aside / export_format.static_folder)
        if name == "ghost":
            ghost.pack(aside)
        aside.chmod(0o755)
        aside.rename(folder)
    notes = [*export_format.losses(contents), *contents.notes]
    if static and not export_format.static_folder:
        notes.append(f"{counted(len(static), 'file')} of static/: copy them to the root of the new site yourself")
    notes += [f"media {file}: is missing from the library (sitecms verify)" for file in missing]
    return ExportedSite(len(contents.entries), len(media.used), tuple(notes))


def _copy_static(static: Iterable[FileJob], folder: Path) -> None:
    """Copy the files of `static`; the lines of its `_redirects` follow those of the format."""
    for job in static:
        if job.source is not None:
            target = folder / job.path
            target.parent.mkdir(parents=True, exist_ok=True)
            with job.source.open("rb") as source, target.open("ab" if job.path == HOSTED else "wb") as file:
                shutil.copyfileobj(source, file)


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        raise ConfigurationError(f"Two entries would both be written to {path.name}; rename one of them.")
    path.write_bytes(data)


def _copy_media(library: MediaLibrary, names: tuple[str, ...], folder: Path) -> list[str]:
    """Copy media files and return the names of those that the library does not have."""
    missing = []
    for name, source in library.each(names):
        if source is None:
            missing.append(name)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, folder / name)
    return missing
