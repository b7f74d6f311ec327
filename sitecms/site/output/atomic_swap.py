"""Publishing by an atomic swap of the output folder and the staging directory beside it.

The working folder `.<name>.sitecms` lies beside the published folder, on the same file system, readable to its owner
only. It holds the staging directory, which is the former generation, and records. Everything in it can be made again.
"""

import errno
import fcntl
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_ISDIR
from typing import IO

from sitecms.errors import OutputRefused
from sitecms.site.output.atomic_exchange import can_exchange_in, exchange, is_mount_point
from sitecms.site.output.build_record import BuildRecord, Folders, inode, work_folder, write_record
from sitecms.site.output.folder import OutputFolder, write_new
from sitecms.site.output.manifest import MANIFEST_NAME, Manifest, ManifestEntry, folders_of, manifest_bytes
from sitecms.site.output.staging import LOST_NAME, StagingDirectory
from sitecms.site.output.unmanaged_files import find_unmanaged, hard_link, move_back, remove_empty, remove_hard_links

_TICK_SECONDS = 0.012
"""Longer than the time of a file system ever stands still: the record is younger than what was done before it."""


class SwapStage:
    """Use of the working folder by one build. Raises OSError if folders cannot be exchanged."""

    def __init__(self, output: OutputFolder, manifest: Manifest, folders: Callable[[], Folders]) -> None:
        self._published = output.folder
        self._work = work_folder(output.folder)
        self._lock = open_work(output.folder)
        self._staging = StagingDirectory(self._work, output.folder)
        self.tree = self._staging.tree
        self._manifest = manifest
        self._inspect = folders
        self._unmanaged: list[str] = []
        self._folders: set[str] = set()
        self._is_first = output.is_empty
        self.is_begun = False

    def begin(self, paths: Set[str], record: BuildRecord | None) -> None:
        """Bring the staging directory up to date; `paths` are about to be written. Raises OutputRefused."""
        outputs = self._manifest.outputs
        if not self._is_first:
            if _changed(self._published, self._manifest):
                raise OutputRefused(f"Another build wrote to {self._published} meanwhile. Build again.")
            state = self._inspect()
            before = folders_of(outputs)
            self._folders = before | folders_of(paths)
            where = {*state.touched, *self._folders - before}
            self._unmanaged = find_unmanaged(
                self._published, where, lambda path: path in outputs or path in paths, self._folders
            )
            self._staging.begin(paths)
            if record and record.staging and record.staging == inode(self.tree):
                remove_hard_links(self.tree, self._published, record.unmanaged, self._work / LOST_NAME)
            if record and state.is_staging_complete:
                self._staging.catch_up(record.behind)
            else:
                self._unmanaged += self._staging.rebuild(outputs)
            hard_link(self._published, self.tree, self._unmanaged)
        else:
            self._staging.begin(paths)
            self._staging.rebuild(())
        _like(self._published, self.tree)
        self.is_begun = True

    def keep(self, path: str) -> None:
        """Take over the published file."""
        self._staging.follow(path)

    def publish(self, outputs: Mapping[str, ManifestEntry], touched: Sequence[str], removed: Sequence[str]) -> None:
        """Exchange the folders. Raises OSError, with nothing changed, if the system refuses."""
        for path in removed:
            with suppress(FileNotFoundError):
                (self.tree / path).unlink()
            remove_empty(self.tree, path)
        write_new(str(self.tree), MANIFEST_NAME, manifest_bytes(outputs))
        if self._is_first:
            self._appear()
        else:
            exchange(self.tree, self._published)
        with suppress(OSError):  # what is left to do is done by the next build, which finds no record
            self._settle(outputs, (*touched, *removed))

    def close(self) -> None:
        """Let other builds begin."""
        self._lock.close()

    def discard(self) -> None:
        """Release the disk space of an incomplete generation."""
        shutil.rmtree(self.tree, ignore_errors=True)

    def _appear(self) -> None:
        try:
            self.tree.rename(self._published)  # over an empty folder, too
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                raise OutputRefused(f"Somebody put files into {self._published} meanwhile. Build again.") from error
            raise

    def _settle(self, outputs: Mapping[str, ManifestEntry], touched: Sequence[str]) -> None:
        """Return unmanaged files to the published folder, and record the staging directory."""
        hard_links: dict[str, int] = {}
        if not self._is_first:
            before, now = self._manifest.outputs, set(touched)
            late = find_unmanaged(self.tree, [""], lambda path: path in before or path in now, self._folders)
            unmanaged = [path for path in dict.fromkeys(self._unmanaged + late) if path not in outputs]
            if unmanaged:
                hard_links = move_back(self.tree, self._published, unmanaged, folders_of(outputs))
                time.sleep(_TICK_SECONDS)
        write_record(
            self._work / "record.json",
            BuildRecord(inode(self._published), inode(self.tree), hard_links, tuple(sorted(touched))),
        )


def open_work(published: Path) -> IO[str]:
    """Make or open the working folder and hold its lock. Raises OSError if the folder cannot be used."""
    work = work_folder(published)
    published.parent.mkdir(parents=True, exist_ok=True)
    if published.is_dir() and is_mount_point(published):
        raise OSError(errno.EBUSY, "it is a mount point")
    is_new = not work.exists()
    work.mkdir(mode=0o700, exist_ok=True)
    stat = os.lstat(work)
    if not S_ISDIR(stat.st_mode) or stat.st_uid != os.geteuid():
        raise OSError(errno.EPERM, f"{work.name} beside it belongs to somebody else")
    if is_new:
        (work / ".gitignore").write_text("*\n", "utf-8")
    lock = (work / "lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    if not (work / "record.json").exists() and not can_exchange_in(work):
        lock.close()
        shutil.rmtree(work, ignore_errors=True)
        raise OSError(errno.ENOSYS, "its file system cannot exchange folders")
    return lock


def _changed(published: Path, manifest: Manifest) -> bool:
    """Return True if the manifest differs from the one that was read, if one was read."""
    return bool(manifest.outputs) and os.lstat(published / MANIFEST_NAME).st_mtime_ns != manifest.written_at_ns


def _like(published: Path, tree: Path) -> None:
    """Give the folder the permissions and the owner of the published one."""
    if not published.is_dir():
        return
    status, tree_status = published.stat(), tree.stat()
    if (status.st_uid, status.st_gid) != (tree_status.st_uid, tree_status.st_gid):
        os.chown(tree, status.st_uid, status.st_gid)
    if status.st_mode != tree_status.st_mode:
        tree.chmod(S_IMODE(status.st_mode))
