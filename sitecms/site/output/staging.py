"""The spare: a second tree beside the published one, in which the next generation is prepared.

Outputs that did not change are one file with two names, so a spare costs its folders and what the last build replaced.
It is in step with the published folder before anything is written to it.
"""

import os
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from pathlib import Path

import orjson

from sitecms.site.output.build_record import inode
from sitecms.site.output.manifest import MANIFEST_NAME, folders_of, read_manifest
from sitecms.site.output.unmanaged_files import clear, remove_empty

LOST_NAME = "found"


class Spare:
    """The tree in a working folder, beside notes of every name that sitecms gave to a file there."""

    def __init__(self, work: Path, published: Path) -> None:
        self.tree = work / "tree"
        self._published = published
        self._former = work / "former.json"
        self._making = work / "making.json"
        self._lost = work / LOST_NAME
        self._moved: list[str] = []

    def begin(self, paths: Iterable[str]) -> None:
        """It is no longer whole: these names are about to be made in it, beside those of builds that were killed."""
        names = set(paths)
        try:
            (self.tree / MANIFEST_NAME).replace(self._former)
        except FileNotFoundError:
            names |= self._noted() if self.tree.is_dir() else set()
        half = self._making.with_suffix(".half")
        half.write_bytes(orjson.dumps(sorted(names)))
        half.replace(self._making)

    def bring_forward(self, behind: Iterable[str]) -> None:
        """Make a whole spare like the published folder, given the outputs in which the two differ."""
        for path in behind:
            self.follow(path)

    def follow(self, path: str) -> None:
        """Have at this path what the published folder has there."""
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
        """Make a missing, half-made or damaged one like the published folder; what is right already stays.

        Gives the paths of what others had put into it: that is in the published folder now.
        """
        wanted = set(outputs)
        folders = folders_of(wanted)
        if self.tree.is_symlink() or self.tree.is_file():
            self.tree.unlink()
        self.tree.mkdir(exist_ok=True)
        known = wanted | self._names() | {MANIFEST_NAME}
        right = set(self._tidy("", wanted, folders, known))
        self._add(wanted - right)
        return self._moved

    def _add(self, paths: Set[str]) -> None:
        """Have what the published folder has at these many paths: all folders first, so that links need not look."""
        tree = f"{self.tree}/"
        for folder in sorted(folders_of(paths)):
            with suppress(FileExistsError):
                os.mkdir(tree + folder)  # noqa: PTH102  # called per folder
        for path in paths:
            self.follow(path)

    def _names(self) -> Set[str]:
        """Every name that an earlier build may have left in it."""
        return read_manifest(self._former.parent, self._former.name).outputs.keys() | self._noted()

    def _noted(self) -> set[str]:
        try:
            return set(orjson.loads(self._making.read_bytes()))
        except (OSError, ValueError, TypeError):
            return set()

    def _tidy(self, folder: str, wanted: Set[str], folders: Set[str], known: Set[str]) -> Iterator[str]:
        """The outputs that are right. The rest is taken away if we made it, else kept for whoever did."""
        with os.scandir(self.tree / folder) as entries:
            found = list(entries)
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            here = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                yield from self._tidy(path, wanted, folders, known)
                if path not in folders:
                    with suppress(OSError):
                        here.rmdir()
            elif path in wanted and entry.inode() == inode(f"{self._published}/{path}"):
                yield path
            elif path in known:
                here.unlink()
            else:
                if not inode(f"{self._published}/{path}"):
                    self._moved.append(path)
                clear(here, self._published / path, self._lost)


def link(source: str, target: str) -> None:
    """A second name for a file, in a folder that is made if need be. Links are not followed."""
    try:
        os.link(source, target, follow_symlinks=False)
    except FileNotFoundError:
        os.lstat(source)  # it is the folder that is missing
        os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120  # called per output
        os.link(source, target, follow_symlinks=False)
