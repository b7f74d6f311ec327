"""A shadow of a site: the same files through links, over a copy of its store.

Whatever is loaded or built there, the site's own store, media library and output stay as they are. Only the time of a
media file may be renewed, as whenever an entry names it again.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sitecms.actions.operations.copy_to_file import renew_copy
from sitecms.settings.media import InBuild
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SETTINGS_FILE, STATE_FOLDER, SiteSettings
from sitecms.store.database import Database
from sitecms.store.opening import open_database

FOLDERS = ("assets", "content", "media", "schema", "templates", "translations")
"""What a site's files stand in (site-folder specification)."""


class Shadow:
    """One shadow; `folder` is to be an empty folder."""

    def __init__(self, real: SiteSettings, folder: Path) -> None:
        self.folder = folder.resolve()
        self._real = real
        self._media = self.folder / STATE_FOLDER / "media"
        self._media.mkdir(parents=True)
        self.link_files()

    def link_files(self) -> None:
        """Link to the settings and folders that the site has now; a link to one it lacks would count as a fault."""
        for name in (SETTINGS_FILE, *FOLDERS):
            link, there = self.folder / name, os.path.lexists(self._real.folder / name)
            if there and not link.is_symlink():
                link.symlink_to(self._real.folder / name)
            elif not there:
                link.unlink(missing_ok=True)

    @property
    def output(self) -> Path:
        """Where the shadow is built."""
        return self.folder / "output"

    def settings(self, real: SiteSettings) -> SiteSettings:
        """The site's settings, for work in the shadow: images stay as they are, files are replaced one by one."""
        return replace(
            real,
            folder=self.folder,
            store_url=ServiceUrl(),
            build=replace(real.build, in_place=True),
            images=replace(real.images, enabled=False),
            share_images=replace(real.share_images, enabled=False),
            media=replace(real.media, aside=True, cache=self._real.media_cache_dir, in_build=InBuild.COPY),
        )

    def copy_store(self) -> Database:
        """Make the shadow's store like the site's, and open it; an earlier one must be closed."""
        renew_copy(self._real.store, self.settings(self._real).store_path)
        self._link_media()
        return open_database(self.settings(self._real).store_path)

    def tell(self, text: str) -> str:
        """A message about the shadow, with the names of the site's own files relative to its folder."""
        return text.replace(f"{self.folder}/", "").replace(str(self.folder), str(self._real.folder))

    def _link_media(self) -> None:
        """Stand for every file of a library that is a folder: what is new in the shadow stays there."""
        library = self._real.media_dir
        there = {path.name for path in self._media.iterdir()}
        for path in library.iterdir() if library.is_dir() else ():
            if path.name not in there and not path.name.startswith("."):
                (self._media / path.name).symlink_to(path)


@contextmanager
def shadow_of(settings: SiteSettings) -> Iterator[Shadow]:
    """A shadow in a temporary folder, gone when the block ends."""
    with TemporaryDirectory(prefix="sitecms-") as folder:
        yield Shadow(settings, Path(folder))
