"""Places of media files in the site folder: where a file names them already, else a new one in `media/`."""

from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

from sitecms.actions.exporting.media_paths import MediaPaths, unique_paths
from sitecms.clock import EPOCH
from sitecms.content.media import MEDIA_NAME, MediaFile
from sitecms.content.text.media_links import MEDIA_FOLDER
from sitecms.errors import InvalidMedia
from sitecms.media.published_form import published
from sitecms.store.database import Session
from sitecms.store.entries.media_files import find_media
from sitecms.store.site_state.loaded_files import LoadedFile, address_of_media


class MediaPlaces(MediaPaths):
    """Media of one file of the site folder."""

    def __init__(
        self, folder: Path, known: Mapping[str, MediaFile], there: Mapping[str, str], new: Mapping[str, str]
    ) -> None:
        """Prepare texts with the places of the known files by name: those that files name already, and new ones."""
        super().__init__(known, {**there, **new})
        self._folder, self._new = folder, new

    def copies(self) -> dict[str, str]:
        """Return the files that the folder does not have yet, by path; call this once all texts are written."""
        named = {path: name for name, path in self._new.items()} | self.used
        return {path: name for path, name in named.items() if not (self._folder / path).exists()}


def place_media(session: Session, folder: Path, texts: Iterable[str], file: LoadedFile | None) -> MediaPlaces:
    """Return the places of all media that the texts name; `file` is the record of the file that names them."""
    names = sorted({name for text in texts for name in MEDIA_NAME.findall(text)})
    known = find_media(session, names) if names else {}
    stamps = file.media.items() if file else ()
    places = {
        stamp.name: address for address, stamp in stamps if stamp.name in known and address.startswith(MEDIA_FOLDER)
    }
    new: dict[str, str] = {}
    for name, media in known.items():
        if name in places:
            continue
        address = address_of_media(session, name)
        if address is not None and _holds(folder, address, name):
            places[name] = address
        else:
            taken = {place.casefold() for place in (*places.values(), *new.values())}
            new[name] = next(path for path in _candidates(media) if _is_for(folder, path, name, taken))
    return MediaPlaces(folder, known, places, new)


def _candidates(media: MediaFile) -> Iterator[str]:
    """Yield paths for a file: its original name, that with a part of its digest, its name in the library."""
    original = unique_paths({media.name: media}, {})[media.name]
    yield original
    name = original.removeprefix(MEDIA_FOLDER)
    yield f"{MEDIA_FOLDER}{media.name[:8]}/{name}"
    yield f"{MEDIA_FOLDER}{media.name}"


def _is_for(folder: Path, path: str, name: str, taken: Set[str]) -> bool:
    """Return whether a path is free, or holds the file; disks of some systems do not tell upper from lower case."""
    if path.endswith(name):
        return True
    if path.casefold() in taken:
        return False
    if (folder / path).exists():
        return _holds(folder, path, name)
    own = Path(path).name.casefold()
    return all(each.name.casefold() != own for each in (folder / path).parent.glob("*"))


def _holds(folder: Path, path: str, name: str) -> bool:
    try:
        return published((folder / path).read_bytes(), Path(path).name, EPOCH)[0].name == name
    except (OSError, InvalidMedia):
        return False
