"""Atomic and durable writing of files."""

import os
import secrets
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TypeAlias

TEMPORARY_SUFFIX = ".tmp"
_MAX_NAME_BYTES = 200
_TRIAL_BYTES = 64 * 1024
_COPIED_AT_ONCE = 1 << 20
FileStamp: TypeAlias = tuple[int, int, int, int] | None
"""The inode, size and times of a file, of which a change of it changes one; None for no file."""


def write_atomically(
    path: Path, data: bytes | Iterable[bytes], *, is_durable: bool = False, mode: int | None = None
) -> None:
    """Write a file as a whole: readers see the former content or the new one, and a failure keeps the former one.

    The data, in one part or several, are first written to a hidden file `.<name>.<random>.tmp` beside it, which a
    killed process may leave. A durable file survives a power failure as soon as the function returns. `mode` sets
    permissions regardless of the umask. Raises OSError.
    """
    name = path.name.encode()[:_MAX_NAME_BYTES].decode(errors="ignore")
    temporary = path.with_name(f".{name}.{secrets.token_hex(4)}{TEMPORARY_SUFFIX}")
    try:
        with temporary.open("xb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.writelines([data] if isinstance(data, bytes) else data)
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if is_durable:
        sync_folder(path.parent)


def stamp_of(path: Path) -> FileStamp:
    """Return the stamp of a file."""
    try:
        stat = os.stat(path)  # noqa: PTH116 - half the time of a Path's own, for each request
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def is_in_git(folder: Path) -> bool:
    """Return whether a folder is in a work tree of Git."""
    folder = folder.resolve()
    return any((place / ".git").exists() for place in (folder, *folder.parents))


def why_not_writable(folder: Path) -> str:
    """Return why no file can be written into a folder, as "no space left on device"; "" if one can."""
    import tempfile  # most commands need it not

    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_TRIAL_BYTES))
            file.flush()
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return ""


def make_private_folder(folder: Path) -> None:
    """Make a folder and its missing parents, such as the state folder of a site, for this user alone.

    The umask does not matter; a folder that is there stays as it is.
    """
    if not folder.is_dir():
        if not folder.parent.is_dir():
            make_private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def make_private_file(path: Path) -> None:
    """Make an empty file that only this user can read, unless there is a file: for libraries that ask the umask."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))


def copy_atomically(source: Path, target: Path) -> None:
    """Copy a file as `write_atomically` does, a part at a time; leave a target with the same bytes unchanged.

    Folders are made. Raises OSError.
    """
    from filecmp import cmp  # builds and loads that find nothing to do need it not

    if target.is_file() and not target.is_symlink() and cmp(source, target, shallow=False):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as file:
        write_atomically(target, iter(partial(file.read, _COPIED_AT_ONCE), b""))


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
