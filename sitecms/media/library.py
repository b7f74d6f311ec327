"""Media library: published files, named by their content, in any storage.

Originals are not stored in it: the files of the site folder stay there, and `export` reads them there.

A lock prevents removal of media files while the library is copied. On one machine it is a lock file beside the folder
of the library, which the kernel releases with its process; between machines that share a bucket it is an object in the
bucket (`storage.bucket`).
"""

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path

from msgspec import Struct

from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX, MediaFile
from sitecms.errors import NotFound
from sitecms.files import make_private_folder
from sitecms.media.storage import LocalStorage, Storage
from sitecms.media.storage.time_limits import TimeLimits
from sitecms.settings.site import SiteSettings

_HELD_AT_ONCE = 16
_MEGABYTE = 1024 * 1024
BACKGROUND = TimeLimits()


def _published(data: bytes, original_name: str, created_at: datetime) -> tuple[MediaFile, bytes]:
    """Return the published form of a file. The import is delayed, since most commands take in no files."""
    from sitecms.media.published_form import published

    return published(data, original_name, created_at)


class MediaLibrary(Struct, frozen=True):
    """Media files of one site. Safe for several processes at once.

    Callers with a valid name use the `storage` itself. With a remote one, all methods but `describe` raise
    MediaUnusable if it does not answer in time.
    """

    storage: Storage

    @property
    def folder(self) -> Path:
        """Folder of files, or of copies of files, on this machine."""
        return self.storage.folder

    @property
    def is_remote(self) -> bool:
        """True if files are stored across a network."""
        return self.storage.is_remote

    def describe(self, data: bytes, original_name: str, created_at: datetime) -> MediaFile:
        """Return the media file that these bytes become, stored or not. Raises InvalidMedia as `published` does."""
        return _published(data, original_name, created_at)[0]

    def add(self, data: bytes, original_name: str, created_at: datetime) -> MediaFile:
        """Store the file without its metadata, durably. Equal bytes are one file, of which the time is renewed.

        Raises InvalidMedia as `published` does.
        """
        media, stripped = _published(data, original_name, created_at)
        self.storage.put(media.name, stripped)
        return media

    def names(self) -> tuple[str, ...]:
        """Return the names of all files, in order."""
        return tuple(sorted(each.name for each in self.storage.listing()))

    def old_names(self, before: datetime) -> tuple[str, ...]:
        """Return the names of files that were last added before a time, in order."""
        moment = before.timestamp()
        return tuple(sorted(each.name for each in self.storage.listing() if each.added_at < moment))

    def path(self, name: str) -> Path:
        """Return the path of the file on this machine. Raises NotFound for missing files and invalid names."""
        if not _is_name(name):
            raise NotFound(f"No media file is called {name[:60]!r}.")
        return self.storage.path(name)

    def exists(self, name: str) -> bool:
        """Return True if a file of that name exists."""
        return _is_name(name) and self.storage.exists(name)

    def each(self, names: Sequence[str], *, keep: bool = False) -> Iterator[tuple[str, Path | None]]:
        """Yield each file in this order, on this machine while it is used; None for a missing file.

        Only a few files are downloaded at a time.
        """
        left = iter(names)
        while batch := tuple(islice(left, _HELD_AT_ONCE)):
            with self.storage.held(batch, keep=keep) as paths:
                yield from ((name, paths.get(name)) for name in batch)


def open_library(settings: SiteSettings, limits: TimeLimits | None = None) -> MediaLibrary:
    """Return the library of a site, without a request to its storage. Default `limits` are those of background work."""
    bucket = settings.media.bucket
    if bucket is None:
        return MediaLibrary(LocalStorage(settings.media_dir))
    from sitecms.media.storage.bucket import ObjectStorage
    from sitecms.media.storage.local import OverlayStorage
    from sitecms.media.storage.local_copies import Copies

    copies = Copies(settings.media_cache_dir, settings.media.cache_mb * _MEGABYTE)
    remote = ObjectStorage(bucket, copies, limits or BACKGROUND)
    return MediaLibrary(OverlayStorage(settings.media_dir, remote) if settings.media.aside else remote)


def _is_name(name: str) -> bool:
    return bool(MEDIA_NAME.fullmatch(MEDIA_PREFIX + name))


@contextmanager
def protected_media(library: MediaLibrary) -> Iterator[None]:
    """Prevent removals until the block ends; waits for a running removal."""
    with _lock_of(library.folder).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        with library.storage.lease():
            yield


@contextmanager
def may_remove_media(library: MediaLibrary) -> Iterator[bool]:
    """Yield True if files may be removed until the block ends, False at once if the library is locked."""
    with _lock_of(library.folder).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield not library.storage.is_leased()


def _lock_of(folder: Path) -> Path:
    make_private_folder(folder.parent)
    return folder.with_name(f"{folder.name}.lock")
