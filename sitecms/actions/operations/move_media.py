"""Copy of the media library to another place, before the settings name it."""

import time
from dataclasses import dataclass, replace

from sitecms.errors import ConfigurationError, MediaUnusable
from sitecms.media.library import MediaLibrary, open_library
from sitecms.media.library_lock import media_held
from sitecms.media.storage.interface import is_digest_of
from sitecms.plurals import counted
from sitecms.progress import Progress
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SiteSettings

_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class MoveReport:
    """Content of the new place. `damaged` files have other bytes than their names say, and were not copied."""

    target: str
    copied: int
    present: int
    damaged: tuple[str, ...]
    seconds: float


def move_media(settings: SiteSettings, target: ServiceUrl, progress: Progress | None = None) -> MoveReport:
    """Copy every missing file to the place at the address ("": the folder of the site).

    The old library stays unchanged. At the end, the content of every file in the new place is compared with its name.
    Raises ConfigurationError if the media are there already, MediaUnusable.
    """
    started = time.perf_counter()
    moved = replace(settings, media=replace(settings.media, url=target))
    source, place = open_library(settings), open_library(moved)
    if moved.media.bucket == settings.media.bucket:
        raise ConfigurationError(f"The media library is there already: {_shown(moved)}.")
    with media_held(source), media_held(place):
        names = source.names()
        there = place.names()
        wanted = sorted(set(names) - set(_sound(place, there)))
        damaged = _copy(source, place, wanted, set(there), progress)
        lost = set(names) - set(damaged) - set(_sound(place, names))
    if lost:
        raise MediaUnusable(
            f"{counted(len(lost), 'file')} incomplete in the new place, such as {min(lost)}. Run the command again."
        )
    return MoveReport(
        _shown(moved), len(wanted) - len(damaged), len(names), damaged, time.perf_counter() - started
    )  # fmt: skip


def _copy(
    source: MediaLibrary, place: MediaLibrary, wanted: list[str], there: set[str], progress: Progress | None
) -> tuple[str, ...]:
    """Copy the files in batches, over existing ones; return the names of damaged files, which are not copied."""
    damaged = []
    for start in range(0, len(wanted), _AT_ONCE):
        batch = wanted[start : start + _AT_ONCE]
        sound = set(_sound(source, batch))
        damaged += [name for name in batch if name not in sound]
        with source.held(sorted(sound), keep=False) as paths:
            for name in sorted(paths.keys() & there):
                place.put_back(name, paths[name].read_bytes())
            place.put_files({name: path for name, path in paths.items() if name not in there})
        if progress:
            progress("Media", min(start + _AT_ONCE, len(wanted)), len(wanted))
    return tuple(damaged)


def _sound(library: MediaLibrary, names: tuple[str, ...] | list[str]) -> list[str]:
    """Return the files whose content matches their names."""
    return [name for name, digest, _ in library.digests(names) if is_digest_of(digest, name)]


def _shown(settings: SiteSettings) -> str:
    return str(settings.media.bucket or settings.media_dir)
