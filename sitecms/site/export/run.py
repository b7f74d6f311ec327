"""Steps of an export for another system: one snapshot, the texts, the media, the target folder."""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from sitecms.documents import suggest
from sitecms.documents.folders import STATIC_FOLDER
from sitecms.errors import ConfigurationError, InvalidRequest
from sitecms.media.library import MediaLibrary, open_library, protected_media
from sitecms.plugins.site_plugins import EXPORTERS, resolve
from sitecms.plugins.values import Exporter
from sitecms.plurals import counted
from sitecms.settings.site import SiteSettings
from sitecms.site.export.contents import read_contents
from sitecms.site.export.media import MediaAddresses
from sitecms.site.plan.redirect_files import HOSTED
from sitecms.site.plan.static_files import plan_static
from sitecms.site.theme.assets import FileJob
from sitecms.store.database import Database
from sitecms.temporary_folders import temporary_folder


def exporters() -> Mapping[str, Exporter]:
    """Return the built-in export formats."""
    wxr, hugo, ghost = (f"{__package__}.{name}" for name in ("wxr", "hugo", "ghost"))
    return {
        "wxr": Exporter("WordPress", f"{wxr}:wxr_files", f"{wxr}:media_address", "media/", f"{wxr}:losses"),
        "hugo": Exporter(
            "Hugo",
            f"{hugo}:hugo_files",
            f"{hugo}:media_address",
            "static/media/",
            f"{hugo}:losses",
            f"{STATIC_FOLDER}/",
        ),
        "ghost": Exporter(
            "Ghost",
            f"{ghost}:ghost_files",
            f"{ghost}:media_address",
            "content/images/",
            f"{ghost}:losses",
            finish=f"{ghost}:pack",
        ),
    }


class ExportedSite(Struct, frozen=True):
    """Result of an export: counts, and a line for each kind of content that is left out or changed."""

    entries: int
    media: int
    notes: tuple[str, ...]


def export_to(name: str, database: Database, settings: SiteSettings, folder: Path) -> ExportedSite:
    """Write the site in a format of `exporters`, or of a plug-in, into a new folder, which appears when it is complete.

    Raises InvalidRequest for an unknown format, ConfigurationError if the folder exists, PluginFailed.
    """
    formats = settings.plugins.named(EXPORTERS, "export format")
    if name not in formats:
        raise InvalidRequest(f'There is no export format "{name}": {suggest(name, ["plain", *formats])}.')
    with settings.plugins.blaming(EXPORTERS, name):
        return _export(formats[name], database, settings, folder)


def _export(exporter: Exporter, database: Database, settings: SiteSettings, folder: Path) -> ExportedSite:
    if folder.exists():
        raise ConfigurationError(f"{folder} exists; name a new folder. Nothing was changed.")
    if not folder.absolute().parent.is_dir():
        raise ConfigurationError(f"The folder {folder.absolute().parent} does not exist; create it first.")
    library = open_library(settings)
    with temporary_folder(f".{folder.name}", folder.absolute().parent) as aside:
        with protected_media(library):
            contents = database.read(read_contents, settings)
            beginning = resolve(exporter.address)(contents)
            media = MediaAddresses(contents.media_names, lambda file: beginning + file)
            for path, data in resolve(exporter.files)(contents, media):
                _put(aside / path, data)
            missing = _copy_media(library, tuple(media.used), aside / exporter.media_folder)
            static = tuple(plan_static(settings.folder))
            if exporter.static_folder:
                _copy_static(static, aside / exporter.static_folder)
        if exporter.finish:
            resolve(exporter.finish)(aside)
        aside.chmod(0o755)
        aside.rename(folder)
    notes = [*resolve(exporter.losses)(contents), *contents.notes]
    if static and not exporter.static_folder:
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
