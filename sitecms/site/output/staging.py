"""Staging directory: a second tree beside the published one, in which the next generation is prepared.

Unchanged outputs are one file with two names, so a staging directory costs its folders and what the last build
replaced. It equals the published folder before anything is written to it.
"""

import os
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from pathlib import Path

import orjson

from sitecms.files import write_atomically
from sitecms.site.output.build_record import inode
from sitecms.site.output.manifest import MANIFEST_NAME, folders_of, read_manifest
from sitecms.site.output.unmanaged_files import clear, remove_empty

LOST_NAME = "found"


class StagingDirectory:
    """Staging directory in a working folder, with a record of every name that sitecms wrote there."""

    def __init__(self, work: Path, published: Path) -> None:
        self.tree = work / "tree"
        self._published = published
        self._former = work / "former.json"
        self._making = work / "making.json"
        self._lost = work / LOST_NAME
        self._moved: list[str] = []

    def begin(self, paths: Iterable[str]) -> None:
        """Mark the staging directory as incomplete, and record the names that are about to be written."""
        names = set(paths)
        try:
            (self.tree / MANIFEST_NAME).replace(self._former)
        except (FileNotFoundError, NotADirectoryError):
            names |= self._noted() if self.tree.is_dir() else set()
        write_atomically(self._making, orjson.dumps(sorted(names)))

    def catch_up(self, behind: Iterable[str]) -> None:
        """Make the staging directory equal the published folder, given the outputs in which they differ."""
        for path in behind:
            self.follow(path)

    def follow(self, path: str) -> None:
        """Take over what the published folder has at this path."""
        target, source = f"{self.tree}/{path}", f"{self._published}/{path}"
        try:
            link(source, target)
        except FileExistsError:
            if inode(source) == inode(target):
                return
            os.unlink(target)  # noqa: PTH108  # called per output
            self.follow(path)
        except FileNotFoundError:
            with suppress(FileNotFoundError, NotADirectoryError):
                os.unlink(target)  # noqa: PTH108
            remove_empty(self.tree, path)

    def rebuild(self, outputs: Iterable[str]) -> list[str]:
        """Make a missing or damaged staging directory equal the published folder, and keep what is right.

        Returns the paths of unmanaged files in it, which are now in the published folder.
        """
        paths = set(outputs)
        folders = folders_of(paths)
        if self.tree.is_symlink() or self.tree.is_file():
            self.tree.unlink()
        self.tree.mkdir(exist_ok=True)
        expected = paths | self._names() | {MANIFEST_NAME}
        right = set(self._tidy("", paths, folders, expected))
        self._add(paths - right)
        return self._moved

    def _add(self, paths: Set[str]) -> None:
        """Take over many paths of the published folder: all folders first, then links."""
        tree = f"{self.tree}/"
        for folder in sorted(folders_of(paths)):
            with suppress(FileExistsError):
                os.mkdir(tree + folder)  # noqa: PTH102  # called per folder
        for path in paths:
            self.follow(path)

    def _names(self) -> Set[str]:
        """Return every name that an earlier build may have left."""
        return read_manifest(self._former.parent, self._former.name).outputs.keys() | self._noted()

    def _noted(self) -> set[str]:
        try:
            return set(orjson.loads(self._making.read_bytes()))
        except (OSError, ValueError, TypeError):
            return set()

    def _tidy(self, folder: str, outputs: Set[str], folders: Set[str], expected: Set[str]) -> Iterator[str]:
        """Return the outputs that are right; remove others that sitecms wrote, and keep unmanaged files."""
        with os.scandir(self.tree / folder) as entries:
            names = list(entries)
        for entry in names:
            path = f"{folder}/{entry.name}" if folder else entry.name
            here = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                yield from self._tidy(path, outputs, folders, expected)
                if path not in folders:
                    with suppress(OSError):
                        here.rmdir()
            elif path in outputs and entry.inode() == inode(f"{self._published}/{path}"):
                yield path
            elif path in expected:
                here.unlink()
            else:
                if not inode(f"{self._published}/{path}"):
                    self._moved.append(path)
                clear(here, self._published / path, self._lost)


def link(source: str, target: str) -> None:
    """Give a file a second name, in a folder that is made if necessary. Links are not followed."""
    try:
        os.link(source, target, follow_symlinks=False)
    except FileNotFoundError:
        os.lstat(source)  # it is the folder that is missing
        os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120  # called per output
        os.link(source, target, follow_symlinks=False)
