"""Originals of media files: the library holds what is published, and the site folder the files as they came."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from sitecms.clock import EPOCH
from sitecms.errors import InvalidMedia
from sitecms.media.published_form import published
from sitecms.store.database import Session
from sitecms.store.site_state.loaded_files import MediaStamp, all_loaded_files


class Originals(Struct, frozen=True):
    """The media files of a site folder that were loaded: address and stamp by the name in the library."""

    folder: Path
    stamps: Mapping[str, tuple[str, MediaStamp]]

    def read(self, name: str) -> bytes | None:
        """Return the bytes that the named file was made of; None if the site folder does not have them any more."""
        found = self._published(name)
        return found[0] if found else None

    def published(self, name: str) -> bytes | None:
        """Return the bytes of the named file, made again from its original."""
        found = self._published(name)
        return found[1] if found else None

    def _published(self, name: str) -> tuple[bytes, bytes] | None:
        if name not in self.stamps:
            return None
        path = self.folder / self.stamps[name][0]
        try:
            data = path.read_bytes()
            media, stripped = published(data, path.name, EPOCH)
        except (OSError, InvalidMedia):
            return None
        return (data, stripped) if media.name == name else None


def find_originals(session: Session, folder: Path) -> Originals:
    """Return the originals of the site folder; of several that became one file, that with the first address."""
    loaded = all_loaded_files(session).values()
    stamps = {address: stamp for file in loaded for address, stamp in file.media.items()}
    return Originals(folder, {stamps[each].name: (each, stamps[each]) for each in sorted(stamps, reverse=True)})
