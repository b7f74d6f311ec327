"""The media library: files as they are published, without metadata, named by their content, in any storage.

Originals are not kept in it: those of the site folder stay there, and `export` takes them from there.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX, MediaFile
from sitecms.errors import NotFound
from sitecms.media.storage import LocalStorage, Storage, Told
from sitecms.media.storage.time_limits import TimeLimits
from sitecms.settings.site import SiteSettings

_HELD_AT_ONCE = 16
_MEGABYTE = 1024 * 1024
BACKGROUND = TimeLimits()


def _published(data: bytes, original_name: str, created_at: datetime) -> tuple[MediaFile, bytes]:
    """Return what is kept of a file. Most commands take no new files, and need not import what removes metadata."""
    from sitecms.media.published_form import published

    return published(data, original_name, created_at)


@dataclass(frozen=True, slots=True)
class MediaLibrary:
    """The files of one site. Safe for several processes at once.

    Where the storage is remote, everything but `describe` raises MediaUnusable if it does not answer in time.
    """

    storage: Storage

    @property
    def folder(self) -> Path:
        """Where files, or copies of them, lie on this machine."""
        return self.storage.folder

    @property
    def is_remote(self) -> bool:
        """Whether files are kept across a network."""
        return self.storage.is_remote

    def describe(self, data: bytes, original_name: str, created_at: datetime) -> MediaFile:
        """Return what these bytes are in a library, kept or not; raises InvalidMedia as `published` does."""
        return _published(data, original_name, created_at)[0]

    def add(self, data: bytes, original_name: str, created_at: datetime) -> MediaFile:
        """Keep the file without its metadata, durably; equal bytes are one file, and only its time is renewed.

        Raises InvalidMedia as `published` does.
        """
        media, stripped = _published(data, original_name, created_at)
        self.storage.put(media.name, stripped)
        return media

    def refuse_early(self) -> None:
        """Raises MediaUnusable while a storage that did not answer is left alone for a few seconds."""
        self.storage.refuse_early()

    def put_back(self, name: str, data: bytes) -> None:
        """Have these bytes, which are those of the name, in place of what is there."""
        self.storage.replace(name, data)

    def put_files(self, files: Mapping[str, Path], told: Told | None = None) -> None:
        """Have these files, which hold the bytes of the names; those that are there stay."""
        self.storage.put_files(files, told)

    def names(self) -> tuple[str, ...]:
        """Every file there is, in order."""
        return tuple(sorted(each.name for each in self.storage.listing()))

    def old_names(self, before: datetime) -> tuple[str, ...]:
        """The files that were not added since, in order of their names."""
        moment = before.timestamp()
        return tuple(sorted(each.name for each in self.storage.listing() if each.added_at < moment))

    def remove_old(self, names: Sequence[str], before: datetime) -> tuple[str, ...]:
        """Remove those of the files that were not added since, a few hundred at most; those that went."""
        return self.storage.remove(names, before)

    def path(self, name: str) -> Path:
        """The file on this machine; raises NotFound for what there is not, and for what is no media name."""
        if not _is_name(name):
            raise NotFound(f"No media file is called {name[:60]!r}.")
        return self.storage.path(name)

    def exists(self, name: str) -> bool:
        """Whether there is a file of that name."""
        return _is_name(name) and self.storage.exists(name)

    def held(self, names: Sequence[str], *, keep: bool = True) -> AbstractContextManager[Mapping[str, Path]]:
        """Those of the files that there are, by name, on this machine until the block ends; `keep`: beyond it, too."""
        return self.storage.held(names, keep=keep)

    def each(self, names: Sequence[str], *, keep: bool = False) -> Iterator[tuple[str, Path | None]]:
        """Every one of the files in this order, on this machine while it is looked at; None if there is none.

        A few are brought at a time, so that any number fit.
        """
        left = iter(names)
        while batch := tuple(islice(left, _HELD_AT_ONCE)):
            with self.held(batch, keep=keep) as paths:
                yield from ((name, paths.get(name)) for name in batch)

    def digests(self, names: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """Name, SHA-256 in hex and size in bytes of those of the files that there are."""
        return self.storage.digests(names)

    def signed_address(self, name: str, seconds: int) -> str:
        """Where anybody gets the file for so long from a remote storage itself."""
        return self.storage.sign(name, seconds)

    def have(self, name: str) -> None:
        """Make sure of a file that an entry names by now: housekeeping elsewhere may have removed it just before."""
        self.storage.have(name)


def open_library(settings: SiteSettings, limits: TimeLimits | None = None) -> MediaLibrary:
    """The site's library; nothing is asked of its storage yet. The default `limits` are those of background work."""
    bucket = settings.media.bucket
    if bucket is None:
        return MediaLibrary(LocalStorage(settings.media_dir))
    from sitecms.media.storage.bucket import ObjectStorage
    from sitecms.media.storage.local_copies import Copies
    from sitecms.media.storage.overlay import ShadowStorage

    copies = Copies(settings.media_cache_dir, settings.media.cache_mb * _MEGABYTE)
    remote = ObjectStorage(bucket, copies, limits or BACKGROUND)
    return MediaLibrary(ShadowStorage(settings.media_dir, remote) if settings.media.aside else remote)


def _is_name(name: str) -> bool:
    return bool(MEDIA_NAME.fullmatch(MEDIA_PREFIX + name))
