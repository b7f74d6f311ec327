"""Thumbnails of pictures for the studio, kept in a folder of this machine and made again where they are missing."""

import time
from pathlib import Path

from sitecms.content.media import MediaFile
from sitecms.files import make_private_folder, write_atomically
from sitecms.media.images.derived_images import needs_thumbnail
from sitecms.media.intake import LARGE, SMALL, thumbnail_of
from sitecms.media.library import MediaLibrary

WIDTHS = {"small": SMALL, "large": LARGE}
_KEPT_SECONDS = 90 * 24 * 3600


class Thumbnails:
    """Thumbnails of the files of one library. Those of files that are gone are removed after 90 days, as all others."""

    def __init__(self, folder: Path, library: MediaLibrary) -> None:
        self._folder = folder
        self._library = library
        self._is_tidy = False

    def find(self, media: MediaFile, size: str) -> bytes:
        """Return a thumbnail as WebP; b"" if the file is to be shown itself: it is small, or nothing can be made of it.

        `size` is a key of WIDTHS. Raises NotFound for a file that is gone.
        """
        width = WIDTHS[size]
        if not needs_thumbnail(media, width):
            return b""
        try:
            return self._path(media.name, width).read_bytes()
        except FileNotFoundError:
            data = thumbnail_of(self._library.path(media.name), width)
            self.keep(media.name, data, width)
            return data

    def keep(self, name: str, data: bytes, width: int = SMALL) -> None:
        """Keep a thumbnail; b"" means that none can be made."""
        make_private_folder(self._folder)
        self._tidy()
        write_atomically(self._path(name, width), data)

    def _path(self, name: str, width: int) -> Path:
        return self._folder / f"{name}-{width}.webp"

    def _tidy(self) -> None:
        """Remove old thumbnails, once for each process."""
        if self._is_tidy:
            return
        self._is_tidy = True
        oldest = time.time() - _KEPT_SECONDS
        for path in self._folder.iterdir():
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)
