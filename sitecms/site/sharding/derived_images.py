"""What shards make of images, handed on: what is known of it to all of them, the files to the one that finishes."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from sitecms.media.images.derive_cache import DerivedFile, Entry, open_cache, write_whole
from sitecms.site.images.image_plan import Gallery
from sitecms.site.images.images import Part

_LIST = "derived.json"
_FILES = "derived"


def leave_derived(gallery: Gallery, part: Part, folder: Path) -> None:
    """Copies of what this shard has of its images, in its folder, and a list of it."""
    files = folder / _FILES
    files.mkdir(exist_ok=True)
    mine = [entry for entry in _entries(gallery) if entry.key not in part.known]
    for file in (file for entry in mine for file in entry.files):
        _copy(file, gallery.pictures.folder, files)
    plain = [(entry.key, entry.color, entry.files) for entry in mine]
    write_whole(folder / _LIST, orjson.dumps(plain))


def known_derived(folders: Iterable[Path]) -> dict[str, Entry]:
    """What is known of images from the lists of these shards, by its key; one that is not there yet has nothing."""
    return {entry.key: entry for folder in folders for entry in _listed(folder)}


def bring_derived(folders: Iterable[Path], cache_folder: Path) -> None:
    """Have it all in the site's own cache; what does not come whole is made again."""
    with open_cache(cache_folder) as cache:
        cache.used.update(cache.entries)  # none of it is too old because of this
        for folder in folders:
            for entry in _listed(folder):
                if cache.find(entry.key) is None and _bring(entry, folder / _FILES, cache_folder):
                    cache.keep(entry)


def _entries(gallery: Gallery) -> Iterator[Entry]:
    yield from gallery.pictures.entries.values()
    for card in set(gallery.cards.files.values()):
        yield Entry(card.name.partition("-")[0], "", (card,))


def _listed(folder: Path) -> Iterator[Entry]:
    try:
        plain: Any = orjson.loads((folder / _LIST).read_bytes())
        yield from [Entry(key, color, tuple(DerivedFile(**file) for file in files)) for key, color, files in plain]
    except (OSError, ValueError, TypeError):
        return


def _copy(file: DerivedFile, source: Path, target: Path) -> None:
    try:
        (target / file.name).hardlink_to(source / file.name)
    except FileExistsError:
        return  # its name says what it was made of
    except OSError:
        write_whole(target / file.name, (source / file.name).read_bytes())


def _bring(entry: Entry, source: Path, target: Path) -> bool:
    for file in entry.files:
        try:
            data = (source / file.name).read_bytes()
        except OSError:
            return False
        if len(data) != file.size_bytes:
            return False
        write_whole(target / file.name, data)
    return True
