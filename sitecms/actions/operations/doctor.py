"""Examination of a machine, and of a site on it, for problems. Changes nothing.

The machine: clock, limits, proxies, port, and versions of Python, SQLite and libraries. The places where the site
keeps its content: folder, store and object storage.
"""

import fcntl
import http.client
import os
import platform
import re
import resource
import shutil
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import orjson
from msgspec import Struct
from msgspec.structs import replace

from sitecms.clock import Clock
from sitecms.errors import ConfigurationError, MediaUnusable
from sitecms.findings import Finding, error, ok, warning
from sitecms.media.storage.s3_client import TRIAL, Trial
from sitecms.media.storage.time_limits import TimeLimits
from sitecms.optional_packages import NO_PAGEFIND, Extra, has_pagefind, install_command, is_installed, packages_of
from sitecms.settings.extras import needed_extras
from sitecms.settings.mail import MAIL_PASSWORD, MailSettings
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.store.database import Session
from sitecms.store.engines.sqlite.connection import sqlite_version
from sitecms.store.maintenance.metrics import count_processes
from sitecms.store.maintenance.readiness import look_at_store, unsafe_settings
from sitecms.store.maintenance.statistics import latest_change_at
from sitecms.store.opening import open_database
from sitecms.temporary_folders import temporary_folder

OLDEST_PYTHON = (3, 11)
FIXED_SQLITE = (3, 51, 3)
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?>=([0-9.]+)$")
TOLERATED_SPAN = timedelta(minutes=1)  # object storage refuses signatures from five to fifteen minutes on
_SERVER = "check that the server runs, and that url under [store] names its database; sitecms load creates the tables"
MEASURED_SECONDS = 0.2
TOLERATED_SECONDS = 0.05
EARLIEST_YEAR = 2025
LEAST_OPEN_FILES, FEW_OPEN_FILES = 256, 1024
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognised, not bound
_NETWORKED = frozenset({"nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "afs", "ceph", "glusterfs"})
MOUNTS = Path("/proc/self/mounts")


class DiskLimits(Struct, frozen=True):
    """Fewer free bytes or free files are an error (`least`), or worth a warning (`few`)."""

    least_bytes: int = 100_000_000
    few_bytes: int = 1_000_000_000
    least_files: int = 1_000
    few_files: int = 20_000


DISK_LIMITS = DiskLimits()


def examine_versions() -> Iterator[Finding]:
    """Compare Python, SQLite and every library with what sitecms requires."""
    yield examine_python(sys.version_info[:2])
    yield examine_sqlite(sqlite_version())
    old = [text for line in requires("sitecms") or () if (text := _too_old(line))]
    if old:
        yield error("libraries", "; ".join(old), "install sitecms again, with its requirements")
    else:
        yield ok("libraries", "as new as sitecms requires")


def examine_python(found: tuple[int, ...]) -> Finding:
    """Check the version of the interpreter."""
    if found < OLDEST_PYTHON:
        return error(
            "python", f"{platform.python_version()} is older than 3.11", "run sitecms with Python 3.11 or newer"
        )
    return ok("python", platform.python_version())


def examine_sqlite(found: str) -> Finding:
    """Check the version of the SQLite that cysqlite includes, which is not that of Python."""
    if numbers(found) < FIXED_SQLITE:
        return error(
            "sqlite",
            f"{found} has the WAL bug that can damage a store (up to 3.51.2)",
            "install a newer cysqlite, which includes SQLite: pip install --upgrade cysqlite",
        )
    return ok("sqlite", found)


def examine_extras(settings: SiteSettings) -> Iterator[Finding]:
    """Check optional libraries and files that the settings of the site need."""
    for needed in needed_extras(settings):
        if is_installed(needed.extra):
            yield ok(needed.extra, "its package is installed")
        else:
            packages = ", ".join(packages_of(needed.extra))
            yield error(needed.extra, f"{needed.what} needs {packages}", install_command(needed.extra))
    if not settings.search.enabled:
        yield ok("search", "turned off")
    elif has_pagefind():
        yield ok("search", "Pagefind makes its index")
    else:
        yield warning("search", NO_PAGEFIND, "build the site on another machine, or turn search off")
    missing = [kind for kind in settings.images.formats if settings.images.enabled and not _can_write(kind)]
    if missing:
        remedy = f"install Pillow with support for it, or remove it from formats under [images]: {', '.join(missing)}"
        yield error("images", f"Pillow cannot write {', '.join(missing)}", remedy)
    else:
        yield ok("images", f"Pillow writes {', '.join(settings.images.formats)}")
    fonts = [str(font) for font in settings.share_images.fonts if not (settings.folder / font).is_file()]
    if fonts:
        yield error("fonts", f"missing: {', '.join(fonts)}", "add the files, or correct fonts under [share_images]")


def numbers(text: str) -> tuple[int, ...]:
    """Return the leading numbers of a version."""
    return tuple(int(part) for part in re.findall(r"\d+", text.partition("+")[0])[:3])


def _too_old(requirement: str) -> str:
    """Return the problem with a requirement, or ""; requirements of extras are skipped."""
    found = _REQUIREMENT.match(requirement)
    if found is None:
        return ""
    name, oldest = found.groups()
    try:
        installed = version(name)
    except PackageNotFoundError:
        return f"{name} is not installed"
    return f"{name} {installed} is older than {oldest}" if numbers(installed) < numbers(oldest) else ""


def _can_write(kind: str) -> bool:
    from PIL import features

    return bool(features.check(kind))


def examine_clock() -> Finding:
    """Compare the wall clock with the monotonic clock."""
    wall, monotonic = time.time(), time.monotonic()
    time.sleep(MEASURED_SECONDS)
    apart = (time.time() - wall) - (time.monotonic() - monotonic)
    return judge_clock(time.gmtime(wall).tm_year, apart)


def judge_clock(year: int, apart_seconds: float) -> Finding:
    """Return the finding for a year, and for the seconds by which the two clocks moved apart in the measured time."""
    remedy = "set the clock by NTP: times decide what is published, and when a token expires"
    if year < EARLIEST_YEAR:
        return error("clock", f"the year is {year} by the clock", remedy)
    if abs(apart_seconds) > TOLERATED_SECONDS:
        return warning("clock", f"the clock jumped by {apart_seconds:.2f} s within {MEASURED_SECONDS} s", remedy)
    return ok("clock", f"steady, {year}")


def examine_open_files() -> Finding:
    """Check how many files a process may have open."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return ok("open-files", "no limit")
    what, remedy = f"{limit} at a time", "raise the limit: ulimit -n 4096, or LimitNOFILE= in a systemd unit"
    if limit < LEAST_OPEN_FILES:
        return error("open-files", what, remedy)
    return warning("open-files", what, remedy) if limit < FEW_OPEN_FILES else ok("open-files", what)


def examine_proxies() -> Finding:
    """Report the variables of proxies by name; their values may contain a password."""
    names = [name for name in (*PROXIES, *map(str.lower, PROXIES)) if os.environ.get(name)]
    if not names:
        return ok("proxies", "none in the environment")
    what = f"{', '.join(names)} is set and ignored: remote media and webhooks are reached directly"
    return warning("proxies", what, "let this machine reach them without a proxy")


def examine_port(host: str, port: int, *, is_serving: bool) -> Finding:
    """Check that `sitecms serve` can listen at the port, or that it does: `is_serving` while a server of it runs."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as problem:
        if is_serving and _is_sitecms(host, port):
            return ok("port", f"sitecms listens on {host} port {port}")
        reason = (problem.strerror or str(problem)).lower()
        who = ", by another program" if is_serving else ""
        return warning("port", f"{host} port {port}: {reason}{who}", "choose another port: sitecms serve --port")
    return ok("port", f"{host} port {port} is free")


def _is_sitecms(host: str, port: int) -> bool:
    """Return whether a server of sitecms answers there."""
    connection = http.client.HTTPConnection(_WILDCARDS.get(host, host), port, timeout=2)
    try:
        connection.request("GET", "/health/live")
        return bool(orjson.loads(connection.getresponse().read(1000)) == {"status": "live"})
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()


def examine_machine(host: str, port: int, *, is_serving: bool = False) -> Iterator[Finding]:
    """Examine what concerns every site on this machine. `is_serving`: a server of the site runs."""
    yield from examine_versions()
    yield examine_clock()
    yield examine_open_files()
    yield examine_proxies()
    yield examine_port(host, port, is_serving=is_serving)


def examine_site(
    settings: SiteSettings,
    host: str,
    port: int,
    clock: Clock,
    can_exchange_in: Callable[[Path], bool],
    *,
    repair: bool = False,
) -> Iterator[Finding]:
    """Examine the machine and the site on it; `repair` corrects what is repairable."""
    yield from examine_machine(host, port, is_serving=bool(count_processes(settings.metrics_dir).get("web")))
    yield from examine_extras(settings)
    state = settings.folder / STATE_FOLDER
    yield from examine_permissions(settings.folder, state)
    yield from examine_secrets(state, repair=repair)
    yield from examine_disk(state if state.is_dir() else settings.folder)
    yield from examine_file_system(state if state.is_dir() else settings.folder, can_exchange_in)
    yield from examine_store(settings, clock())
    yield from examine_media(settings, clock())
    if settings.mail.is_on:
        yield examine_mail(settings.mail)


def examine_mail(server: MailSettings) -> Finding:
    """Check that the password of the mail server is in the environment, if it wants one."""
    if server.lacks_password:
        return error("mail", f"{server.host} wants the password of {server.user}", f"set {MAIL_PASSWORD}")
    return ok("mail", f"{server.host}, port {server.port}; try it: sitecms mail test")


def examine_store(settings: SiteSettings, at: datetime) -> Iterator[Finding]:
    """Check that the store can be read, that its server writes to disk, and that its times are not in the future."""
    address = settings.store
    if not isinstance(address, Path) and not is_installed(Extra.POSTGRES):
        return  # `examine_extras` reports it
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
        if not isinstance(address, Path):
            yield _durability(session)
    database.close()


def _durability(session: Session) -> Finding:
    careless = unsafe_settings(session)
    if careless:
        what = f"the server has {', '.join(careless)}: a power cut can undo or damage acknowledged writes"
        return error("durability", what, "turn it on in the server's settings (postgresql.conf)")
    return ok("durability", "the server writes to disk before it acknowledges")


def _times(session: Session, at: datetime) -> Finding:
    latest = latest_change_at(session)
    if latest is not None and latest > at + TOLERATED_SPAN:
        minutes = (latest - at).total_seconds() / 60
        what = f"an entry was changed {minutes:.0f} minutes from now"
        return warning("times", what, "set the clock by NTP: here, or where that entry was written")
    return ok("times", "no change is in the future")


def examine_media(settings: SiteSettings, at: datetime, limits: TimeLimits = TRIAL) -> Iterator[Finding]:
    """Check object storage, if media files are kept there: put an object into the bucket and remove it."""
    bucket = settings.media.bucket
    if bucket is None or not is_installed(Extra.S3):
        return  # `examine_extras` reports it
    try:
        trial = Trial(bucket, limits)
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


def examine_secrets(state: Path, *, repair: bool = False) -> Iterator[Finding]:
    """Check that no other user can read the folder with the store: it has password hashes and signing secrets.

    `repair` takes the rights of others away, for the folder and the files in it.
    """
    if not state.is_dir() or not state.stat().st_mode & stat.S_IRWXO:
        yield ok("secrets", "no other user can read the store")
        return
    what = f"every user of this machine can read {state}: password hashes, second factors, signing secrets"
    remedy = "sitecms doctor --repair, or: chmod -R o-rwx"
    found = replace(error("secrets", what, remedy), is_repairable=True)
    if repair:
        with suppress(PermissionError):
            for path in (state, *state.glob("*")):
                if path == state or (path.is_file() and not path.is_symlink()):
                    path.chmod(stat.S_IMODE(path.stat().st_mode) & stat.S_IRWXU)
            found = found.repaired()
    yield found


def examine_permissions(folder: Path, state: Path) -> Iterator[Finding]:
    """Check who may write to the site folder and to the folder of its state."""
    files = [path for path in state.glob("*.db*") if path.is_file()] if os.access(state, os.X_OK) else []
    for place in (folder, state, *files) if state.exists() else (folder,):
        if not os.access(place, os.W_OK | (os.X_OK if place.is_dir() else 0)):
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


def examine_disk(folder: Path, limits: DiskLimits = DISK_LIMITS) -> Iterator[Finding]:
    """Check the free space, and how many files can still be made."""
    free = shutil.disk_usage(folder).free
    what = f"{free / 1e9:.1f} GB free"
    make_room = "free some space, or move the site"
    if free < limits.least_bytes:
        yield error("disk", what, make_room)
    else:
        yield warning("disk", what, make_room) if free < limits.few_bytes else ok("disk", what)
    volume = os.statvfs(folder)
    if volume.f_files == 0:  # a file system without a limit
        return
    what = f"{volume.f_favail} more files can be made"
    if volume.f_favail < limits.least_files:
        yield error("inodes", what, make_room)
    else:
        yield warning("inodes", what, make_room) if volume.f_favail < limits.few_files else ok("inodes", what)


def examine_file_system(
    folder: Path, can_exchange_in: Callable[[Path], bool], mounts: Path = MOUNTS
) -> Iterator[Finding]:
    """Try locks and exchanges in a temporary folder."""
    kind = mounted_as(folder, mounts)
    if kind in _NETWORKED:
        remedy = "keep the site on a disk of this machine: SQLite in WAL mode cannot work over a network"
        yield error("file-system", f"{folder} is on a network file system ({kind})", remedy)
    try:
        with temporary_folder(".try", folder) as place:
            if not _can_lock(place):
                remedy = "keep the site on a file system with locks: workers see by locks which others run"
                yield error("locks", f"files in {folder} cannot be locked", remedy)
            else:
                yield ok("locks", "files can be locked")
            if not can_exchange_in(place):
                remedy = "keep the output folder on a local disk: a build exchanges it for the new version of the site"
                yield error("exchange", "folders cannot be exchanged, or files cannot be hard-linked", remedy)
            else:
                yield ok("exchange", "folders can be exchanged, and files can be hard-linked")
    except OSError as problem:
        yield error("file-system", f"{folder}: {problem.strerror or problem}", "check the disk and its permissions")


def mounted_as(folder: Path, mounts: Path = MOUNTS) -> str:
    """Return the type of the file system that the folder is on; "" if it is unknown."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
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
