"""Where a site lies: who may write there, how much room there is, and whether the file system can do what is needed."""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from sitecms.actions.operations.doctor.finding import Examined, fault, ok, warning

LEAST_BYTES, FEW_BYTES = 100_000_000, 1_000_000_000
LEAST_FILES, FEW_FILES = 1_000, 20_000
_NETWORKED = frozenset({"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "afs", "ceph", "glusterfs"})
_MOUNTS = Path("/proc/self/mounts")


def examine_permissions(folder: Path, state: Path) -> Iterator[Examined]:
    """The site folder and the folder of its state."""
    for place in (folder, state) if state.exists() else (folder,):
        if not os.access(place, os.W_OK | os.X_OK):
            yield fault("permissions", f"{place} cannot be written to", "Run sitecms as its owner, or: chown")
            return
        mode = stat.S_IMODE(place.stat().st_mode)
        if mode & stat.S_IWOTH:
            yield fault("permissions", f"everyone may write in {place} ({mode:03o})", f"chmod o-w {place}")
            return
    owner = (state if state.exists() else folder).stat().st_uid
    if os.geteuid() == 0 != owner:
        remedy = "Run sitecms as that user: what root makes there it cannot write to."
        yield warning("permissions", f"the site belongs to user {owner}, and this is root", remedy)
    else:
        yield ok("permissions", "the site's own user may write")


def examine_disk(folder: Path) -> Iterator[Examined]:
    """Room for bytes and for files."""
    free = shutil.disk_usage(folder).free
    what = f"{free / 1e9:.1f} GB free"
    make_room = "Make room, or move the site."
    if free < LEAST_BYTES:
        yield fault("disk", what, make_room)
    else:
        yield warning("disk", what, make_room) if free < FEW_BYTES else ok("disk", what)
    found = os.statvfs(folder)
    if found.f_files == 0:  # a file system that knows no limit
        return
    what = f"{found.f_favail} more files fit"
    if found.f_favail < LEAST_FILES:
        yield fault("inodes", what, make_room)
    else:
        yield warning("inodes", what, make_room) if found.f_favail < FEW_FILES else ok("inodes", what)


def examine_file_system(folder: Path, can_exchange_in: Callable[[Path], bool]) -> Iterator[Examined]:
    """Tried out in a folder that is removed again."""
    kind = mounted_as(folder)
    if kind in _NETWORKED:
        remedy = "Keep the site on a disk of this machine: SQLite cannot share its memory over a network."
        yield fault("file system", f"{folder} is on a network file system ({kind})", remedy)
    try:
        with tempfile.TemporaryDirectory(prefix=".try-", dir=folder) as name:
            place = Path(name)
            if not _can_lock(place):
                remedy = "Keep the site on a file system with locks: workers know each other by them."
                yield fault("locks", f"files in {folder} cannot be locked", remedy)
            else:
                yield ok("locks", "files can be locked")
            if not _can_pipe(place):
                yield warning("pipes", "no named pipes", "Nothing has to be done: workers look for work instead.")
            else:
                yield ok("pipes", "named pipes can be made")
            if not can_exchange_in(place):
                remedy = "Nothing has to be done: builds replace files one by one, as with in_place under [build]."
                yield warning("exchange", "folders cannot trade places, or files have no second name", remedy)
            else:
                yield ok("exchange", "folders can trade places, and files have second names")
    except OSError as error:
        yield fault("file system", f"{folder}: {error.strerror or error}", "See to the disk and its permissions.")


def mounted_as(folder: Path) -> str:
    """The kind of file system that it is on; "" where that cannot be had."""
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
    """Two open files of one path exclude each other."""
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


def _can_pipe(folder: Path) -> bool:
    try:
        os.mkfifo(folder / "pipe")
    except OSError:
        return False
    return True
