"""Lock that prevents removal of media files while the library is copied.

On one machine it is a lock file beside the folder of the library, which the kernel releases with its process; between
machines that share a bucket it is an object in the bucket (`storage.bucket`).
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitecms.media.library import MediaLibrary


@contextmanager
def media_held(library: MediaLibrary) -> Iterator[None]:
    """Prevent removals until the block ends; waits for a running removal."""
    with _lock_of(library.folder).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        with library.storage.lease():
            yield


@contextmanager
def may_remove_media(library: MediaLibrary) -> Iterator[bool]:
    """Give True if files may be removed until the block ends, False at once if the library is locked."""
    with _lock_of(library.folder).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield not library.storage.is_leased()


def _lock_of(folder: Path) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    return folder.with_name(f"{folder.name}.lock")
