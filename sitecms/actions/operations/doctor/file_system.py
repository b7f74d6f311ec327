"""Examination of a site's folder: permissions, free space, and abilities of its file system."""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from sitecms.findings import Finding, error, ok, warning

LEAST_BYTES, FEW_BYTES = 100_000_000, 1_000_000_000
LEAST_FILES, FEW_FILES = 1_000, 20_000
_NETWORKED = frozenset({"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "afs", "ceph", "glusterfs"})
_MOUNTS = Path("/proc/self/mounts")


def examine_permissions(folder: Path, state: Path) -> Iterator[Finding]:
    """Check who may write to the site folder and to the folder of its state."""
    for place in (folder, state) if state.exists() else (folder,):
        if not os.access(place, os.W_OK | os.X_OK):
            yield error("permissions", f"{place} cannot be written to", "run sitecms as its owner, or: chown")
            return
        mode = stat.S_IMODE(place.stat().st_mode)
        if mode & stat.S_IWOTH:
            yield error("permissions", f"every user may write to {place} ({mode:03o})", f"chmod o-w {place}")
            return
    owner = (state if state.exists() else folder).stat().st_uid
    if os.geteuid() == 0 != owner:
        remedy = "run sitecms as that user, who cannot write to files that root makes"
        yield warning("permissions", f"the site belongs to user {owner}, and this process runs as root", remedy)
    else:
        yield ok("permissions", "the owner of the site may write")


def examine_disk(folder: Path) -> Iterator[Finding]:
    """Check the free space, and how many files can still be made."""
    free = shutil.disk_usage(folder).free
    what = f"{free / 1e9:.1f} GB free"
    make_room = "free some space, or move the site"
    if free < LEAST_BYTES:
        yield error("disk", what, make_room)
    else:
        yield warning("disk", what, make_room) if free < FEW_BYTES else ok("disk", what)
    volume = os.statvfs(folder)
    if volume.f_files == 0:  # a file system without a limit
        return
    what = f"{volume.f_favail} more files can be made"
    if volume.f_favail < LEAST_FILES:
        yield error("inodes", what, make_room)
    else:
        yield warning("inodes", what, make_room) if volume.f_favail < FEW_FILES else ok("inodes", what)


def examine_file_system(folder: Path, can_exchange_in: Callable[[Path], bool]) -> Iterator[Finding]:
    """Try locks and exchanges in a temporary folder."""
    kind = mounted_as(folder)
    if kind in _NETWORKED:
        remedy = "keep the site on a disk of this machine: SQLite in WAL mode cannot work over a network"
        yield error("file-system", f"{folder} is on a network file system ({kind})", remedy)
    try:
        with tempfile.TemporaryDirectory(prefix=".try-", dir=folder) as name:
            place = Path(name)
            if not _can_lock(place):
                remedy = "keep the site on a file system with locks: workers find out by them who is running"
                yield error("locks", f"files in {folder} cannot be locked", remedy)
            else:
                yield ok("locks", "files can be locked")
            if not can_exchange_in(place):
                remedy = "nothing has to be done: builds replace files one by one, as with in_place under [build]"
                yield warning("exchange", "folders cannot be exchanged, or files cannot be hard-linked", remedy)
            else:
                yield ok("exchange", "folders can be exchanged, and files can be hard-linked")
    except OSError as problem:
        yield error("file-system", f"{folder}: {problem.strerror or problem}", "check the disk and its permissions")


def mounted_as(folder: Path) -> str:
    """Return the type of the file system that the folder is on; "" if it is unknown."""
    try:
        lines = _MOUNTS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    place = folder.resolve()
    best, kind = -1, ""
    for line in lines:
        words = line.split()
        point = Path(words[1].replace("\\040", " "))
        if place.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), words[2]
    return kind


def _can_lock(folder: Path) -> bool:
    """Return whether a lock on a file excludes a second one."""
    with (folder / "lock").open("w") as one, (folder / "lock").open("w") as other:
        try:
            fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
    return False
