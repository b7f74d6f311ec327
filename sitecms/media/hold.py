"""Who copies the library keeps it whole meanwhile: nothing is removed from it while anyone holds it.

A lock file beside the library's folder, which the kernel lets go of with its process.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def media_held(folder: Path) -> Iterator[None]:
    """No file is removed from the library until the end; waits for a removal that is under way."""
    with _lock_of(folder).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


@contextmanager
def may_remove_media(folder: Path) -> Iterator[bool]:
    """Whether files may be removed until the end; False, without waiting, while someone holds the library."""
    with _lock_of(folder).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _lock_of(folder: Path) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    return folder.with_name(f"{folder.name}.lock")
