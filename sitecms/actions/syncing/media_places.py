"""Places of media files in the site folder: where a file names them already, else a new one in `media/`."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sitecms.actions.exporting.media_paths import MediaPaths
from sitecms.clock import EPOCH
from sitecms.content.media import MEDIA_NAME, MediaFile
from sitecms.content.text.media_links import MEDIA_FOLDER
from sitecms.errors import InvalidMedia
from sitecms.media.published_form import published
from sitecms.store.database import Session
from sitecms.store.entries.media_files import find_media
from sitecms.store.site_state.loaded_files import LoadedFile, address_of_media


def place_media(
    session: Session, folder: Path, texts: Iterable[str], file: LoadedFile | None
) -> tuple[MediaPaths, Mapping[str, str]]:
    """Return the paths of all media that the texts name, and the files that are not in the folder yet, by path.

    `file` is the record of the file that names them.
    """
    names = sorted({name for text in texts for name in MEDIA_NAME.findall(text)})
    known = find_media(session, names) if names else {}
    stamps = file.media.items() if file else ()
    places = {
        stamp.name: address for address, stamp in stamps if stamp.name in known and address.startswith(MEDIA_FOLDER)
    }
    copies: dict[str, str] = {}
    for name, media in known.items():
        if name in places:
            continue
        address = address_of_media(session, name)
        if address is None or not _holds(folder, address, name):
            address = next(path for path in _candidates(media) if _is_for(folder, path, name, copies))
            if not (folder / address).exists():
                copies[address] = name
        places[name] = address
    return MediaPaths(known, {address: name for name, address in places.items()}), copies


def _candidates(media: MediaFile) -> Iterator[str]:
    """Yield paths for a file: its original name, that with a part of its digest, its name in the library."""
    original = MediaPaths({media.name: media}).address(media.url)
    yield original
    name = original.removeprefix(MEDIA_FOLDER)
    yield f"{MEDIA_FOLDER}{media.name[:8]}/{name}"
    yield f"{MEDIA_FOLDER}{media.name}"


def _is_for(folder: Path, path: str, name: str, copies: Mapping[str, str]) -> bool:
    """Return whether a path is free, or holds the file."""
    if path in copies:
        return False
    return not (folder / path).exists() or _holds(folder, path, name) or path.endswith(name)


def _holds(folder: Path, path: str, name: str) -> bool:
    try:
        return published((folder / path).read_bytes(), Path(path).name, EPOCH)[0].name == name
    except (OSError, InvalidMedia):
        return False
