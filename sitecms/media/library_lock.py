"""Who copies the library keeps it whole meanwhile: nothing is removed from it while anyone holds it.

On one machine by a lock file beside the library's folder, which the kernel lets go of with its process; between
machines that share a bucket by what stands in it (`storage.leases`).
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitecms.media.library import MediaLibrary


@contextmanager
def media_held(library: MediaLibrary) -> Iterator[None]:
    """No file is removed from the library until the end; waits for a removal that is under way."""
    with _lock_of(library.folder).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        with library.storage.lease():
            yield


@contextmanager
def may_remove_media(library: MediaLibrary) -> Iterator[bool]:
    """Whether files may be removed until the end; False, without waiting, while someone holds the library."""
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
