"""Atomic exchange of two folders, so that a reader sees either the one or the other."""

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2  # <linux/fs.h>; macOS calls it RENAME_SWAP, with the same value


def exchange(one: Path, other: Path) -> None:
    """Exchange two folders. Raises OSError if the system cannot do that; then nothing changed."""
    if _call()(os.fsencode(one), os.fsencode(other)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(one))


def can_exchange_in(folder: Path) -> bool:
    """Return True if folders in this folder can be exchanged and files can have second names, by trying it."""
    one, other = folder / "try-one", folder / "try-other"
    try:
        one.mkdir(exist_ok=True)
        other.mkdir(exist_ok=True)
        (one / "file").touch()
        (other / "file").unlink(missing_ok=True)
        (other / "file").hardlink_to(one / "file")
        exchange(one, other)
    except OSError:
        return False
    finally:
        for path in (one, other):
            with suppress(OSError):
                (path / "file").unlink(missing_ok=True)
                path.rmdir()
    return True


def is_mount_point(folder: Path) -> bool:
    """Return True for a mount point, even of the same file system: it cannot be exchanged."""
    return os.path.ismount(folder) or _mount_of(folder) != _mount_of(folder.parent)


def _mount_of(folder: Path) -> str:
    """Return the identifier that Linux gives to the mount of a folder; "" on other systems."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        lines = Path(f"/proc/self/fdinfo/{handle}").read_text("utf-8").splitlines()
    except OSError:
        return ""
    finally:
        os.close(handle)
    return next((line for line in lines if line.startswith("mnt_id:")), "")


@cache
def _call() -> Callable[[bytes, bytes], int]:
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin" and hasattr(library, "renamex_np"):
        return lambda one, other: int(library.renamex_np(one, other, ctypes.c_uint(_RENAME_EXCHANGE)))
    if hasattr(library, "renameat2"):
        swap, here = library.renameat2, ctypes.c_int(_AT_FDCWD)
        return lambda one, other: int(swap(here, one, here, other, ctypes.c_uint(_RENAME_EXCHANGE)))
    return _unknown


def _unknown(_one: bytes, _other: bytes) -> int:
    ctypes.set_errno(errno.ENOSYS)
    return -1
