"""A scratch site: a temporary folder with links to the files of a site, and a copy of its store.

Loading or building it leaves the site's own store, media library and output unchanged. Only the time of a media file
may be updated, as whenever an entry names the file again; and templates are compiled into the cache of the site, if it
was built before.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from sitecms.actions.operations.store_transfer import renew_copy
from sitecms.content.fields import own_types
from sitecms.files import make_private_folder
from sitecms.settings.media import InBuild
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import (
    REDIRECTS_FILE,
    SETTINGS_FILE,
    SITE_FOLDERS,
    STATE_FOLDER,
    TEMPLATE_CACHE,
    SiteSettings,
)
from sitecms.store.database import Database
from sitecms.store.opening import open_database
from sitecms.temporary_folders import temporary_folder


class ScratchSite:
    """One scratch site in `folder`, which must be empty."""

    def __init__(self, real: SiteSettings, folder: Path) -> None:
        self.folder = folder.resolve()
        self._real = real
        self._media = self.folder / STATE_FOLDER / "media"
        make_private_folder(self._media)
        if os.access(real.folder / TEMPLATE_CACHE, os.W_OK):
            (self.folder / TEMPLATE_CACHE).symlink_to(real.folder / TEMPLATE_CACHE)
        self.link_files()

    def link_files(self) -> None:
        """Link to the settings and folders that the site has now; a link to a missing one would be an error."""
        for name in (SETTINGS_FILE, REDIRECTS_FILE, *SITE_FOLDERS):
            link, there = self.folder / name, os.path.lexists(self._real.folder / name)
            if there and not link.is_symlink():
                link.symlink_to(self._real.folder / name)
            elif not there:
                link.unlink(missing_ok=True)

    def settings(self, real: SiteSettings) -> SiteSettings:
        """Return the settings of the scratch site: images are not derived, and plug-ins hear of no event."""
        return replace(
            real,
            folder=self.folder,
            store_url=ServiceUrl(),
            images=replace(real.images, enabled=False),
            share_images=replace(real.share_images, enabled=False),
            plugins=replace(real.plugins, are_silent=True),
            media=replace(real.media, aside=True, cache=self._real.media_cache_dir, in_build=InBuild.COPY),
        )

    def copy_store(self) -> Database:
        """Copy the site's store and open the copy; an earlier copy must be closed."""
        renew_copy(self._real.store, self.settings(self._real).store_path)
        self._link_media()
        settings = self.settings(self._real)
        database = open_database(settings.store_path)
        database.field_types = own_types(settings.plugins)
        return database

    def readable(self, text: str) -> str:
        """Return a message about the scratch site with the names of the site's own files, relative to its folder."""
        return text.replace(f"{self.folder}/", "").replace(str(self.folder), str(self._real.folder))

    def _link_media(self) -> None:
        """Link to every file of a library in a folder; new files stay in the scratch site."""
        library = self._real.media_dir
        there = {path.name for path in self._media.iterdir()}
        for path in library.iterdir() if library.is_dir() else ():
            if path.name not in there and not path.name.startswith("."):
                (self._media / path.name).symlink_to(path)


@contextmanager
def open_scratch_site(settings: SiteSettings) -> Iterator[ScratchSite]:
    """Open a scratch site in a temporary folder, which is deleted at the end of the block."""
    with temporary_folder("site") as folder:
        yield ScratchSite(settings, folder)
