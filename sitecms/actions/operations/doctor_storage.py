"""Examination of the places where a site keeps its content: its folder, its store, and its object storage."""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

from sitecms.errors import ConfigurationError, MediaUnusable
from sitecms.findings import Finding, error, ok, warning
from sitecms.media.storage.s3_client import Trial
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.maintenance.readiness import look_at_store, unsafe_settings
from sitecms.store.maintenance.statistics import latest_change_at
from sitecms.store.opening import open_database
from sitecms.store.writes.webhooks import all_webhooks

TOLERATED_SPAN = timedelta(minutes=1)  # object storage refuses signatures from five to fifteen minutes on
_SERVER = "check that the server runs, and that url under [store] names its database; sitecms load creates the tables"


def examine_store(settings: SiteSettings, at: datetime) -> Iterator[Finding]:
    """Check that the store can be read, that its secrets are protected, and that its times are not in the future."""
    address = settings.store
    if isinstance(address, Path) and not address.exists():
        yield warning("store", "the site has no store yet", f"make one: sitecms load {settings.folder}")
        return
    look = look_at_store(address)
    if look.problems:
        remedy = "restore a backup: sitecms restore" if isinstance(address, Path) else _SERVER
        yield error("store", " ".join(look.problems), remedy)
        return
    yield ok("store", f"can be read ({look.engine})")
    database = open_database(address)
    with database.reading() as session:
        yield _times(session, at)
        yield _secrets(session, address) if isinstance(address, Path) else _durability(session)
    database.close()


def _durability(session: Session) -> Finding:
    careless = unsafe_settings(session)
    if careless:
        what = f"the server has {', '.join(careless)}: a power cut can undo or damage acknowledged writes"
        return error("durability", what, "turn it on in the server's settings (postgresql.conf)")
    return ok("durability", "the server writes to disk before it acknowledges")


def _secrets(session: Session, path: Path) -> Finding:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & stat.S_IROTH and all_webhooks(session):
        what = "every user of this machine can read the store, which contains signing secrets of webhooks"
        return warning("secrets", what, f"chmod o-rwx {path.parent}")
    return ok("secrets", "not readable for other users, or there are none")


def _times(session: Session, at: datetime) -> Finding:
    latest = latest_change_at(session)
    if latest is not None and latest > at + TOLERATED_SPAN:
        minutes = (latest - at).total_seconds() / 60
        what = f"an entry was changed {minutes:.0f} minutes from now"
        return warning("times", what, "set the clock by NTP: here, or where that entry was written")
    return ok("times", "no change is in the future")


def examine_media(settings: SiteSettings, at: datetime) -> Iterator[Finding]:
    """Check object storage, if media files are kept there: put an object into the bucket and remove it."""
    bucket = settings.media.bucket
    if bucket is None:
        return
    if find_spec("boto3") is None:
        yield error("media", "the client for object storage is not installed", "pip install 'sitecms[s3]'")
        return
    try:
        trial = Trial(bucket)
        storage_at = trial.listed_at()
    except (MediaUnusable, ConfigurationError) as problem:
        yield error("media", str(problem), "check url under [media], the credentials, and the network")
        return
    yield ok("media", f"{bucket} answers")
    if storage_at:
        yield _media_clock((storage_at - at).total_seconds())
    try:
        trial.write()
        yield ok("media-permissions", "objects can be put, read and removed")
    except MediaUnusable as problem:
        remedy = "allow these credentials to list the bucket, and to put, get and delete its objects"
        yield error("media-permissions", str(problem), remedy)
    if trial.anyone_may_list():
        what = "everyone may list the bucket, and so find files that only drafts show"
        yield warning("media-listing", what, "allow the public to get objects at most, not to list them")


def _media_clock(apart_seconds: float) -> Finding:
    if abs(apart_seconds) > TOLERATED_SPAN.total_seconds():
        what = f"object storage is {apart_seconds:+.0f} s from this machine's clock, and may refuse its signatures"
        return warning("media-clock", what, "set the clock by NTP")
    return ok("media-clock", "agrees with this machine")


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
                remedy = "keep the site on a file system with locks: workers see by locks which others run"
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
